package claim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// table returns the figures of sessions: figure a of pane 1 is the first list, b the second.
func table(lists ...[]float64) func(int, Figure) (float64, bool) {
	return func(session int, f Figure) (float64, bool) {
		v := lists[f.Name[0]-'a'][session]
		return v, !math.IsNaN(v)
	}
}

func rule(t *testing.T, direction, figure string) (r Rule) {
	t.Helper()
	for _, x := range []struct {
		text string
		list *[]Condition
	}{{direction, &r.Direction}, {figure, &r.Figure}} {
		if x.text == "" {
			continue
		}
		for text := range strings.SplitSeq(x.text, ";") {
			c, err := ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			*x.list = append(*x.list, c)
		}
	}
	return r
}

// TestVerdicts judges rules on the figures of three sessions. Figure a is about 2 with an interval from 1.4 to 2.6,
// b is a plus 3 in each session, c about as large as a but not paired with it, and d lacks a value.
func TestVerdicts(t *testing.T) {
	values := table([]float64{1.8, 2, 2.2}, []float64{4.8, 5, 5.2}, []float64{2.6, 1.8, 2.2}, []float64{1, math.NaN(), 1}, []float64{7, 7, 7})
	for _, x := range []struct {
		direction, figure string
		want              Verdict
	}{
		{"1.a < 1.b", "", Holds},
		{"1.a > 1.b", "", Fails},
		{"1.a < 1.c", "", Undecided}, // 0.2 more, which the interval does not exclude from being less
		{"1.c < 1.a", "", Undecided},
		{"1.a < 1.c", "1.e < 7", Undecided},
		{"1.a < 1.c;1.a > 1.b", "", Fails},
		{"1.a < 1.b < 1.e", "", Holds},
		{"1.a < 1.b;1.e < 1.b", "", Fails},
		{"1.a < 1.b", "1.a in 1.4..2.6", Holds},
		{"1.a < 1.b", "1.a in 1.6..2.6", Undecided}, // the mean is inside, some of the interval is not
		{"1.a < 1.b", "1.a in 1.6..2.6;1.e < 7", Differs},
		{"1.a < 1.b", "1.a in 2.4..3", Undecided},
		{"1.a < 1.b", "1.a in 2.5..3", Differs},
		{"1.a < 1.b", "1.a in 0..1.4", Differs},
		{"1.a > 1.b", "1.a in 1..3", Fails},
		{"", "1.a in 1..3", Holds},
		{"", "1.a in 2.1..3", Undecided},
		{"", "1.a in 2.6..3", Fails},
		{"1.b - 1.a = 3", "", Holds},
		{"1.c - 1.a = 0.2", "", Fails}, // on average it is
		{"1.e = 7", "", Holds},
		{"1.e <= 7", "1.e >= 7", Holds},
		{"1.e < 7", "", Fails},
		{"1.a <= 1.c", "", Undecided},
		{"1.d > 0", "", Undecided},             // one session has no value,
		{"1.a / (1.e - 7) > 0", "", Undecided}, // the ratio has no value
		{"1.b > 2*1.a", "", Holds},             // 0.8 to 1.2 more
		{"1.b > 2.4*1.a", "", Undecided},       // 0.2, between -0.5 and 0.9
		{"2 * (1.a + 1) < 6.9", "", Undecided}, // 6 ±1
		{"2 * 1.a + 1 < 6.9", "", Holds},
	} {
		r := rule(t, x.direction, x.figure)
		got, outcomes := r.Judge(3, values)
		if got != x.want {
			t.Errorf("%s; %s: %v, want %v: %+v", x.direction, x.figure, got, x.want, outcomes)
		}
	}
	r := rule(t, "1.d > 0", "")
	if v, o := r.Judge(3, values); v != Undecided || o[0].Missing != 1 || o[0].Needed != 0 {
		t.Errorf("%v, %+v", v, o)
	}
	r = rule(t, "1.a < 1.b", "")
	if v, _ := r.Judge(0, values); v != Undecided {
		t.Errorf("no sessions: %v", v)
	}
	_, o := r.Judge(3, values)
	if d := o[0].Differences[0]; len(o[0].Operands) != 2 || math.Abs(d.Mean-3) > 1e-9 || d.Half() > 1e-9 || o[0].Operands[1].Text != "1.b" {
		t.Errorf("%+v: the difference of paired sessions is 3", o)
	}
}

// TestFigures checks which figures a rule reads.
func TestFigures(t *testing.T) {
	r := rule(t, "1.a < 2.b + 3*12.c_d", "bits in 1..2")
	got := r.Figures()
	want := []Figure{{0, "a"}, {1, "b"}, {11, "c_d"}, {-1, "bits"}}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatal(got)
		}
	}
}

// TestBadConditions checks that mistakes in a condition are refused.
func TestBadConditions(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "want a number",
		"1.a":                                "between them",
		"1 < 2":                              "nothing in it is measured",
		"1.a <":                              "want a number",
		"1.a < 2.b 3":                        `at "3"`,
		"1.a in 3":                           "LOW..HIGH",
		"1.a in 3..1":                        "LOW..HIGH",
		"1.a in 1..inf":                      "LOW..HIGH",
		"1.a < 2 in 1..3":                    "in LOW..HIGH",
		"0.a < 1":                            `at "0.a`,
		"(1.a < 1":                           `at ""`,
		"1.a ! 3":                            `at "! 3"`,
		"99999999999999999999.a < 1":         "want a number",
		strings.Repeat("(", 100) + "1.a < 1": "want a number",
	} {
		if _, err := ParseCondition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestNeeded checks that an open condition says how many sessions would decide it: with a difference of 0.2 and a standard
// deviation of 0.53 Student's interval is short enough from 30 on.
func TestNeeded(t *testing.T) {
	values := table([]float64{1.8, 2, 2.2}, nil, []float64{2.6, 1.8, 2.2}, nil, []float64{7, 7, 7})
	for text, want := range map[string]int{"1.a < 1.c": 30, "1.a in 1.6..2.6": 4, "1.a in 1..3": 0, "1.a > 1.e": 0, "1.a in 2..3": 100_000} {
		r := rule(t, text, "")
		if _, o := r.Judge(3, values); o[0].Needed != want {
			t.Errorf("%s: %d sessions, want %d", text, o[0].Needed, want)
		}
	}
}

// TestInWords checks that figures, and nothing else, become words.
func TestInWords(t *testing.T) {
	got := InWords("0.01*2.down_kbit < (bytes + 28)/1e3", func(f Figure) string { return fmt.Sprint("<", f.Pane, " ", f.Name, ">") })
	if want := "0.01 × <1 down_kbit> < (<-1 bytes> + 28)/1e3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
