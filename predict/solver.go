package predict

import "ghostcube/sim"

// Solver are the settings of the solver that a strategy lets be turned, on
// both sides at once.
type Solver struct {
	ContactHertz   float64
	MaxPushSpeed   float64
	ColdStart      bool
	DropCacheEvery int
}

// Solver declares the knobs of the solver, the same for every strategy. A
// half steps its world by Step, which applies them.
func (s *Knobs) Solver(p *Solver) {
	d := sim.DefaultSettings
	s.Float(&p.ContactHertz, "contact-hertz", float64(d.ContactHertz), 1, 120, "stiffness of contacts, per second: lower is softer, and sinks in more")
	s.Float(&p.MaxPushSpeed, "push-speed-max", float64(d.MaxPushSpeed), 0.1, 250, "m/s: a penetration is pushed out no faster (Fiedler's soft setting 1, his hard one 250)")
	s.Bool(&p.ColdStart, "cold-start", false, "find all contacts anew in every tick: nothing hidden is left, and piles do not stand")
	s.Int(&p.DropCacheEvery, "drop-cache", 0, 0, 600, "both sides forget their contacts every so many ticks, so that what a correction left different ends there; 0 never")
}

// Step sets a world to what the knobs say and steps it. When to drop the cache
// goes by the tick's label, so both sides do it at the same one, and a replay
// does it again.
func (p *Solver) Step(w *sim.World, inputs ...sim.Input) {
	w.Settings.ContactHertz, w.Settings.MaxPushSpeed, w.Settings.ColdStart = float32(p.ContactHertz), float32(p.MaxPushSpeed), p.ColdStart
	if p.DropCacheEvery > 0 && w.Tick()%sim.Tick(p.DropCacheEvery) == 0 {
		w.DropCache()
	}
	w.Step(inputs...)
}
