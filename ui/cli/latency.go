package cli

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
)

// latencyResult is how long what the first player of a pane did took to be seen, stage
// by stage: the mean of all its inputs, in milliseconds.
type latencyResult struct {
	RTT       float64       `json:"rtt_ms"`
	Inputs    int           `json:"inputs"`
	Predicted bool          `json:"predicted"` // the own cube answers without the server's word
	Stages    []stageResult `json:"stages"`
	Sum       stageResult   `json:"sum"`
}

// stageResult is one stage. What is not measured is null.
type stageResult struct {
	Stage          string   `json:"stage"`
	SpaceEngineers float64  `json:"space_engineers"`
	Response       *float64 `json:"response"`
	Confirmed      *float64 `json:"confirmed"` // the server's, where the own cube answers sooner
}

// newLatencyResult asks a pane for it.
func newLatencyResult(p *lab.Pane) *latencyResult {
	ping := p.Clients[0].Endpoint.Stats.RTT
	article, mine := probe.SpaceEngineersLatency(ping), p.Latency.SinceStart()
	r := &latencyResult{RTT: ms(ping), Inputs: mine.Response.Inputs, Predicted: mine.Predicted}
	one := func(name string, s probe.Stage, of func(b *probe.LatencyStages) time.Duration) stageResult {
		x := stageResult{Stage: name, SpaceEngineers: ms(of(&article))}
		tell := func(b *probe.LatencyStages, alone bool) *float64 {
			between := s != probe.ClientTickStage && s != probe.ClientBufferStage && s < probe.StageCount
			if b.Inputs == 0 || s < probe.StageCount && !s.Measured() || alone && between {
				return nil
			}
			v := ms(of(b))
			return &v
		}
		x.Response, x.Confirmed = tell(&mine.Response, mine.Predicted), tell(&mine.Confirmed, false)
		return x
	}
	for s := range probe.StageCount {
		r.Stages = append(r.Stages, one(probe.StageNames[s], s, func(b *probe.LatencyStages) time.Duration { return b.Stages[s] }))
	}
	r.Sum = one("sum", probe.StageCount, (*probe.LatencyStages).Sum)
	return r
}

// ms is a time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// writeLatencyTable prints the stages of all panes beside each other, behind the article's
// at the first one's ping.
func (r *result) writeLatencyTable(out io.Writer) error {
	first := r.Panes[0].Latency
	fmt.Fprintf(out, "\nlatency of the own input in ms, mean of all inputs; the article's at a ping of %.1f\n\n", first.RTT)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, article string, f func(p *paneResult) (own, word string)) {
		fmt.Fprint(w, name, "\t", article, "\t")
		for i := range r.Panes {
			own, word := f(&r.Panes[i])
			fmt.Fprint(w, own, "\t")
			if r.Panes[i].Latency.Predicted {
				fmt.Fprint(w, word, "\t")
			}
		}
		fmt.Fprintln(w)
	}
	row("", "", func(p *paneResult) (string, string) { return p.spec, "" })
	row("", "article", func(*paneResult) (string, string) { return "own", "server's" })
	for s := range first.Stages {
		row(first.Stages[s].Stage, formatTenths(&first.Stages[s].SpaceEngineers), func(p *paneResult) (string, string) {
			x := &p.Latency.Stages[s]
			return formatTenths(x.Response), formatTenths(x.Confirmed)
		})
	}
	row("sum", formatTenths(&first.Sum.SpaceEngineers), func(p *paneResult) (string, string) {
		return formatTenths(p.Latency.Sum.Response), formatTenths(p.Latency.Sum.Confirmed)
	})
	return w.Flush()
}

// formatTenths writes a number with a digit behind the point, and what is not known as a dash.
func formatTenths(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}
