package link

import "time"

// Profile is a named pair of conditions.
type Profile struct {
	Name     string
	Doc      string // one line; says what it is
	Source   string // where its numbers come from, and whether the delay there is one way or a round trip
	Up, Down Conditions
}

// RTT returns the two latencies together, without what jitter adds.
func (p *Profile) RTT() time.Duration { return p.Up.Latency + p.Down.Latency }

func symmetric(name, doc, source string, c Conditions) Profile {
	return Profile{name, doc, source, c, c}
}

const ms = time.Millisecond

// jitterTick is the article demos' unit of jitter.
const jitterTick = 16667 * time.Microsecond

// Profiles are all named weathers. The first group are synthetic: round numbers
// after published measurements and presets of others, the same at every run.
// The second group are the conditions that the articles and their demos name.
var Profiles = []Profile{
	symmetric("perfect", "nothing in the way", "no delay in either way",
		Conditions{}),
	symmetric("lan", "a cable in the house", "synthetic: one way",
		Conditions{Latency: 1 * ms, Jitter: 500 * time.Microsecond}),
	symmetric("fiber", "fibre to a near server", "synthetic: one way",
		Conditions{Latency: 8 * ms, Jitter: 1 * ms, Shape: Gamma}),
	symmetric("cable", "cable, a lost packet now and then", "synthetic: one way",
		Conditions{Latency: 15 * ms, Jitter: 4 * ms, Shape: Gamma, Loss: 0.001}),
	symmetric("wifi-good", "home Wi-Fi that behaves", "synthetic: one way",
		Conditions{Latency: 10 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.002, Burst: 3, Duplicate: 0.001}),
	symmetric("wifi-bad", "contended Wi-Fi: long tail, spikes, bursts, reordering", "synthetic: one way, one in a hundred later than 110 ms",
		Conditions{Latency: 15 * ms, Jitter: 9300 * time.Microsecond, Shape: LongTail,
			Loss: 0.02, Burst: 8, SpikeChance: 0.01, Spike: 150 * ms, Reorder: 0.01, ReorderDelay: 40 * ms}),
	symmetric("4g", "mobile, good", "synthetic: one way",
		Conditions{Latency: 35 * ms, Jitter: 15 * ms, Shape: Gamma, Loss: 0.005, Burst: 4}),
	{"3g", "mobile, slow and narrow: 330 kbit/s up, 780 down",
		"synthetic: one way; rates and delay of Apple's Network Link Conditioner, 3G average",
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 330e3, Queue: 1000 * ms},
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 780e3, Queue: 1000 * ms}},
	symmetric("leo", "low satellite: a pause of 100 ms every 15 s", "synthetic: one way; pauses as measured on Starlink (arXiv 2307.00402, 2310.09242), where a round trip takes 26 ms at peak hours",
		Conditions{Latency: 20 * ms, Jitter: 8 * ms, Shape: Gamma, Loss: 0.005, Burst: 8, PauseEvery: 15 * time.Second, Pause: 100 * ms}),
	symmetric("geo", "geostationary satellite", "synthetic: one way; 683 ms for a round trip were measured (Ookla, 2025)",
		Conditions{Latency: 340 * ms, Jitter: 20 * ms, Shape: Gamma, Loss: 0.01}),
	symmetric("transatlantic", "far but steady", "synthetic: one way",
		Conditions{Latency: 60 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.001}),
	symmetric("bufferbloat", "256 kbit/s behind a queue of two seconds", "synthetic: one way; after BeanNetworkTester's preset",
		Conditions{Latency: 10 * ms, Bandwidth: 256e3, Queue: 2000 * ms}),
	symmetric("metro", "a train: spikes, and an outage of a second every half minute", "synthetic: one way; after BeanNetworkTester's preset",
		Conditions{Latency: 50 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.02, Burst: 6,
			SpikeChance: 0.05, Spike: 400 * ms, OutageEvery: 30 * time.Second, Outage: time.Second}),
	symmetric("bursty", "a tenth lost in runs of ten ticks: what a client cannot foresee, and so corrections to look at", "ours: one way",
		Conditions{Latency: 100 * ms, Jitter: 10 * ms, Loss: 0.10, Burst: 10}),
	symmetric("torture", "everything at once", "synthetic: one way",
		Conditions{Latency: 150 * ms, Jitter: 75 * ms, Shape: Gamma, Loss: 0.10, Burst: 6, Duplicate: 0.02, Reorder: 0.05, ReorderDelay: 100 * ms}),

	symmetric("csp-75ms", "the prediction demo of 2018, clean", "codersblock, Client-Side Prediction With Physics In Unity (2018): one way",
		Conditions{Latency: 75 * ms}),
	symmetric("csp-25-loss", "the same at 25 % loss: redundant inputs", "the same article: one way",
		Conditions{Latency: 75 * ms, Loss: 0.25}),
	symmetric("csp-250ms-10", "the same at 250 ms and 10 % loss: smoothing", "the same article, whose caption does not say which way it counts: taken as one way",
		Conditions{Latency: 250 * ms, Loss: 0.10}),
	symmetric("csp-default", "the published demo's own settings", "the program of the same article: one way",
		Conditions{Latency: 100 * ms, Loss: 0.05}),
	symmetric("fiedler-2015", "Fiedler's networked physics demo: 100 ms there and back, 5 % loss, a tick of jitter", "networked-physics-gdc-2015, as Fiedler's articles describe it: 100 ms for a round trip",
		Conditions{Latency: 50 * ms, Jitter: jitterTick, Loss: 0.05}),
	symmetric("fiedler-tcp-mild", "lockstep over TCP, mild", "Fiedler, Deterministic Lockstep, and its program: 100 ms for a round trip",
		Conditions{Latency: 50 * ms, Jitter: jitterTick, Loss: 0.01}),
	symmetric("fiedler-tcp-medium", "lockstep over TCP, medium", "the program of the same article alone: 0.1 s one way",
		Conditions{Latency: 100 * ms, Jitter: jitterTick, Loss: 0.02}),
	symmetric("fiedler-tcp-bad", "lockstep over TCP, bad", "the same article and its program: 250 ms for a round trip",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.05}),
	symmetric("fiedler-udp-extreme", "lockstep over UDP as the article says: two seconds there and back, 25 % loss", "the same article: 2 s for a round trip",
		Conditions{Latency: 1000 * ms, Jitter: jitterTick, Loss: 0.25}),
	symmetric("fiedler-udp-code", "lockstep over UDP as the article's program does it: 125 ms one way", "the program of the same article, whose screen says two seconds: 0.125 s one way",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.25}),
	symmetric("fiedler-udp-half", "the same at 50 % loss, which the program plays with a delay of 250 ms", "the program of the same article alone: 0.125 s one way",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.50}),
	symmetric("fiedler-snapshot", "snapshots with jitter: two ticks of it, 5 % loss", "the program of Fiedler's Snapshot Interpolation: one way",
		Conditions{Latency: 50 * ms, Jitter: 2 * jitterTick, Loss: 0.05}),
	symmetric("zen-2004", "the demo of 2004 at one of its settings: 200 ms there and back, 5 % loss", "zen-of-networked-physics (0, 50, 200 or 2000 ms; 0, 5, 10 or 50 %): a round trip",
		Conditions{Latency: 100 * ms, Loss: 0.05}),
	symmetric("oculus", "networked physics in virtual reality: up to 50 ms later, 25 % loss", "oculus-networked-physics-sample, its loopback test: one way",
		Conditions{Latency: 50 * ms, Jitter: 50 * ms, Shape: UniformPositive, Loss: 0.25}),
	symmetric("space-engineers-50", "the latency chain of the Space Engineers talk at ping 50", "the account of the talk (GDC): ping, a round trip",
		Conditions{Latency: 25 * ms}),
	symmetric("space-engineers-300", "the same at ping 300", "the same account: ping, a round trip",
		Conditions{Latency: 150 * ms}),
}

// ProfileNames returns the names of all presets.
func ProfileNames() []string {
	var names []string
	for _, p := range Profiles {
		names = append(names, p.Name)
	}
	return names
}

// profileNamed returns the preset called name.
func profileNamed(name string) (Profile, error) {
	for _, p := range Profiles {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, &UnknownNameError{"network profile", name, ProfileNames()}
}
