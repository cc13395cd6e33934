package predict

// Meter counts what only a strategy knows: corrections, ticks replayed, inputs
// that came late. The zero value is empty.
type Meter struct{ counts []Count }

// Count is one line of a Meter.
type Count struct {
	Name  string
	Help  string // a sentence with the unit in it
	Value float64
}

// Declare adds a count at zero, so that it is seen before anything happens. A
// name declared before stays as it is.
func (m *Meter) Declare(name, help string) {
	for i := range m.counts {
		if m.counts[i].Name == name {
			return
		}
	}
	m.counts = append(m.counts, Count{Name: name, Help: help})
}

func (m *Meter) count(name string) *Count {
	for i := range m.counts {
		if m.counts[i].Name == name {
			return &m.counts[i]
		}
	}
	panic("predict: the count " + name + " was not declared")
}

// Add adds x to the count called name, which has been declared.
func (m *Meter) Add(name string, x float64) { m.count(name).Value += x }

// Set sets the count called name, which has been declared, to x.
func (m *Meter) Set(name string, x float64) { m.count(name).Value = x }

// Value returns the count called name, or 0 if there is none.
func (m *Meter) Value(name string) float64 {
	for i := range m.counts {
		if m.counts[i].Name == name {
			return m.counts[i].Value
		}
	}
	return 0
}

// All returns the counts in the order in which they were declared, for
// reading.
func (m *Meter) All() []Count { return m.counts }

// CopyFrom makes m an equal of o.
func (m *Meter) CopyFrom(o *Meter) { m.counts = append(m.counts[:0], o.counts...) }
