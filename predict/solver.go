package predict

import "ghostcube/sim"

// Solver are the settings of the physics solver that a strategy exposes as knobs, for both sides at
// once.
type Solver struct {
	ContactHertz   float64 // stiffness of contacts, Hz; at most an eighth of the substep rate
	MaxPushSpeed   float64 // m/s
	ColdStart      bool    // no warm starting
	DropCacheEvery int     // ticks; 0 is never
}

// Solver declares the knobs of the solver, which are the same for every strategy. A side steps its
// world w by Solver.Step, which applies them. The stiffness of contacts ends where the solver limits
// it, so that every value in its range has an effect.
func (k *Knobs) Solver(p *Solver, w *World) {
	d := sim.DefaultSettings
	hertzMax := max(float64(w.Rate()*w.Settings.Substeps)/8, 1)
	group := k.In(PhysicsKnobs)
	group.Float(&p.ContactHertz, "contact-hertz", min(float64(d.ContactHertz), hertzMax), 1, hertzMax,
		"stiffness of contacts, Hz, up to an eighth of the substep rate")
	group.Float(&p.MaxPushSpeed, "push-speed-max", float64(d.MaxPushSpeed), 0.1, 250,
		"largest speed at which contacts push bodies apart, m/s (Fiedler: soft 1, hard 250)")
	group.Bool(&p.ColdStart, "cold-start", false, "no warm starting: no hidden state is left, but piles do not stand")
	group.Int(&p.DropCacheEvery, "drop-cache", 0, 0, 600, "ticks between drops of both sides' contact caches; 0: never")
}

// Step applies the settings to a world and steps it. The world's tick decides when to drop the
// contact cache, so both sides do it in the same tick, and a replay does it again.
func (s *Solver) Step(w *World, inputs ...sim.Input) {
	s.Apply(w.World)
	w.Step(inputs...)
}

// Apply applies the settings to the next step of a world.
func (s *Solver) Apply(w *sim.World) {
	w.Settings.ContactHertz, w.Settings.MaxPushSpeed, w.Settings.ColdStart = float32(s.ContactHertz), float32(s.MaxPushSpeed), s.ColdStart
	if s.DropCacheEvery > 0 && w.Tick()%sim.Tick(s.DropCacheEvery) == 0 {
		w.DropCache()
	}
}

// ContactOrder is the order in which a client solves contacts: that of the server, or another. With
// another order the same state and inputs give a slightly different state, as on another machine.
type ContactOrder int

// ContactOrder declares the knob of a client's contact order.
func (k *Knobs) ContactOrder(p *ContactOrder) {
	k.In(CorrectionKnobs).Choice((*int)(p), "contact-order", 0, []string{"same", "reordered"},
		"solver's order at the client: the server's, or another, which causes mispredictions")
	k.NotSearched("a property of the game", "contact-order")
}

// Apply sets the order for the next steps of a client's world.
func (o ContactOrder) Apply(w *World) {
	const seed = 0x9E3779B97F4A7C15
	w.Settings.SolveOrderSeed = uint64(o) * seed
}
