package tour

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

func library() *plan.Library {
	return &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons}
}

// startLesson returns the plan of a lesson.
func startLesson(t *testing.T, x *plan.Lesson) *plan.Plan {
	t.Helper()
	m, err := library().NewLesson(x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func lessons(t *testing.T) []plan.Lesson {
	t.Helper()
	list, err := library().Lessons()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 16 {
		t.Fatalf("%d lessons", len(list))
	}
	return list
}

// TestLessonsAreTrue plays every lesson, or a quarter of them outside of the checks: its action is not there
// at the start, is recognised, and has the effects that the lesson claims. The claims also hold against a
// session in which nobody acts, measured at the same time, so they are effects of the action and not of what
// happens later in the session.
func TestLessonsAreTrue(t *testing.T) {
	list := lessons(t)
	for i := range list {
		x := &list[i]
		if experiment.Brief() && i%16 != 3 { // the page of the tour plays others
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			r, err := Play(startLesson(t, x), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Phase != Done || r.BeforeSeconds != x.Seconds || r.AfterSeconds != x.Seconds {
				t.Fatalf("phase %d, %v s before, %v s after, want %v of both", r.Phase, r.BeforeSeconds, r.AfterSeconds, x.Seconds)
			}
			control, err := PlayControl(startLesson(t, x))
			if err != nil {
				t.Fatal(err)
			}
			for _, claim := range FalseClaims(x, r.Before, r.After) {
				t.Errorf("%s: false: %s", x.Name, claim)
			}
			for _, claim := range FalseClaims(x, control.After, r.After) {
				t.Errorf("%s: false without the action as before: %s", x.Name, claim)
			}
			for k, f := range x.Figures {
				if !r.After[k].OK {
					t.Errorf("%s: %s is not known after the action", x.Name, f.Name)
				}
			}
		})
	}
}

// TestFalseLessonFails reverses the claims of a lesson, and takes away the evidence for them: all are false then.
func TestFalseLessonFails(t *testing.T) {
	list := lessons(t)
	x := list[slices.IndexFunc(list, func(x plan.Lesson) bool { return x.Name == "prediction" })]
	r, err := Play(startLesson(t, &x), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Claims {
		x.Claims[i].Less = !x.Claims[i].Less
	}
	if got := FalseClaims(&x, r.Before, r.After); len(got) != len(x.Claims) {
		t.Errorf("%d of %d reversed claims are false: %v", len(got), len(x.Claims), got)
	}
	unknown := []score.Measure{{}, {}, {}, {}}
	if got := FalseClaims(&x, unknown, unknown); len(got) != len(x.Claims) {
		t.Errorf("%d of %d claims about unknown figures are false", len(got), len(x.Claims))
	}
}

// TestActionsByAnyMeans checks that actions are recognised by their effect: a knob beyond the value, a strategy with
// further knobs, a profile with the condition, a fault on another axis; and that other commands are no actions.
func TestActionsByAnyMeans(t *testing.T) {
	set := plan.Action{Command: lab.Command{Verb: "set", Pane: 0, Name: "snapshot-every", Value: "6"}, Reach: plan.OrMore}
	change := plan.Action{Command: lab.Command{Verb: "switch", Pane: 0, Name: "rewind"}}
	latency := plan.Action{Command: lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "75ms"}, Reach: plan.OrMore}
	nudge := plan.Action{Command: lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}
	roll := plan.Action{Buttons: sim.Forward | sim.Left}
	shoot := plan.Action{Shot: true}
	for _, c := range []struct {
		action  plan.Action
		command string
		input   sim.Input
		want    bool
	}{
		{set, "set 1 snapshot-every 6", sim.Input{}, true},
		{set, "set all snapshot-every 9", sim.Input{}, true},
		{set, "set 1 snapshot-every 5", sim.Input{}, false},
		{set, "switch 1 rewind:snapshot-every=8 -", sim.Input{}, true},
		{set, "switch 1 lockstep -", sim.Input{}, false},
		{change, "switch 1 rewind:smoothing=none -", sim.Input{}, true},
		{change, "switch 1 snapshot -", sim.Input{}, false},
		{latency, "network all - csp-75ms", sim.Input{}, true},
		{latency, "condition all latency 80ms", sim.Input{}, true},
		{latency, "condition all up.latency 80ms", sim.Input{}, false},
		{latency, "condition all loss 10%", sim.Input{}, false},
		{nudge, "nudge 1 y 0.5", sim.Input{}, true},
		{nudge, "blackout all - 1s", sim.Input{}, false},
		{roll, "restart all - -", sim.Input{Buttons: sim.Left}, true},
		{roll, "restart all - -", sim.Input{Buttons: sim.Lift}, false},
		{shoot, "restart all - -", sim.Input{Shot: sim.Shot{Fired: true}}, true},
		{shoot, "restart all - -", sim.Input{Buttons: sim.Left}, false},
	} {
		l := lab.New(lab.Config{Scene: "plain", Rate: 60})
		if _, err := l.Open("noprediction"); err != nil {
			t.Fatal(err)
		}
		command, err := lab.ParseCommand(c.command)
		if err != nil {
			t.Fatal(err)
		}
		e := lab.Entry{Inputs: []sim.Input{c.input}, Commands: []lab.Command{command}}
		if Acted(&c.action, l, lab.Entry{}) {
			t.Errorf("%+v: has happened at the start", c.action)
		}
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		if got := Acted(&c.action, l, e); got != c.want {
			t.Errorf("%+v by %q, %+v: %v", c.action, c.command, c.input, got)
		}
	}
}

// TestJumpMeasuresAgain checks that a lesson goes on in another lab, as after a jump to another moment of the session,
// and measures again from there.
func TestJumpMeasuresAgain(t *testing.T) {
	list := lessons(t)
	m := startLesson(t, &list[1])
	l, err := m.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	r := Start(&list[1], l)
	tick := func(l *lab.Lab) {
		e := m.Entry(int(l.Ticks()))
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		r.Tick(l, e)
	}
	for range 300 {
		tick(l)
	}
	if r.BeforeSeconds != 5 || !r.Before[0].OK {
		t.Fatalf("%v s, %+v", r.BeforeSeconds, r.Before[0])
	}
	l = l.Fork()
	for range 121 {
		tick(l)
	}
	if r.BeforeSeconds != 2 || r.Phase != Before || !r.Before[0].OK {
		t.Errorf("after a jump: %v s, %+v", r.BeforeSeconds, r.Before[0])
	}
}

// TestLessonWords checks that the texts of all lessons are sentences, and that no two have one title.
func TestLessonWords(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z].*[.]$`)
	titles := map[string]bool{}
	for _, x := range lessons(t) {
		for _, text := range []string{x.Look, x.Do, x.After} {
			if !sentence.MatchString(text) || strings.Contains(text, "  ") {
				t.Errorf("%s: %q is no sentence", x.Name, text)
			}
		}
		if titles[x.Title] {
			t.Errorf("%s: %q is the title of two lessons", x.Name, x.Title)
		}
		titles[x.Title] = true
	}
}
