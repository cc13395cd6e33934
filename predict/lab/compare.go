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
	Weather    string
	Rate       int
	Seat       Seat
	Panes      []string
	FaultEvery int // ticks from one forced fault to the next; 0: none
}

// Comparisons are all comparisons, in the order in which a list shows them.
var Comparisons = []Comparison{
	{
		Name: "csp-clean", Doc: "75 ms each way, nothing lost: the own cube answers at once, the server's follows",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-75ms", Rate: 64,
		Panes: []string{"rewind"},
	},
	{
		Name: "csp-divergence", Doc: "no loss, but physics that is not quite the same, and nobody corrects: the cubes part",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-75ms", Rate: 64,
		Panes: []string{"rewind:physics=reordered:corrections=off"},
	},
	{
		Name: "csp-corrections", Doc: "physics not quite the same, without and with corrections: rewind and replay keep the cubes together, with jerks",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-75ms", Rate: 64,
		Panes: []string{"rewind:physics=reordered:corrections=off", "rewind:physics=reordered:smoothing=none"},
	},
	{
		Name: "csp-redundancy", Doc: "a quarter of all packets lost, before and after inputs are sent again and again",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-25-loss", Rate: 64,
		Panes: []string{"rewind:redundant=off:smoothing=none", "rewind:redundant=on:smoothing=none"},
	},
	{
		Name: "csp-snapshot-rates", Doc: "a snapshot 64, 16 and 2 times a second: the rarer, the larger each correction",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-75ms", Rate: 64,
		Panes: []string{
			"rewind:physics=reordered:smoothing=none:snapshot-every=1",
			"rewind:physics=reordered:smoothing=none:snapshot-every=4",
			"rewind:physics=reordered:smoothing=none:snapshot-every=32",
		},
	},
	{
		Name: "csp-smoothing", Doc: "250 ms each way, a tenth lost, the server's cube pushed aside every 5 s: without smoothing and with it",
		Source: csp, Tape: "circle", Scene: "zen", Weather: "csp-250ms-10", Rate: 64, FaultEvery: 320,
		Panes: []string{"rewind:smoothing=none", "rewind:smoothing=single"},
	},
	{
		Name: "prediction", Doc: "the same keys over the same link, without prediction and with it",
		Source: "", Tape: "circle", Scene: "zen", Weather: "csp-75ms", Rate: 60,
		Panes: []string{"authority", "rewind"},
	},
}

const csp = "codersblock, Client-Side Prediction With Physics In Unity (2018)"

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
	return nil, &predict.Unknown{Kind: "comparison", Name: name, Known: ComparisonNames()}
}
