package quant

// Field is one value of a stream, as Watch tells of it.
type Field struct {
	Part  string // of what it is a part, "" for the packet itself
	Index int    // which one of those parts
	Name  string
	Kind  string // Bits, Int, Bool, Float, ...
	Bit   int    // where it begins
	Bits  int
	Raw   uint32 // as it stands in the stream
}

// Watch has f told of every value from now on, with the names that Part and
// Name gave last; nil ends it. It is for looking into packets: a Coder that is
// not watched takes no notice of names.
func (c *Coder) Watch(f func(Field)) { c.watch = f }

// Part says that the values which follow belong to number i of some parts.
func (c *Coder) Part(name string, i int) {
	if c.watch != nil {
		c.label.Part, c.label.Index = name, i
	}
}

// Name names the values that follow.
func (c *Coder) Name(name string) {
	if c.watch != nil {
		c.label.Name = name
	}
}

// saw tells of a value that was coded.
func (c *Coder) saw(kind string, at int, raw uint32) {
	f := c.label
	f.Kind, f.Bit, f.Bits, f.Raw = kind, at, c.Processed()-at, raw
	c.watch(f)
}
