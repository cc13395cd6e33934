package predict

import "ghostcube/sim"

// Contacts are the settings of the solver that a strategy lets be turned, on
// both sides at once.
type Contacts struct {
	Hertz float64
	Push  float64
	Cold  bool
	Drop  int
}

// Contacts declares the knobs of the solver, the same for every strategy. A
// half steps its world by Step, which applies them.
func (s *Knobs) Contacts(p *Contacts) {
	d := sim.DefaultSettings
	s.Float(&p.Hertz, "contact-hertz", float64(d.Hertz), 1, 120, "stiffness of contacts, per second: lower is softer, and sinks in more")
	s.Float(&p.Push, "push-out", float64(d.Push), 0.1, 250, "m/s: a penetration is pushed out no faster (Fiedler's soft setting 1, his hard one 250)")
	s.Bool(&p.Cold, "cold", false, "find all contacts anew in every tick: nothing hidden is left, and piles do not stand")
	s.Int(&p.Drop, "drop-cache", 0, 0, 600, "both sides forget their contacts every so many ticks, so that what a correction left different ends there; 0 never")
}

// Step sets a world to what the knobs say and steps it. When to drop the cache
// goes by the tick's label, so both sides do it at the same one, and a replay
// does it again.
func (p *Contacts) Step(w *sim.World, inputs ...sim.Input) {
	w.Settings.Hertz, w.Settings.Push, w.Settings.Cold = float32(p.Hertz), float32(p.Push), p.Cold
	if p.Drop > 0 && w.Tick()%sim.Tick(p.Drop) == 0 {
		w.DropCache()
	}
	w.Step(inputs...)
}
