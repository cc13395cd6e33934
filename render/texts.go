package render

import "unsafe"

// Texts keeps texts that are made anew again and again, in memory that it uses again. The zero value is empty and
// ready.
type Texts struct{ kept []byte }

// Reset empties t. The texts that it kept change with the next ones.
func (t *Texts) Reset() { t.kept = t.kept[:0] }

// Keep returns a copy of b as a text that is valid until Reset.
func (t *Texts) Keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	n := len(t.kept)
	t.kept = append(t.kept, b...) // where it moves, earlier texts keep their old memory
	return unsafe.String(&t.kept[n], len(b))
}

// KeepString returns a copy of s that is valid until Reset.
func (t *Texts) KeepString(s string) string {
	if s == "" {
		return ""
	}
	n := len(t.kept)
	t.kept = append(t.kept, s...)
	return unsafe.String(&t.kept[n], len(s))
}
