package cli

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"ghostcube/predict/lab"
)

// latencyResult is how long what the first player of a pane did took to be seen, stage
// by stage: the mean of all its inputs, in milliseconds.
type latencyResult struct {
	Ping   float64       `json:"ping_ms"`
	Inputs int           `json:"inputs"`
	Alone  bool          `json:"predicted"` // the own cube answers without the server's word
	Stages []stageResult `json:"stages"`
	Sum    stageResult   `json:"sum"`
}

// stageResult is one stage. What is not measured is null.
type stageResult struct {
	Stage   string   `json:"stage"`
	Article float64  `json:"article"`
	Own     *float64 `json:"own"`
	Word    *float64 `json:"word"` // the server's, where the own cube answers sooner
}

// latencyPane asks a pane for it.
func latencyPane(p *lab.Pane) *latencyResult {
	ping := p.Clients[0].Endpoint.Stats.RTT
	article, mine := lab.Article(ping), p.LatencyAll()
	r := &latencyResult{Ping: ms(ping), Inputs: mine.Own.Inputs, Alone: mine.Predicted}
	one := func(name string, s lab.Stage, of func(b *lab.LatencyStages) time.Duration) stageResult {
		x := stageResult{Stage: name, Article: ms(of(&article))}
		tell := func(b *lab.LatencyStages, alone bool) *float64 {
			between := s != lab.ClientTickStage && s != lab.ClientBufferStage && s < lab.StageCount
			if b.Inputs == 0 || s < lab.StageCount && !s.Measured() || alone && between {
				return nil
			}
			v := ms(of(b))
			return &v
		}
		x.Own, x.Word = tell(&mine.Own, mine.Predicted), tell(&mine.Confirmed, false)
		return x
	}
	for s := range lab.StageCount {
		r.Stages = append(r.Stages, one(lab.StageNames[s], s, func(b *lab.LatencyStages) time.Duration { return b.Stages[s] }))
	}
	r.Sum = one("sum", lab.StageCount, (*lab.LatencyStages).Sum)
	return r
}

// ms is a time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// latencyTable prints the stages of all panes beside each other, behind the article's
// at the first one's ping.
func (r *result) latencyTable(out io.Writer) error {
	first := r.Panes[0].Latency
	fmt.Fprintf(out, "\nlatency of the own input in ms, mean of all inputs; the article's at a ping of %.1f\n\n", first.Ping)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, article string, f func(p *paneResult) (own, word string)) {
		fmt.Fprint(w, name, "\t", article, "\t")
		for i := range r.Panes {
			own, word := f(&r.Panes[i])
			fmt.Fprint(w, own, "\t")
			if r.Panes[i].Latency.Alone {
				fmt.Fprint(w, word, "\t")
			}
		}
		fmt.Fprintln(w)
	}
	row("", "", func(p *paneResult) (string, string) { return p.spec, "" })
	row("", "article", func(*paneResult) (string, string) { return "own", "server's" })
	for s := range first.Stages {
		row(first.Stages[s].Stage, fixed1(&first.Stages[s].Article), func(p *paneResult) (string, string) {
			x := &p.Latency.Stages[s]
			return fixed1(x.Own), fixed1(x.Word)
		})
	}
	row("sum", fixed1(&first.Sum.Article), func(p *paneResult) (string, string) {
		return fixed1(p.Latency.Sum.Own), fixed1(p.Latency.Sum.Word)
	})
	return w.Flush()
}

// fixed1 writes a number with a digit behind the point, and what is not known as a dash.
func fixed1(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}
