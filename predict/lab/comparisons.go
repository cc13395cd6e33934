package lab

import "ghostcube/predict"

// Comparison is a session worth looking at: what each article's film shows, by
// name.
type Comparison struct {
	Name       string
	Doc        string // one line: what to look at
	Source     string
	Tape       string // whose keys it plays
	Scene      string
	Network    string
	Rate       int
	Seat       Seat
	Panes      []string
	FaultEvery int // ticks from one forced fault to the next; 0: none
}

// Comparisons are all comparisons, in the order in which a list shows them.
var Comparisons = []Comparison{
	{
		Name: "csp-clean", Doc: "75 ms each way, nothing lost: the own cube answers at once, the server's follows",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-75ms", Rate: 64,
		Panes: []string{"rewind"},
	},
	{
		Name: "csp-divergence", Doc: "no loss, but physics that is not quite the same, and nobody corrects: the cubes part",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-75ms", Rate: 64,
		Panes: []string{"rewind:contact-order=reordered:corrections=off"},
	},
	{
		Name: "csp-corrections", Doc: "physics not quite the same, without and with corrections: rewind and replay keep the cubes together, with jerks",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-75ms", Rate: 64,
		Panes: []string{"rewind:contact-order=reordered:corrections=off", "rewind:contact-order=reordered:smoothing=none"},
	},
	{
		Name: "csp-redundancy", Doc: "a quarter of all packets lost, before and after inputs are sent again and again",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-25-loss", Rate: 64,
		Panes: []string{"rewind:redundant=off:smoothing=none", "rewind:redundant=on:smoothing=none"},
	},
	{
		Name: "csp-snapshot-rates", Doc: "a snapshot 64, 16 and 2 times a second: the rarer, the larger each correction",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-75ms", Rate: 64,
		Panes: []string{
			"rewind:contact-order=reordered:smoothing=none:snapshot-every=1",
			"rewind:contact-order=reordered:smoothing=none:snapshot-every=4",
			"rewind:contact-order=reordered:smoothing=none:snapshot-every=32",
		},
	},
	{
		Name: "csp-smoothing", Doc: "250 ms each way, a tenth lost, the server's cube pushed aside every 5 s: without smoothing and with it",
		Source: sourceCodersblock, Tape: "circle", Scene: "zen", Network: "csp-250ms-10", Rate: 64, FaultEvery: 320,
		Panes: []string{"rewind:smoothing=none", "rewind:smoothing=single"},
	},
	{
		Name: "prediction", Doc: "the same keys over the same link, without prediction and with it",
		Source: "", Tape: "circle", Scene: "zen", Network: "csp-75ms", Rate: 60,
		Panes: []string{"noprediction", "rewind"},
	},
	{
		Name: "techniques", Doc: "75 ms each way, a fiftieth lost: lockstep waits, snapshots show the past, prediction the future",
		Source: "", Tape: "katamari-ball", Scene: "katamari", Network: "latency=75ms,loss=2%,burst=1.1", Rate: 60,
		Panes: []string{"lockstep", "snapshot:snapshot-every=3", "rewind"},
	},
	{
		Name: "lockstep-delay", Doc: "the client steps the server's inputs a second late, and makes the same world: nothing but keys has travelled",
		Source: sourceLockstep, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"lockstep:playout=950ms"},
	},
	{
		Name: "lockstep-desync", Doc: "two seconds late, contacts solved in an order of each side's own: the worlds part; seeded by the tick on both sides they stay the same",
		Source: sourceLockstep, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"lockstep:playout=1950ms:contact-order=own-seed", "lockstep:playout=1950ms:contact-order=tick-seed"},
	},
	{
		Name: "lockstep-tcp", Doc: "50 ms each way, one packet in a hundred lost: over TCP a hitch now and then, over UDP none",
		Source: sourceLockstep, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms,loss=1%", Rate: 60, Seat: AtHost,
		Panes: []string{"lockstep:transport=tcp", "lockstep"},
	},
	{
		Name: "lockstep-tcp-bad", Doc: "125 ms each way, one in twenty lost: TCP stands and leaps, UDP does not",
		Source: sourceLockstep, Tape: "katamari-ball", Scene: "katamari", Network: "latency=125ms,loss=5%", Rate: 60, Seat: AtHost,
		Panes: []string{"lockstep:transport=tcp", "lockstep"},
	},
	{
		Name: "lockstep-udp", Doc: "a second each way, a quarter of all packets lost: redundant inputs play on, TCP cannot",
		Source: sourceLockstep, Tape: "katamari-ball", Scene: "katamari", Network: "latency=1s,loss=25%", Rate: 60, Seat: AtHost,
		Panes: []string{"lockstep:playout=200ms", "lockstep:playout=200ms:transport=tcp"},
	},
	{
		Name: "lockstep-slowest", Doc: "two players, one 200 ms farther away: both wait for the slower one; each for its own round trip; neither, with prediction",
		Source: sourceLockstep, Tape: "two-players", Scene: "two-players", Network: "latency=20ms,latency-per-player=200ms", Rate: 60,
		Panes: []string{"lockstep", "lockstep:align-inputs=on", "rewind"},
	},
	{
		Name: "snapshot-naive", Doc: "60 snapshots of 901 cubes a second, drawn on arrival, nothing lost: 12.7 Mbit/s, and it looks right",
		Source: sourceSnapshots, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot:interpolation=none"},
	},
	{
		Name: "snapshot-jitter", Doc: "two ticks of jitter: drawn on arrival it hitches, from a buffer 83 ms later it does not",
		Source: sourceSnapshots, Tape: "circle", Scene: "zen", Network: "fiedler-snapshot", Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot:interpolation=none", "snapshot:interpolation=linear"},
	},
	{
		Name: "snapshot-10hz", Doc: "ten snapshots a second, of which one in twenty is lost whole: steps, straight lines with kinks, and curves",
		Source: sourceSnapshots, Tape: "katamari-ball", Scene: "katamari", Network: wholeSnapshotLoss, Rate: 60, Seat: AtHost,
		Panes: []string{
			"snapshot:snapshot-every=6:interpolation=none",
			"snapshot:snapshot-every=6:interpolation=linear",
			"snapshot:snapshot-every=6",
		},
	},
	{
		Name: "snapshot-extrapolation", Doc: "ten a second, 350 ms late, or extrapolated by 200 of them: cubes sink into the floor and spring back",
		Source: sourceSnapshots, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot:snapshot-every=6", "snapshot:snapshot-every=6:extrapolate=200ms"},
	},
	{
		Name: "snapshot-send-rates", Doc: "60, 30, 20 and 10 a second, each as late as it must be to survive two losses: the more it costs, the sooner it shows",
		Source: sourceSnapshots, Tape: "katamari-ball", Scene: "katamari", Network: wholeSnapshotLoss, Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot", "snapshot:snapshot-every=2", "snapshot:snapshot-every=3", "snapshot:snapshot-every=6"},
	},
	{
		Name: "snapshot-compression", Doc: "the same snapshots raw, quantised, relative to what has arrived, and by what is expected of each cube: 18 Mbit/s down to 0.2",
		Source: sourceCompression, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot", "snapshot:compression=quantised", "snapshot:compression=delta", "snapshot:compression=arithmetic"},
	},
	{
		Name: "snapshot-fragments", Doc: "a hundredth of all datagrams lost: of snapshots in 36 a third, in nine a twelfth, in one a hundredth",
		Source: sourceCompression, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms,loss=1%", Rate: 60, Seat: AtHost,
		Panes: []string{"snapshot", "snapshot:compression=quantised", "snapshot:compression=delta", "snapshot:compression=arithmetic"},
	},
	{
		Name: "statesync-quantisation", Doc: "256 kbit/s for 901 cubes: 32-bit numbers; quantised on the wire only, and cubes pop; both worlds on the grid, and they do not",
		Source: sourceStateSync, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{
			"statesync:compression=uncompressed:smoothing=none",
			"statesync:compression=quantised:smoothing=none",
			"statesync:smoothing=none",
		},
	},
	{
		Name: "statesync-smoothing", Doc: "a quarter of a second lost now and then: no smoothing, a slow factor, a fast one, and the two blended by the error",
		Source: sourceStateSync, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms,down.outage=250ms,down.outage-every=3s", Rate: 60, Seat: AtHost,
		Panes: []string{
			"statesync:smoothing=none",
			"statesync:smoothing=single:smooth-factor=0.95:smooth-slerp=0.05",
			"statesync:smoothing=single:smooth-factor=0.85:smooth-slerp=0.15",
			"statesync",
		},
	},
	{
		Name: "statesync-outage", Doc: "for five seconds nothing arrives of how a pile is run into, and metres are made good: two factors, a slow one, a fast one",
		Source: sourceStateSync, Tape: "outage", Scene: "pile:layers=3", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{
			"statesync:snap-distance=5",
			"statesync:snap-distance=5:smoothing=single:smooth-factor=0.95:smooth-slerp=0.05",
			"statesync:snap-distance=5:smoothing=single:smooth-factor=0.85:smooth-slerp=0.15",
		},
	},
	{
		Name: "statesync-vs-snapshot", Doc: "the same ball in 256 kbit/s, as whole snapshots in 18 Mbit/s, and ten of those a second in 3: who is how late, and how true",
		Source: sourceStateSync, Tape: "katamari-ball", Scene: "katamari", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"statesync", "snapshot", "snapshot:snapshot-every=6"},
	},
	{
		Name: "statesync-interest", Doc: "ten thousand bodies: all told of alike; farther ones more rarely; and none beyond 60 m",
		Source: "Space Engineers: a talk of its authors", Tape: "circle", Scene: "fleet", Network: "latency=50ms", Rate: 60, Seat: AtHost,
		Panes: []string{"statesync:compression=delta", "statesync:compression=delta:interest-radius=25", "statesync:compression=delta:interest-radius=25:interest-cutoff=60"},
	},
	{
		Name: "statesync-authority", Doc: "two players push the same pile, 100 ms each way: the server's word of it, each one's own word, and rewind",
		Source: "Fiedler, Networked Physics in Virtual Reality (2018)", Tape: "same-pile", Scene: "two-players", Network: "latency=100ms", Rate: 60,
		Panes: []string{"statesync", "statesync:authority=client", "rewind"},
	},
	{
		Name: "animated-validity", Doc: "40 ms of jitter, positions shown when they come, 60 and 200 ms after they should have: late ones are dropped, and what has none stands",
		Source: sourceSpaceEngineers, Tape: "circle", Scene: "zen", Network: "latency=50ms,jitter=40ms", Rate: 60, Seat: AtHost,
		Panes: []string{"animated:validity=0ms", "animated", "animated:validity=200ms"},
	},
	{
		Name: "animated-outage", Doc: "a quarter of a second lost now and then: what has no position stands, goes on for half the round trip, or for a second",
		Source: sourceSpaceEngineers, Tape: "turns", Scene: "plain", Network: "latency=100ms,down.outage=250ms,down.outage-every=3s", Rate: 60, Seat: AtHost,
		Panes: []string{"animated:extrapolation=none", "animated", "animated:extrapolation=fixed:extrapolate=1s"},
	},
	{
		Name: "historyoffset-vs-rewind", Doc: "125 ms each way, physics not quite the server's: an offset to the history, and rewind and replay: who is how true, and what it costs",
		Source: sourceSpaceEngineers, Tape: "katamari-ball", Scene: "katamari", Network: "latency=125ms", Rate: 60,
		Panes: []string{"historyoffset:contact-order=reordered", "rewind:contact-order=reordered"},
	},
	{
		Name: "historyoffset-push", Doc: "into a pile, 125 ms each way: what others move stands like a wall, and is climbed until the server has moved it; with rewind it is pushed",
		Source: sourceSpaceEngineers, Tape: "push", Scene: "pile:layers=3", Network: "latency=125ms", Rate: 60,
		Panes: []string{"historyoffset", "rewind"},
	},
	{
		Name: "historyoffset-input-buffer", Doc: "no input arrives for 120 ms, every 2 s: the last one stays in the server's buffer of 4, and the next follows it at once; or it waits for the whole buffer, which is longer from then on; or there are 8 places",
		Source: sourceSpaceEngineers, Tape: "start-stop", Scene: "plain", Network: "latency=75ms,up.outage=120ms,up.outage-every=2s", Rate: 60,
		Panes: []string{"historyoffset", "historyoffset:keep-last=off", "historyoffset:playout=8"},
	},
	{
		Name: "historyoffset-jump-off", Doc: "up from a fast table and down again, 125 ms each way: predicted, it pops; switched off after ten corrections, it is late",
		Source: sourceSpaceEngineers, Tape: "jump-off", Scene: "turntable:rpm=12:aboard=1", Network: "latency=125ms", Rate: 60,
		Panes: []string{"historyoffset", "historyoffset:fallback-corrections=10", "animated"},
	},
	{
		Name: "historyoffset-haul", Doc: "a cube in the player's sled, 125 ms each way: held where it was, the sled shakes; late as well; or both stepped",
		Source: sourceSpaceEngineers, Tape: "haul", Scene: "hauler", Network: "latency=125ms", Rate: 60,
		Panes: []string{"historyoffset", "historyoffset:fallback-dirty-ticks=6", "historyoffset:remote-bodies=dynamic"},
	},
	{
		Name: "historyoffset-remote-bodies", Doc: "into the pucks, 125 ms each way: they stand like walls, and are climbed; the touched are stepped; all are, by rewind",
		Source: sourceSpaceEngineers, Tape: "billiards-break", Scene: "billiards", Network: "latency=125ms", Rate: 60,
		Panes: []string{"historyoffset", "historyoffset:remote-bodies=dynamic", "rewind"},
	},
	{
		Name: "late-inputs", Doc: "inputs that come too late: dropped, simulated again by the server, or sent four ticks sooner",
		Tape: "turns", Scene: "zen", Network: uplinkJitter, Rate: 60,
		Panes: []string{"rewind:lead=1", "rewind:lead=1:late-inputs=resimulate", "rewind:lead=5"},
	},
	{
		Name: "latency-stages", Doc: "what a key takes to be seen at a ping of 50 ms, stage by stage (key U): no buffer, the article's, and two predictions",
		Source: sourceSpaceEngineers, Tape: "turns", Scene: "plain", Network: "space-engineers-50", Rate: 60,
		Panes: []string{"noprediction", "animated:playout=4:validity=0", "historyoffset", "rewind"},
	},
	{
		Name: "latency-stages-300", Doc: "the same at a ping of 300 ms: the two that predict answer as soon, all else is later",
		Source: sourceSpaceEngineers, Tape: "turns", Scene: "plain", Network: "space-engineers-300", Rate: 60,
		Panes: []string{"noprediction", "animated:playout=4:validity=0", "historyoffset", "rewind"},
	},
	{
		Name: "lag-compensation", Doc: "100 ms each way, one shoots at what crosses: judged where it was seen, and where it is; rewind sees it where it never was",
		Source: "Bernier, Latency Compensating Methods in Client/Server In-game Protocol Design and Optimization (2001)",
		Tape:   "shots", Scene: "two-players", Network: "latency=100ms", Rate: 60,
		Panes: []string{"snapshot", "animated", "noprediction", "rewind"},
	},
	{
		Name: "relative-boarding", Doc: "boarding at 48 m/s, 100 ms each way: in the ship's space the cube stays aboard, in the world's it is thrown out",
		Source: sourceSpaceEngineers, Tape: "boarding", Scene: "ship:distance=530:platform=1", Network: "latency=100ms,loss=2%", Rate: 60,
		Panes: []string{"relative", "historyoffset", "rewind", "animated"},
	},
	{
		Name: "relative-ferry", Doc: "a ship leaves, 100 ms each way: in its space the cube stands, in the world's it slides to the rear and back",
		Source: sourceSpaceEngineers, Tape: "ferry", Scene: "ship", Network: "latency=100ms,loss=2%", Rate: 60,
		Panes: []string{"relative", "historyoffset"},
	},
	{
		Name: "joint-tree-walker", Doc: "110 joints, told of ten times a second: each body by itself, by middles, by joints, with loops closed",
		Source: sourceSpaceEngineers, Tape: "idle", Scene: "walker:mounted=1", Network: jitterAndLoss, Rate: 60, Seat: AtHost,
		Panes: []string{
			"animated:snapshot-every=6",
			"animated:snapshot-every=6:joint-tree=relative:joint-pivot=center:loop-iterations=0",
			"animated:snapshot-every=6:joint-tree=relative:loop-iterations=0",
			"animated:snapshot-every=6:joint-tree=relative",
		},
	},
	{
		Name: "joint-chain-root", Doc: "thirty-two rods behind a cube that tumbles: by themselves, swung about by it, hung on it",
		Source: sourceSpaceEngineers, Tape: "chain-tow", Scene: "train:rods=32", Network: jitterAndLoss, Rate: 60, Seat: AtHost,
		Panes: []string{"animated", "animated:joint-tree=relative", "animated:joint-tree=relative-position"},
	},
	{
		Name: "joint-chain-predicted", Doc: "sixteen rods behind the player, 100 ms away: the cube alone predicted, the chain with it, and neither",
		Source: sourceSpaceEngineers, Tape: "chain-swing", Scene: "train:rods=16", Network: "latency=100ms", Rate: 60,
		Panes: []string{
			"historyoffset:contact-order=reordered",
			"historyoffset:contact-order=reordered:predicted-bodies=joint-tree",
			"historyoffset:contact-order=reordered:predicted-bodies=joint-tree:chain-joints-max=8:joint-tree=relative-position",
		},
	},
}

// uplinkJitter has more jitter on the way up than a lead of a tick makes up for.
const uplinkJitter = "latency=75ms,up.jitter=100ms,up.shape=uniform-positive"

// jitterAndLoss delays by one or two ticks more or less, and loses some.
const jitterAndLoss = "latency=50ms,jitter=10ms,loss=2%"

const sourceSpaceEngineers = "Space Engineers, a talk at GDC, and its published source"

const sourceStateSync = "Fiedler, State Synchronization (2015), and its program"

const sourceSnapshots = "Fiedler, Snapshot Interpolation (2014), and its program of 2015"

const sourceCompression = "Fiedler, Snapshot Compression (2015)"

// wholeSnapshotLoss loses a twentieth of all snapshots. A run of losses is a hair longer
// than chance alone makes it, so that the link decides by the sixtieth of a second
// and all fragments of a snapshot share their fate, as in the simulator of the
// article. By itself each, a twentieth lost of fragments would leave next to no
// snapshot of 25 of them whole.
const wholeSnapshotLoss = "latency=50ms,loss=5%,burst=1.1"

const sourceLockstep = "Fiedler, Deterministic Lockstep (2014)"

const sourceCodersblock = "codersblock, Client-Side Prediction With Physics In Unity (2018)"

// ComparisonNames returns the names of all comparisons.
func ComparisonNames() []string {
	var names []string
	for _, c := range Comparisons {
		names = append(names, c.Name)
	}
	return names
}

// ComparisonNamed returns the comparison called name.
func ComparisonNamed(name string) (*Comparison, error) {
	for i := range Comparisons {
		if Comparisons[i].Name == name {
			return &Comparisons[i], nil
		}
	}
	return nil, &predict.UnknownNameError{Kind: "comparison", Name: name, Known: ComparisonNames()}
}
