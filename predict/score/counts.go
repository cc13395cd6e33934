package score

import "ghostcube/sim"

// Counts are what the laboratory counts beside a score, since the score began.
type Counts struct {
	Seconds            float64
	UpBytes, DownBytes uint64  // on the wire of the first client
	Replays            bool    // the strategy counts the ticks that it replays
	Replayed           float64 // ticks
	Diverged           bool    // the client's world has differed from the server's
	DivergentTick      sim.Tick
}

// kbitPerSecond returns a bandwidth. ok is false in the first second.
func (c Counts) kbitPerSecond(bytes uint64) (kbit float64, ok bool) {
	return float64(bytes) * 8 / 1000 / max(c.Seconds, 1e-9), c.Seconds >= evidenceSeconds
}

var bandwidthDefinition = Definition{
	Group: "Network", Title: "Bandwidth",
	Measures: []Entry{
		{
			Measure{Name: "up_kbit_per_second", Title: "bandwidth up, kbit/s", Digits: 1, Better: Lower,
				Help: "data sent from the client to the server, with IP and UDP headers, or with all that TCP adds"},
			func(_ *Score, n Counts) (float64, bool) { return n.kbitPerSecond(n.UpBytes) },
		},
		{
			Measure{Name: "down_kbit_per_second", Title: "bandwidth down, kbit/s", Digits: 1, Better: Lower,
				Help: "data sent from the server to the client, with IP and UDP headers, or with all that TCP adds"},
			func(_ *Score, n Counts) (float64, bool) { return n.kbitPerSecond(n.DownBytes) },
		},
	},
	Text: `
Measured by the endpoints of the first client since the strategy started, its first second included, with 28 bytes of
IP and UDP header on every packet, or with all that TCP adds.`,
	Formula: "bits / 1000 / seconds",
	Blind:   "the links of further clients, and the headers of Ethernet or Wi-Fi",
}

var replayedTicksDefinition = Definition{
	Group: "Simulation", Title: "Resimulated ticks",
	Measures: []Entry{
		{
			Measure{Name: "resimulated_ticks_per_minute", Title: "resimulated ticks per minute", Digits: 0, Better: Lower,
				Help: "ticks that the client resimulated, after corrections or because inputs of others became known"},
			func(_ *Score, n Counts) (float64, bool) {
				return n.Replayed * 60 / max(n.Seconds, rateSeconds), n.Replays && n.Seconds >= rateSeconds
			},
		},
	},
	Text: `
The strategy's counter replayed_ticks, per minute since the strategy started.`,
	Undefined: "for a strategy without that counter",
	Blind:     "the number of bodies in each tick, so it compares cost only between clients that step the same world",
}

var divergenceDefinition = Definition{
	Group: "Simulation", Title: "Divergence",
	Measures: []Entry{
		{
			Measure{Name: "first_divergent_tick", Title: "first divergent tick", Digits: 0, Better: Neither,
				Help: "first tick at which the client's world differs from the server's, bit for bit or on the grid of both"},
			func(_ *Score, n Counts) (float64, bool) { return float64(n.DivergentTick), n.Diverged },
		},
	},
	Text: `
The first tick at which the client's world differs from the server's in any bit. JSON also has the object divergence
with the first body that differs and the fields that differ: position, rotation, linear velocity, angular velocity,
sleep. The worlds are compared as they are when they first reach a tick: for a client that predicts, before any
correction of that tick, and for one that rolls back, as checksums find it; where states are applied, after those of
that tick, and on their grid where they are quantised. With authority=client the bodies under the client's authority are
ahead of the server, which counts. The world that is ahead is remembered in up to 32 MB: 77 s of 901 bodies at 60 Hz. A
forced fault is a divergence.`,
	Undefined: "while nothing differs, and for strategies whose client steps no world of its own",
	Blind: `
hidden state (contacts, who touched what) until it moves a body; ticks that a client skips`,
}
