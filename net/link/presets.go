package link

import "time"

// Preset is a named pair of conditions.
type Preset struct {
	Name     string
	Doc      string // one line; says what it is after
	Up, Down Conditions
}

// RoundTrip returns the two latencies together, without what jitter adds.
func (p *Preset) RoundTrip() time.Duration { return p.Up.Latency + p.Down.Latency }

func both(name, doc string, c Conditions) Preset { return Preset{name, doc, c, c} }

const ms = time.Millisecond

// tick is the article demos' unit of jitter.
const tick = 16667 * time.Microsecond

// Presets are all named weathers. The first group are synthetic: round numbers
// after published measurements and presets of others, the same at every run.
// The second group are the conditions that the articles and their demos name.
var Presets = []Preset{
	both("perfect", "nothing in the way", Conditions{}),
	both("lan", "a cable in the house", Conditions{Latency: 1 * ms, Jitter: 500 * time.Microsecond}),
	both("fiber", "fibre to a near server", Conditions{Latency: 8 * ms, Jitter: 1 * ms, Shape: Gamma}),
	both("cable", "cable, a lost packet now and then", Conditions{Latency: 15 * ms, Jitter: 4 * ms, Shape: Gamma, Loss: 0.001}),
	both("wifi-good", "home Wi-Fi that behaves", Conditions{Latency: 10 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.002, Burst: 3, Duplicate: 0.001}),
	both("wifi-bad", "contended Wi-Fi: long tail, spikes, bursts, reordering", Conditions{Latency: 15 * ms, Jitter: 9300 * time.Microsecond, Shape: LongTail,
		Loss: 0.02, Burst: 8, SpikeChance: 0.01, Spike: 150 * ms, Reorder: 0.01, ReorderBy: 40 * ms}),
	both("4g", "mobile, good", Conditions{Latency: 35 * ms, Jitter: 15 * ms, Shape: Gamma, Loss: 0.005, Burst: 4}),
	{"3g", "mobile, slow and narrow: 330 kbit/s up, 780 down",
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 330e3, Queue: 1000 * ms},
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 780e3, Queue: 1000 * ms}},
	both("leo", "low satellite: a pause of 100 ms every 15 s", Conditions{Latency: 20 * ms, Jitter: 8 * ms, Shape: Gamma, Loss: 0.005, Burst: 8, PauseEvery: 15 * time.Second, Pause: 100 * ms}),
	both("geo", "geostationary satellite", Conditions{Latency: 340 * ms, Jitter: 20 * ms, Shape: Gamma, Loss: 0.01}),
	both("transatlantic", "far but steady", Conditions{Latency: 60 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.001}),
	both("bufferbloat", "256 kbit/s behind a queue of two seconds", Conditions{Latency: 10 * ms, Bandwidth: 256e3, Queue: 2000 * ms}),
	both("metro", "a train: spikes, and an outage of a second every half minute", Conditions{Latency: 50 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.02, Burst: 6,
		SpikeChance: 0.05, Spike: 400 * ms, OutageEvery: 30 * time.Second, Outage: time.Second}),
	both("bursty", "a tenth lost in runs of ten ticks: what a client cannot foresee, and so corrections to look at", Conditions{Latency: 100 * ms, Jitter: 10 * ms, Loss: 0.10, Burst: 10}),
	both("torture", "everything at once", Conditions{Latency: 150 * ms, Jitter: 75 * ms, Shape: Gamma, Loss: 0.10, Burst: 6, Duplicate: 0.02, Reorder: 0.05, ReorderBy: 100 * ms}),

	both("csp-75ms", "the prediction demo of 2018, clean", Conditions{Latency: 75 * ms}),
	both("csp-25-loss", "the same at 25 % loss: redundant inputs", Conditions{Latency: 75 * ms, Loss: 0.25}),
	both("csp-250ms-10", "the same at 250 ms one way and 10 % loss: smoothing (the article's caption does not say which way it counts)", Conditions{Latency: 250 * ms, Loss: 0.10}),
	both("csp-default", "the published demo's own settings", Conditions{Latency: 100 * ms, Loss: 0.05}),
	both("fiedler-2015", "Fiedler's networked physics demo: 100 ms there and back, 5 % loss, a tick of jitter", Conditions{Latency: 50 * ms, Jitter: tick, Loss: 0.05}),
	both("fiedler-tcp-mild", "lockstep over TCP, mild", Conditions{Latency: 50 * ms, Jitter: tick, Loss: 0.01}),
	both("fiedler-tcp-middle", "lockstep over TCP, middle", Conditions{Latency: 100 * ms, Jitter: tick, Loss: 0.02}),
	both("fiedler-tcp-bad", "lockstep over TCP, bad", Conditions{Latency: 125 * ms, Jitter: tick, Loss: 0.05}),
	both("fiedler-udp-extreme", "lockstep over UDP as the article says: two seconds there and back, 25 % loss", Conditions{Latency: 1000 * ms, Jitter: tick, Loss: 0.25}),
	both("fiedler-udp-code", "lockstep over UDP as the article's program does it: 125 ms one way", Conditions{Latency: 125 * ms, Jitter: tick, Loss: 0.25}),
	both("fiedler-snapshot", "snapshots with jitter: two ticks of it, 5 % loss", Conditions{Latency: 50 * ms, Jitter: 2 * tick, Loss: 0.05}),
	both("zen-2004", "the demo of 2004 at its second key: 200 ms there and back, 5 % loss", Conditions{Latency: 100 * ms, Loss: 0.05}),
	both("oculus", "networked physics in virtual reality: up to 50 ms later, 25 % loss", Conditions{Latency: 50 * ms, Jitter: 50 * ms, Shape: Later, Loss: 0.25}),
	both("space-engineers-50", "the latency chain of the Space Engineers talk at ping 50", Conditions{Latency: 25 * ms}),
	both("space-engineers-300", "the same at ping 300", Conditions{Latency: 150 * ms}),
}

// PresetNames returns the names of all presets.
func PresetNames() []string {
	var names []string
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	return names
}

// PresetNamed returns the preset called name.
func PresetNamed(name string) (Preset, error) {
	for _, p := range Presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, &Unknown{"weather", name, PresetNames()}
}
