package rollback

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// inputCounters count the inputs in packets of both sides.
type inputCounters struct{ runs, inputs, bits predict.Counter }

func (c *inputCounters) declare(m *predict.Counters) {
	c.runs = m.New("input_runs", "runs of inputs sent, one per player and packet").Of(predict.InputPackets)
	c.inputs = m.New("inputs_sent", "inputs sent in runs, repeats included")
	c.bits = m.New("input_bits", "bits in runs of inputs").Of(predict.InputBits)
}

// count counts a run of n inputs that code measures.
func (c *inputCounters) count(coder *quant.Coder, code func(), n int) {
	if n == 0 {
		return
	}
	coder.BeginMeasure()
	code()
	c.runs.Inc()
	c.inputs.Add(float64(n))
	c.bits.Add(float64(coder.BitsProcessed()))
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := s.(*server), c.(*client)
	w := client.env.World
	for _, b := range w.Bodies() {
		l.Moving = append(l.Moving, !b.Asleep)
	}
	l.Owner = append(l.Owner, w.Owners()...)
	p := client.env.Player
	if p >= 0 {
		now := server.env.World.Tick()
		l.AddBuffer(predict.PlayoutBuffer, now, now+maxWaiting, 0, func(t sim.Tick) bool {
			_, ok := server.collectors[p].at(t)
			return ok
		})
	}
	confirmed := client.known.confirmed
	saved := func(t sim.Tick) bool { return client.worlds.Find(t) != nil }
	stepped := func(t sim.Tick) bool { return client.stepped.Find(t) != nil }
	l.AddBuffer(predict.SnapshotRing, confirmed, w.Tick(), maxRollbackTicks, saved)
	l.AddBuffer(predict.InputHistory, confirmed, w.Tick(), 0, stepped)
	if p >= 0 {
		l.AddBuffer(predict.RedundancyWindow, client.firstUnconfirmed(), client.own.next, maxInputs, nil)
		l.AddBuffer(predict.UnackedInputs, client.firstUnconfirmed(), client.own.next, 0, nil)
	}
}

// Progress reports the inputs that the server has stepped. It never sends state.
func (s *server) Progress(to *predict.InputProgress) { to.Consumed = s.env.World.Tick() }

// Progress reports that the player's cube responds as soon as its input is used.
func (c *client) Progress(to *predict.InputProgress) {
	if c.env.Player >= 0 {
		to.Sampled = c.own.next
		to.Predicted, to.Predicts = c.env.World.Tick(), true
	}
}
