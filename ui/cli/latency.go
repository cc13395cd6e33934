package cli

import (
	"fmt"
	"io"
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
	r := &latencyResult{RTT: milliseconds(ping), Inputs: mine.Response.Inputs, Predicted: mine.Predicted}
	one := func(name string, s probe.Stage, of func(b *probe.LatencyStages) time.Duration) stageResult {
		x := stageResult{Stage: name, SpaceEngineers: milliseconds(of(&article))}
		tell := func(b *probe.LatencyStages, alone bool) *float64 {
			between := s != probe.ClientTickStage && s != probe.ClientBufferStage && s < probe.StageCount
			if b.Inputs == 0 || s < probe.StageCount && !s.Measured() || alone && between {
				return nil
			}
			v := milliseconds(of(b))
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

// writeLatencyTable prints the stages of all panes beside each other, behind the article's
// at the first one's ping.
func (r *result) writeLatencyTable(out io.Writer) error {
	first := r.Panes[0].Latency
	fmt.Fprintf(out, "\nlatency of the own input in ms, mean of all inputs; the article's at a ping of %.1f\n\n", first.RTT)
	t := newTable(out)
	row := func(name, article string, f func(p *paneResult) (own, word string)) {
		cells := []string{name, article}
		for i := range r.Panes {
			own, word := f(&r.Panes[i])
			cells = append(cells, own)
			if r.Panes[i].Latency.Predicted {
				cells = append(cells, word)
			}
		}
		t.row(cells...)
	}
	row("", "", func(p *paneResult) (string, string) { return p.spec, "" })
	row("", "article", func(*paneResult) (string, string) { return "own", "server's" })
	for s := range first.Stages {
		row(first.Stages[s].Stage, orDash(&first.Stages[s].SpaceEngineers, 1), func(p *paneResult) (string, string) {
			x := &p.Latency.Stages[s]
			return orDash(x.Response, 1), orDash(x.Confirmed, 1)
		})
	}
	row("sum", orDash(&first.Sum.SpaceEngineers, 1), func(p *paneResult) (string, string) {
		return orDash(p.Latency.Sum.Response, 1), orDash(p.Latency.Sum.Confirmed, 1)
	})
	return t.close()
}
