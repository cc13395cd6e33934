package quant

// Field is one value of a stream, as OnField reports it.
type Field struct {
	Group     string // group that it belongs to, "" for the packet itself
	Index     int    // index in the group
	Name      string
	Kind      string // Coder method: Bits, Int, Bool, Float, ...
	BitOffset int    // where it begins
	Bits      int
	Raw       uint32 // encoded value
}

// OnField calls f for every value coded from now on, with the names last set by Group
// and Label. A nil f ends it. It is meant for packet inspection; without it names cost
// nothing.
func (c *Coder) OnField(f func(Field)) { c.onField = f }

// Group puts the values and checks that follow into element i of the named group. The
// empty name ends it.
func (c *Coder) Group(name string, i int) { c.label.Group, c.label.Index = name, i }

// Label names the values that follow.
func (c *Coder) Label(name string) {
	if c.onField != nil {
		c.label.Name = name
	}
}

// reportField reports a value that was coded. Checks and padding have names of their own.
func (c *Coder) reportField(kind string, at int, raw uint32) {
	f := c.label
	switch kind {
	case "Check":
		f.Name = "check"
	case "Align":
		f.Name = "padding"
	}
	f.Kind, f.BitOffset, f.Bits, f.Raw = kind, at, c.BitsProcessed()-at, raw
	c.onField(f)
}
