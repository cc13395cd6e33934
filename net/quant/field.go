package quant

// Field is one value of a stream, as Watch tells of it.
type Field struct {
	Group     string // of what it is a part, "" for the packet itself
	Index     int    // which one of those parts
	Name      string
	Kind      string // Bits, Int, Bool, Float, ...
	BitOffset int    // where it begins
	Bits      int
	Raw       uint32 // as it stands in the stream
}

// OnField has f told of every value from now on, with the names that Part and
// Name gave last; nil ends it. It is for looking into packets: a Coder that is
// not watched takes no notice of names.
func (c *Coder) OnField(f func(Field)) { c.onField = f }

// Group says that the values which follow belong to number i of some parts.
func (c *Coder) Group(name string, i int) {
	if c.onField != nil {
		c.label.Group, c.label.Index = name, i
	}
}

// Label names the values that follow.
func (c *Coder) Label(name string) {
	if c.onField != nil {
		c.label.Name = name
	}
}

// reportField tells of a value that was coded.
func (c *Coder) reportField(kind string, at int, raw uint32) {
	f := c.label
	f.Kind, f.BitOffset, f.Bits, f.Raw = kind, at, c.BitsProcessed()-at, raw
	c.onField(f)
}
