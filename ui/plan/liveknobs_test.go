package plan

import (
	"fmt"
	"strings"
	"testing"
)

// TestLiveKnobs promises that a link's names find conditions and knobs, of all panes that have them or of one, and that a wrong one is
// named with the nearest, without the loss of the others.
func TestLiveKnobs(t *testing.T) {
	l := must(must(newLibrary().New(Settings{Panes: "rewind,lockstep,rewind"}, Settings{}, "")).NewLab())
	for names, want := range map[string]string{
		"":                           "[] []",
		"latency":                    "[{latency latency [] false}] []",
		"smooth-factor,jitter":       "[{smooth-factor smooth-factor [0 2] false} {jitter jitter [] false}] []",
		"3.smooth-factor,2.playout":  "[{pane 3: smooth-factor smooth-factor [2] false} {pane 2: playout playout [1] false}] []",
		"latncy,loss":                "[{loss loss [] false}] [knobs=latncy: no knob \"latncy\" (see list knobs); did you mean latency?]",
		"2.smooth-factor":            "[] [knobs=2.smooth-factor: no knob \"smooth-factor\" (see list knobs)]",
		"1.latency":                  "[] [knobs=1.latency: no knob \"latency\" (see list knobs)",
		"4.lead":                     "[] [knobs=4.lead: there is no pane \"4\": want 1 to 3, a period and a knob]",
		"x.lead":                     "[] [knobs=x.lead: there is no pane \"x\"",
		"show.packet,show.lanes":     "[{packet packet [] true} {lanes lanes [] true}] []",
		"show.pakcet":                "[] [knobs=show.pakcet: no display setting \"pakcet\" (there are split, ",
		"show.speed":                 "[] [knobs=show.speed: no display setting \"speed\"",
		"loss,":                      "[{loss loss [] false}] [knobs=: no knob \"\"",
		"latency,jitter,loss,smooth": "[{latency latency [] false} {jitter jitter [] false} {loss loss [] false}] [knobs=latency,jitter,loss,smooth: want at most 3]",
	} {
		list, wrong := LiveKnobs(names, l)
		var texts []string
		for _, err := range wrong {
			texts = append(texts, ErrorText(err))
		}
		if got := fmt.Sprint(list, " ", texts); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", names, got, want)
		}
	}
}
