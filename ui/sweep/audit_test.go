package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// auditedSweep is a sweep with workers that change a bit of a share of their results, or send nothing that can be read.
type auditedSweep struct {
	store *Store
	audit *Audit
	right map[string]*Cell
	keys  []string
}

// newAuditedSweep returns a sweep of n cells.
func newAuditedSweep(t *testing.T, n int, share float64, random *rand.Rand) *auditedSweep {
	s := &auditedSweep{store: must(Open(t.TempDir(), ours, true)), right: map[string]*Cell{}}
	t.Cleanup(func() {
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	})
	for k := range n {
		key := CellKey("00ff", uint64(k))
		s.keys = append(s.keys, key)
		s.right[key] = &Cell{Key: key, Seed: uint64(k), Hash: "01", Values: map[string]float64{"a": float64(k) + 0.1, "b": 2}}
	}
	s.audit = NewAudit(s.store, s.keys, share, random.Float64)
	return s
}

// changed returns a cell with another last bit of a value.
func changed(c *Cell) *Cell {
	x := *c
	x.Values = map[string]float64{"a": math.Float64frombits(math.Float64bits(c.Values["a"]) ^ 1), "b": 2}
	return &x
}

// check computes what the audit wants until nothing is left, and returns the number of computed cells.
func (s *auditedSweep) check(t *testing.T) (n int) {
	t.Helper()
	for {
		s.audit.Settle()
		key, ok := s.audit.Next()
		if !ok {
			return n
		}
		s.audit.Begun()
		if err := s.audit.Computed(s.right[key]); err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// finish checks that the store has exactly the right results.
func (s *auditedSweep) finish(t *testing.T) {
	t.Helper()
	if !s.audit.Done() || s.audit.Open() != 0 || s.audit.Stored() != len(s.keys) {
		t.Errorf("not done: %d open, %d of %d stored", s.audit.Open(), s.audit.Stored(), len(s.keys))
	}
	if err := s.store.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, key := range s.keys {
		if c, ok, err := s.store.Cell(key); !ok || err != nil || sumOfCell(&c) != sumOfCell(s.right[key]) {
			t.Fatalf("cell %s: %+v, %v, want %+v", key, c, err, s.right[key])
		}
	}
}

// TestAuditFindsLies has honest workers and a liar send results in random order. Whenever the liar is caught, the
// results are right, nobody else is named, and every cell of the liar is computed anew. One that always lies is caught
// with its first result; one whose every second result is a lie, some hundred of them, escapes 5 % of checks in one of twelve
// sessions. The share of computed cells of honest workers is about the one that was asked for.
func TestAuditFindsLies(t *testing.T) {
	rounds := 20
	if !experiment.Brief() {
		rounds = 200
	}
	escaped := 0
	for round := range rounds {
		random := rand.New(rand.NewPCG(uint64(round), 7))
		s := newAuditedSweep(t, 400, 0.05, random)
		rate := []float64{0, 1, 0.5, 0.1}[round%4]
		lied, taken, computed := 0, 0, 0
		for i, key := range s.keys {
			name, c := fmt.Sprint("honest-", i%3), s.right[key]
			if random.IntN(4) == 0 {
				name = "liar"
				taken++
				if random.Float64() < rate {
					c = changed(c)
					lied++
				}
			}
			if err := s.audit.Result(name, key, c); err != nil {
				t.Fatal(err)
			}
			if random.IntN(3) == 0 {
				computed += s.check(t)
			}
		}
		computed += s.check(t)
		lies := s.audit.Lies()
		for _, l := range lies {
			if l.Worker != "liar" {
				t.Fatalf("round %d: %s is accused", round, l.Worker)
			}
		}
		switch {
		case rate == 0 && (len(lies) > 0 || computed < 4 || computed > 60):
			t.Errorf("round %d: %d lies of honest workers, %d cells computed", round, len(lies), computed)
		case rate == 0.5 && len(lies) == 0:
			escaped++
		case rate > 0 && len(lies) != lied && len(lies) > 0, rate == 1 && len(lies) == 0:
			t.Errorf("round %d: %d lies found of %d", round, len(lies), lied)
		case rate == 1 && (computed < taken || !strings.HasPrefix(lies[0].Difference, "a is ")):
			t.Errorf("round %d: %d cells computed, the liar had %d: %+v", round, computed, taken, lies[0])
		}
		if rate == 0 || len(lies) > 0 {
			s.finish(t)
		}
	}
	if escaped > rounds/4/5 { // a quarter of the rounds has such a liar
		t.Errorf("half a liar escapes in %d of %d rounds", escaped, rounds/4)
	}
}

// TestAuditOfOneCell checks what becomes of a cell that two workers send, that one sends twice, that cannot be read, that
// nobody sends, and that was stored before its worker was found to lie.
func TestAuditOfOneCell(t *testing.T) {
	never := rand.New(rand.NewPCG(1, 2))
	believes := func(t *testing.T, n int) *auditedSweep { return newAuditedSweep(t, n, 0, never) }
	send := func(t *testing.T, s *auditedSweep, worker string, k int, lie bool) {
		t.Helper()
		c := s.right[s.keys[k]]
		if lie {
			c = changed(c)
		}
		if err := s.audit.Result(worker, s.keys[k], c); err != nil {
			t.Fatal(err)
		}
	}
	liars := func(s *auditedSweep) (names []string) {
		for _, l := range s.audit.Lies() {
			names = append(names, l.Worker)
		}
		return names
	}
	t.Run("twice the same", func(t *testing.T) {
		s := believes(t, 1)
		send(t, s, "a", 0, false)
		send(t, s, "a", 0, false)
		send(t, s, "b", 0, false)
		if n := s.check(t); n != 0 || len(liars(s)) > 0 {
			t.Errorf("%d computed, %v", n, liars(s))
		}
		s.finish(t)
	})
	t.Run("two results", func(t *testing.T) {
		for _, first := range []string{"good", "bad"} {
			s := believes(t, 2)
			send(t, s, first, 0, first == "bad")
			send(t, s, "bad", 1, true) // believed until the other one disagrees
			send(t, s, map[string]string{"good": "bad", "bad": "good"}[first], 0, first == "good")
			if s.check(t); !slices.Contains(liars(s), "bad") || slices.Contains(liars(s), "good") {
				t.Errorf("%s first: %v", first, liars(s))
			}
			s.finish(t)
		}
	})
	t.Run("first", func(t *testing.T) {
		s := newAuditedSweep(t, 3, 1e-9, never)
		send(t, s, "a", 1, true)
		if key, ok := s.audit.Next(); !ok || key != s.keys[1] || s.audit.Stored() > 0 {
			t.Error("the first result of a worker is not checked")
		}
		s.check(t)
		send(t, s, "b", 0, false)
		send(t, s, "b", 2, true) // nothing vouches for it
		if n := s.check(t); n < 2 || s.audit.Stored() < 2 {
			t.Errorf("%d computed", n)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		s := believes(t, 1)
		if err := s.audit.Result("a", s.keys[0], nil); err != nil {
			t.Fatal(err)
		}
		if s.check(t); !slices.Equal(liars(s), []string{"a"}) {
			t.Errorf("%v", liars(s))
		}
		s.finish(t)
	})
	t.Run("lost", func(t *testing.T) {
		s := believes(t, 3)
		send(t, s, "a", 1, false)
		if err := s.audit.Result("a", CellKey("another sweep", 1), nil); err != nil || s.audit.Open() != 2 {
			t.Errorf("%v, %d open", err, s.audit.Open())
		}
		if n := s.audit.Lost(); n != 2 || s.audit.Open() != 0 || s.check(t) != 2 {
			t.Errorf("%d lost", n)
		}
		send(t, s, "late", 0, true) // after it was computed here
		if s.check(t); !slices.Equal(liars(s), []string{"late"}) {
			t.Errorf("%v", liars(s))
		}
		s.finish(t)
	})
}

// TestParseCell checks that a result of a worker is taken only if it is written as the program writes it.
func TestParseCell(t *testing.T) {
	c := &Cell{Key: "00ff", Seed: 3, Hash: "01", Values: map[string]float64{"a": 0.1}}
	text := string(must(c.Line()))
	columns := func(name string) bool { return name == "a" }
	if got := must(ParseCell([]byte(text), columns)); sumOfCell(got) != sumOfCell(c) {
		t.Errorf("%+v", got)
	}
	signed := func(body string) string {
		return fmt.Sprintf(`{"sum":"%s","kind":"cell","body":%s}`, sumOf("cell", []byte(body)), body)
	}
	body := text[strings.Index(text, `{"key"`) : len(text)-1]
	if signed(body) != text {
		t.Fatalf("%s, want %s", signed(body), text)
	}
	for name, bad := range map[string]string{
		"empty": "", "two lines": text + "\n" + text, "changed": strings.Replace(text, "0.1", "0.2", 1),
		"a plan":         string(must(encode("plan", &Plan{}))),
		"another column": signed(strings.Replace(body, `"a"`, `"b"`, 1)),
		"more":           signed(strings.Replace(body, `{"key"`, `{"more":1,"key"`, 1)),
		"other digits":   signed(strings.Replace(body, "0.1", "0.10", 1)),
		"no number":      signed(strings.Replace(body, "0.1", `"x"`, 1)),
		"too large":      signed(strings.Replace(body, "0.1", "1e999", 1)),
	} {
		if c, err := ParseCell([]byte(bad), columns); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// FuzzParseCell checks that what is taken is, to the byte, what the program writes.
func FuzzParseCell(f *testing.F) {
	f.Add(must((&Cell{Key: "00ff", Seed: 3, Hash: "01", Values: map[string]float64{"a": 0.1}}).Line()))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCell(text, func(string) bool { return true })
		if err == nil && string(must(c.Line())) != string(text) {
			t.Errorf("%q", text)
		}
	})
}
