package plan

import (
	"strings"
	"testing"
	"testing/fstest"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// goodLesson is a file of a lesson that the tests change.
const goodLesson = `title = "Title"
look = "Look. At this."
do = "Press 2."
after = "It moved."
action = "set 1 lead 9"
reach = "or more"
figures = ["corrections", "path_error_rms_m@2"]
claims = ["corrections: after < 0.5 * before", "path_error_rms_m@2: 2 > after"]
scene = "zen"
network = "latency=75ms"
tape = "circle"
seed = 7
panes = ["rewind", "lockstep"]
`

// readLesson reads a lesson from a text.
func readLesson(name, text string) (*Lesson, error) {
	b := newLibrary()
	b.LessonFiles = fstest.MapFS{"lessons/" + name: &fstest.MapFile{Data: []byte(text)}}
	list, err := b.Lessons()
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// TestLesson checks what becomes of the fields of a lesson.
func TestLesson(t *testing.T) {
	x := must(readLesson("03-good-lesson.toml", goodLesson))
	want := Action{Command: lab.Command{Verb: "set", Pane: 0, Name: "lead", Value: "9"}, Reach: OrMore}
	if x.Name != "good-lesson" || x.Action != want || x.Seconds != 8 || x.Settle != 1 || x.Settings.Seed != "7" || x.Settings.Panes != "rewind,lockstep" {
		t.Errorf("%+v", x)
	}
	if f := x.Figures[1]; f.Measure != "path_error_rms_m" || f.Pane != 1 {
		t.Errorf("%+v", f)
	}
	for i, text := range []string{"corrections: after < 0.5 * before", "path_error_rms_m@2: 2 > after"} {
		if got := x.Claims[i].String(); got != text {
			t.Errorf("claim %q is %q", text, got)
		}
	}
	rolling := strings.NewReplacer(`"set 1 lead 9"`, `"roll"`, `reach = "or more"`, "").Replace(goodLesson)
	x = must(readLesson("1-x.toml", rolling))
	if x.Action.Buttons != sim.Forward|sim.Back|sim.Left|sim.Right {
		t.Errorf("%+v", x)
	}
	m, err := newLibrary().NewLesson(x)
	if err != nil || m.Title() != "Title" || m.TapeName != "circle" || m.Config.Network.Seed != 7 || len(m.Panes) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestBadLessons checks that a bad lesson is refused with its file, its line and the reason.
func TestBadLessons(t *testing.T) {
	for change, want := range map[string]string{
		`do = "Press 2." -> does = "Press 2."`:                    `01-x.toml: line 3: no key "does" (there are title, look, do,`,
		`title = "Title" -> titel = "Title"`:                      `01-x.toml: line 1: no key "titel"`,
		`after = "It moved." -> `:                                 "01-x.toml: after: it is missing",
		`look = "Look. At this." -> look = "Look.\nThere."`:       "01-x.toml: line 2: look: it has 12 characters: want one line",
		`scene = "zen" -> scene = "zne"`:                          `01-x.toml: line 9: scene: no scene "zne"`,
		`tape = "circle" -> tape = "circel"`:                      `01-x.toml: line 11: tape: no tape "circel"`,
		`latency=75ms -> latncy=75ms`:                             `01-x.toml: line 10: network: `,
		`["rewind", "lockstep"] -> ["rewnid", "lockstep"]`:        `01-x.toml: line 13: panes: no strategy or preset "rewnid"`,
		`"corrections", -> "corections",`:                         `01-x.toml: line 7: figures: no headline "corections"`,
		`path_error_rms_m@2" -> path_error_rms_m@3"`:              "01-x.toml: line 7: figures: pane of path_error_rms_m@3",
		`"corrections: after -> "correctoins: after`:              `01-x.toml: line 8: claims: no figure "correctoins"`,
		`after < 0.5 * before -> less`:                            `01-x.toml: line 8: claims: "corrections: less": want NAME`,
		`after < 0.5 * before -> 1 < 2`:                           `01-x.toml: line 8: claims: "corrections: 1 < 2": want NAME`,
		`after < 0.5 * before -> after < 0.5 * now`:               `01-x.toml: line 8: claims: "corrections: after < 0.5 * now": want NAME`,
		`"set 1 lead 9" -> "set 1 laed 9"`:                        `01-x.toml: line 5: action: no knob "laed"`,
		`"set 1 lead 9" -> "set 1 lead 99"`:                       "01-x.toml: line 5: action: lead=99: want 0 to 60",
		`"set 1 lead 9" -> "set all lead 9"`:                      `01-x.toml: line 5: action: no knob "lead" (there are transport`,
		`"set 1 lead 9" -> "set 3 lead 9"`:                        "01-x.toml: line 5: action: there is no pane 3",
		`"set 1 lead 9" -> "jump"`:                                `01-x.toml: line 5: action: command "jump"`,
		`"set 1 lead 9" -> "restart all - -"`:                     `01-x.toml: line 5: action: no action "restart"`,
		`"set 1 lead 9" -> "set 1 smoothing none"`:                `01-x.toml: line 5: action: reach "or more" needs a number`,
		`"set 1 lead 9" -> "switch 1 snapshto -"`:                 `01-x.toml: line 5: action: reach "or more" needs a number`,
		`"or more" -> "mroe"`:                                     `01-x.toml: line 5: action: no reach "mroe"`,
		`seed = 7 -> seconds = 1`:                                 "01-x.toml: line 12: seconds=1: want 2 to 30",
		`seed = 7 -> moment = 9`:                                  "01-x.toml: line 12: moment=9: want seconds above 0, up to 8",
		`seed = 7 -> settle = 8`:                                  "01-x.toml: line 12: settle=8: want seconds from 0",
		`seed = 7 -> show = "yawn=1"`:                             `01-x.toml: line 12: show: `,
		`claims = ["corrections: after < 0.5 * before", -> #`:     "01-x.toml: claims: it is missing",
		`figures = ["corrections", "path_error_rms_m@2"] -> # no`: "01-x.toml: figures: 0 names",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		text := strings.Replace(goodLesson, from, strings.ReplaceAll(to, `\n`, "\\n"), 1)
		if text == goodLesson {
			t.Fatalf("%q changes nothing", change)
		}
		if _, err := readLesson("01-x.toml", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\n%v, want\n%s", change, err, want)
		}
	}
	for _, name := range []string{"prediction.toml", "01-Prediction.toml", "01-.toml"} {
		if _, err := readLesson(name, goodLesson); err == nil || !strings.Contains(err.Error(), "want NN-NAME.toml") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLessonNamed checks that an unknown name is answered with the known ones.
func TestLessonNamed(t *testing.T) {
	b := newLibrary()
	b.LessonFiles = assets.Lessons
	if i, err := b.LessonNamed("prediction"); err != nil || i != 1 {
		t.Errorf("%d, %v", i, err)
	}
	if _, err := b.LessonNamed("predicton"); err == nil || !strings.Contains(err.Error(), `no lesson "predicton" (there are no-prediction, prediction,`) {
		t.Error(err)
	}
}
