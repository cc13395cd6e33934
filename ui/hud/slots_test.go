package hud

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// workedExample is the network of the comparison animated-input-slots.
const workedExample = "up.trace=us/10000:-/16667:125000/41667/58333/-/8333/108333/166670:-/9723328:41667"

// describeSlots returns the slots of a buffer as text: numbers of inputs, a dot for an empty slot, parentheses
// around the input that is kept, and a plus before one that follows a missing one.
func describeSlots(b *predict.InputBuffer) string {
	var words []string
	for _, s := range b.Slots {
		word := "."
		switch s.State {
		case predict.SlotWaiting:
			word = fmt.Sprint(s.ClientTick)
		case predict.SlotKept:
			word = fmt.Sprintf("(%d)", s.ClientTick)
		}
		if s.AfterGap {
			word = "+" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestSlotsShowWorkedExample promises that the gauge shows the article's worked example, tick by tick: the slots
// of the buffer, what each tick used and why, and the input that arrives too late.
func TestSlotsShowWorkedExample(t *testing.T) {
	specs := []string{"animated:playout=4:redundant=off", "animated:playout=4:redundant=off:keep-last=off"}
	l := stagetest.Open(t, lab.Config{Scene: "plain", Rate: 60}, workedExample, specs...)
	stagetest.Apply(t, l, stage.Show("slots", "on"))
	if text, err := os.ReadFile("../../assets/comparisons/07-space-engineers.toml"); err != nil || !strings.Contains(string(text), workedExample) {
		t.Errorf("the comparison has another network than this test (%v)", err)
	}
	names := map[predict.PlayoutResult]string{predict.PlayedNothing: "-", predict.PlayedOwn: "own", predict.PlayedMissing: "missing", predict.PlayedAgain: "again"}
	var s HUD
	var got [2][]string
	for tick := range 18 {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Right}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		for i, p := range s.panes {
			if tick < 5 {
				continue
			}
			k := &p.playouts.ticks[p.playouts.count-1]
			used := names[k.Result]
			if k.Result != predict.PlayedNothing {
				used += fmt.Sprint(" ", k.ClientTick)
			}
			if k.Late > 0 {
				used += " late"
			}
			got[i] = append(got[i], fmt.Sprintf("%d: %s | %s", tick, used, describeSlots(&p.inspection.InputBuffer)))
		}
	}
	begin := []string{
		"5: - | . . . 2", "6: - | . . 2 +5", "7: - | . 2 3 +5", "8: - | 2 3 +5 .", "9: own 2 late | 3 +5 . .",
		"10: own 3 | +5 . . .", "11: missing 3 | 5 . . .",
	}
	for i, rest := range [][]string{
		{"12: own 5 | (5) . . .", "13: again 5 | (5) 6 . .", "14: again 5 | 6 . . .", "15: own 6 | (6) . . .", "16: again 6 | (6) . . .", "17: again 6 | (6) . . ."},
		{"12: own 5 | . . . .", "13: - | . . . 6", "14: - | . . 6 .", "15: - | . 6 . .", "16: - | 6 . . .", "17: own 6 | . . . ."},
	} {
		if want := slices.Concat(begin, rest); !slices.Equal(got[i], want) {
			t.Errorf("%s:\n%s\nwant\n%s", specs[i], strings.Join(got[i], "\n"), strings.Join(want, "\n"))
		}
	}
	f := s.frame(l)
	for text, want := range map[string]int{"playout buffer, 0 waiting": 2, "too late": 2, "6": 5} {
		if n := f.count(func(it *render.Item) bool { return it.Text == text }); n != want {
			t.Errorf("%d texts %q, want %d", n, text, want)
		}
	}
}

// TestSlotsNeedBuffers promises that the caption of a strategy without any buffer of inputs or states says so.
func TestSlotsNeedBuffers(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "zen", Rate: 60, Seat: lab.AtHost}, "latency=50ms", "rewind", "noprediction", "animated")
	stagetest.Apply(t, l, stage.Show("slots", "on"))
	var s HUD
	stagetest.Roll(t, &s, l, 90)
	show := stage.SettingsOf(l)
	for i, want := range []string{"", "has no buffers", ""} {
		if text := s.panes[i].missingText(&show, &texts{}); text != want {
			t.Errorf("pane %d: %q, want %q", i, text, want)
		}
	}
	if text := s.panes[2].missingText(&stage.Settings{Coloring: stage.ByJointDepth}, &texts{}); text != "has no joint depth" {
		t.Errorf("%q", text)
	}
}

// TestBufferGauge compares the slots that are drawn of each buffer, and the texts beside them, with the inspection.
func TestBufferGauge(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "zen", Rate: 60}, "latency=50ms,jitter=20ms,loss=10%", "rewind", "statesync:jitter-buffer=6", "lockstep")
	stagetest.Show(t, l, "slots=on,graphs=off,explain=off,packet=off")
	var s HUD
	stagetest.Roll(t, &s, l, 90)
	var f Frame
	s.Compose(&f, l, Rect{W: 1920, H: 1080}, Options{}, 1)
	want, rows := 0, 0
	for _, p := range s.panes {
		for _, b := range p.inspection.Buffers {
			rows++
			want += bits.OnesCount64(b.Filled)
			if b.Count < bits.OnesCount64(b.Filled) || b.Slots > 64 {
				t.Errorf("%+v", b)
			}
		}
	}
	filled := f.count(func(it *render.Item) bool { return it.Kind == render.RectKind && it.Color == stage.WaitingColor })
	names := 0
	for k := predict.PlayoutBuffer; k <= predict.UnackedInputs; k++ {
		names += f.count(func(it *render.Item) bool { return it.Text == k.String() })
	}
	if rows < 9 || names != rows || want < 30 || filled != want {
		t.Errorf("%d buffers, %d names; %d filled slots, %d drawn", rows, names, want, filled)
	}
}
