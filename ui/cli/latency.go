package cli

import (
	"fmt"
	"io"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
)

// latencyResult is the mean input latency of a pane's first player by stages, in
// milliseconds.
type latencyResult struct {
	RTT       float64       `json:"rtt_ms"`
	Inputs    int           `json:"inputs"`
	Predicted bool          `json:"predicted"` // the local player's cube responds by prediction
	Stages    []stageResult `json:"stages"`
	Sum       stageResult   `json:"sum"`
}

// stageResult is a stage. Stages that are not measured are null.
type stageResult struct {
	Stage          string   `json:"stage"`
	SpaceEngineers float64  `json:"space_engineers"`
	Response       *float64 `json:"response"`
	Confirmed      *float64 `json:"confirmed"` // until the server's state arrives, if predicted
}

// newLatencyResult returns the input latency of a pane.
func newLatencyResult(p *lab.Pane) *latencyResult {
	rtt := p.Clients[0].Endpoint.Stats.RTT
	article, measured := probe.SpaceEngineersLatency(rtt), p.Latency.SinceStart()
	r := &latencyResult{RTT: milliseconds(rtt), Inputs: measured.Response.Inputs, Predicted: measured.Predicted}
	one := func(name string, s probe.Stage, of func(b *probe.LatencyStages) time.Duration) stageResult {
		x := stageResult{Stage: name, SpaceEngineers: milliseconds(of(&article))}
		value := func(b *probe.LatencyStages, predicted bool) *float64 {
			remote := s != probe.ClientTickStage && s != probe.ClientBufferStage && s < probe.StageCount
			if b.Inputs == 0 || s < probe.StageCount && !s.Measured() || predicted && remote {
				return nil
			}
			v := milliseconds(of(b))
			return &v
		}
		x.Response, x.Confirmed = value(&measured.Response, measured.Predicted), value(&measured.Confirmed, false)
		return x
	}
	for s := range probe.StageCount {
		r.Stages = append(r.Stages, one(probe.StageNames[s], s, func(b *probe.LatencyStages) time.Duration { return b.Stages[s] }))
	}
	r.Sum = one("sum", probe.StageCount, (*probe.LatencyStages).Sum)
	return r
}

// writeLatencyTable prints the stages of all panes beside those of the Space Engineers
// article at the first pane's RTT.
func (r *result) writeLatencyTable(out io.Writer) error {
	first := r.Panes[0].Latency
	fmt.Fprintf(out, "\ninput latency in ms, mean of all inputs; Space Engineers at an RTT of %.1f\n\n", first.RTT)
	t := newTable(out)
	row := func(name, article string, f func(p *paneResult) (response, confirmed string)) {
		cells := []string{name, article}
		for i := range r.Panes {
			response, confirmed := f(&r.Panes[i])
			cells = append(cells, response)
			if r.Panes[i].Latency.Predicted {
				cells = append(cells, confirmed)
			}
		}
		t.row(cells...)
	}
	row("", "", func(p *paneResult) (string, string) { return p.Spec, "" })
	row("", "Space Engineers", func(*paneResult) (string, string) { return "response", "confirmed" })
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
