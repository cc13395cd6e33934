package link

import "time"

// Profile is a named network: conditions for both directions.
type Profile struct {
	Name     string
	Doc      string // title, at most 60 characters
	Source   string // origin of the numbers, and whether its latency is one way or a round trip
	Up, Down Conditions
}

// RTT returns the sum of both latencies, without jitter.
func (p *Profile) RTT() time.Duration { return p.Up.Latency + p.Down.Latency }

func symmetric(name, doc, source string, c Conditions) Profile {
	return Profile{name, doc, source, c, c}
}

const ms = time.Millisecond

// jitterTick is the unit of jitter in the articles' demos.
const jitterTick = 16667 * time.Microsecond

// Profiles are the named networks. The first group is synthetic: round numbers after
// published measurements and other tools' presets. The second group are the conditions
// of the articles and their demos.
var Profiles = []Profile{
	symmetric("perfect", "no impairments", "no delay",
		Conditions{}),
	symmetric("lan", "wired home network", "synthetic: one way",
		Conditions{Latency: 1 * ms, Jitter: 500 * time.Microsecond}),
	symmetric("fiber", "fibre, nearby server", "synthetic: one way",
		Conditions{Latency: 8 * ms, Jitter: 1 * ms, Shape: Gamma}),
	symmetric("cable", "cable, occasional loss", "synthetic: one way",
		Conditions{Latency: 15 * ms, Jitter: 4 * ms, Shape: Gamma, Loss: 0.001}),
	symmetric("wifi-good", "home Wi-Fi, good signal", "synthetic: one way",
		Conditions{Latency: 10 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.002, Burst: 3, Duplicate: 0.001}),
	symmetric("wifi-bad", "contended Wi-Fi: long tail, spikes, loss bursts, reordering", "synthetic: one way; 1 % above 170 ms",
		Conditions{Latency: 15 * ms, Jitter: 9300 * time.Microsecond, Shape: LongTail,
			Loss: 0.02, Burst: 8, SpikeChance: 0.01, Spike: 150 * ms, Reorder: 0.01, ReorderDelay: 40 * ms}),
	symmetric("4g", "mobile 4G, good signal", "synthetic: one way",
		Conditions{Latency: 35 * ms, Jitter: 15 * ms, Shape: Gamma, Loss: 0.005, Burst: 4}),
	{"3g", "mobile 3G: 330 kbit/s up, 780 kbit/s down",
		"synthetic: one way; rates and delay of 3G average in Apple's Network Link Conditioner",
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 330e3, Queue: 1000 * ms},
		Conditions{Latency: 100 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.01, Burst: 4, Bandwidth: 780e3, Queue: 1000 * ms}},
	symmetric("leo", "low-orbit satellite: a pause of 100 ms every 15 s",
		"synthetic: one way; pauses as measured on Starlink (arXiv 2307.00402, 2310.09242), whose round trip takes 26 ms at peak hours",
		Conditions{Latency: 20 * ms, Jitter: 8 * ms, Shape: Gamma, Loss: 0.005, Burst: 8, PauseEvery: 15 * time.Second, Pause: 100 * ms}),
	symmetric("geo", "geostationary satellite", "synthetic: one way; Ookla measured a round trip of 683 ms (2025)",
		Conditions{Latency: 340 * ms, Jitter: 20 * ms, Shape: Gamma, Loss: 0.01}),
	symmetric("transatlantic", "long distance, stable", "synthetic: one way",
		Conditions{Latency: 60 * ms, Jitter: 5 * ms, Shape: Gamma, Loss: 0.001}),
	symmetric("bufferbloat", "256 kbit/s behind a queue of 2 s", "synthetic: one way; after BeanNetworkTester's preset",
		Conditions{Latency: 10 * ms, Bandwidth: 256e3, Queue: 2000 * ms}),
	symmetric("metro", "train: spikes, and an outage of 1 s every 30 s", "synthetic: one way; after BeanNetworkTester's preset",
		Conditions{Latency: 50 * ms, Jitter: 40 * ms, Shape: Gamma, Loss: 0.02, Burst: 6,
			SpikeChance: 0.05, Spike: 400 * ms, OutageEvery: 30 * time.Second, Outage: time.Second}),
	symmetric("bursty", "10 % loss in runs of ten ticks: visible corrections", "Ghostcube: one way",
		Conditions{Latency: 100 * ms, Jitter: 10 * ms, Loss: 0.10, Burst: 10}),
	symmetric("torture", "everything at once", "synthetic: one way",
		Conditions{Latency: 150 * ms, Jitter: 75 * ms, Shape: Gamma, Loss: 0.10, Burst: 6, Duplicate: 0.02, Reorder: 0.05, ReorderDelay: 100 * ms}),

	symmetric("csp-75ms", "client-side prediction demo of 2018, no loss", "codersblock, Client-Side Prediction With Physics In Unity (2018): one way",
		Conditions{Latency: 75 * ms}),
	symmetric("csp-25-loss", "demo of 2018 with 25 % loss: redundant inputs", "the same article: one way",
		Conditions{Latency: 75 * ms, Loss: 0.25}),
	symmetric("csp-250ms-10", "demo of 2018 at 250 ms and 10 % loss: smoothing", "the same article; its caption does not say, taken as one way",
		Conditions{Latency: 250 * ms, Loss: 0.10}),
	symmetric("csp-default", "default settings of the demo of 2018", "the program of the same article: one way",
		Conditions{Latency: 100 * ms, Loss: 0.05}),
	symmetric("fiedler-2015", "Fiedler's networked physics demo: RTT 100 ms, 5 % loss", "networked-physics-gdc-2015 and Fiedler's articles: round trip of 100 ms",
		Conditions{Latency: 50 * ms, Jitter: jitterTick, Loss: 0.05}),
	symmetric("fiedler-tcp-mild", "lockstep over TCP, mild", "Fiedler, Deterministic Lockstep, and its program: round trip of 100 ms",
		Conditions{Latency: 50 * ms, Jitter: jitterTick, Loss: 0.01}),
	symmetric("fiedler-tcp-medium", "lockstep over TCP, medium", "the program of the same article only: 0.1 s one way",
		Conditions{Latency: 100 * ms, Jitter: jitterTick, Loss: 0.02}),
	symmetric("fiedler-tcp-bad", "lockstep over TCP, bad", "the same article and its program: round trip of 250 ms",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.05}),
	symmetric("fiedler-udp-extreme", "lockstep over UDP in the article: RTT 2 s, 25 % loss", "the same article: round trip of 2 s",
		Conditions{Latency: 1000 * ms, Jitter: jitterTick, Loss: 0.25}),
	symmetric("fiedler-udp-code", "lockstep over UDP in the article's program: 125 ms one way",
		"the program of the same article, although its screen says 2 s: 0.125 s one way",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.25}),
	symmetric("fiedler-udp-half", "lockstep over UDP, 50 % loss, 250 ms playout delay", "the program of the same article only: 0.125 s one way",
		Conditions{Latency: 125 * ms, Jitter: jitterTick, Loss: 0.50}),
	symmetric("fiedler-snapshot", "snapshot interpolation: two ticks of jitter, 5 % loss", "the program of Fiedler's Snapshot Interpolation: one way",
		Conditions{Latency: 50 * ms, Jitter: 2 * jitterTick, Loss: 0.05}),
	symmetric("zen-2004", "one setting of the demo of 2004: RTT 200 ms, 5 % loss",
		"zen-of-networked-physics (0, 50, 200 or 2000 ms; 0, 5, 10 or 50 %): round trip",
		Conditions{Latency: 100 * ms, Loss: 0.05}),
	symmetric("oculus", "networked physics in VR: up to 50 ms of jitter, 25 % loss", "loopback test of oculus-networked-physics-sample: one way",
		Conditions{Latency: 50 * ms, Jitter: 50 * ms, Shape: UniformPositive, Loss: 0.25}),
	symmetric("space-engineers-50", "latency chain of the Space Engineers talk, ping 50 ms", "the account of the talk (GDC): ping, a round trip",
		Conditions{Latency: 25 * ms}),
	symmetric("space-engineers-300", "latency chain of the Space Engineers talk, ping 300 ms", "the same account: ping, a round trip",
		Conditions{Latency: 150 * ms}),
}

// ProfileNames returns the names of all profiles.
func ProfileNames() []string {
	var names []string
	for _, p := range Profiles {
		names = append(names, p.Name)
	}
	return names
}

// profileNamed returns the profile with a name.
func profileNamed(name string) (Profile, error) {
	for _, p := range Profiles {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, &UnknownNameError{Kind: "network profile", Name: name, Choices: ProfileNames()}
}
