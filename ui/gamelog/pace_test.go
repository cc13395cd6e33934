package gamelog

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestImpossibleLogs checks that a log whose lines are all good is not taken for right if its times, ticks and rate contradict
// each other, its body never appears, or its frames' ticks go back; that a good one is; and that a short one is called short.
func TestImpossibleLogs(t *testing.T) {
	edit := func(pattern string, with func(number float64) float64) func(string) string {
		p := regexp.MustCompile(pattern)
		return func(text string) string {
			return p.ReplaceAllStringFunc(text, func(s string) string {
				m := p.FindStringSubmatch(s)
				v, _ := strconv.ParseFloat(m[2], 64)
				return m[1] + strconv.FormatFloat(with(v), 'f', -1, 64)
			})
		}
	}
	for _, c := range []struct {
		name, fault, warning, note string
		seconds                    float64
		change                     func(string) string
	}{
		{"good", "", "", "", 12, func(s string) string { return s }},
		{"us in milliseconds", "want microseconds", "", "", 12, edit(`("us":)(\d+)`, func(v float64) float64 { return float64(int(v / 1000)) })},
		{"frames ahead", "9.9 s ahead of the server's", "", "", 12, edit(`("v".*"k":)([\d.]+)`, func(v float64) float64 { return v + 600 })},
		{"other numbers", "Frames claim ticks 94 to 813, and no line of the server has any of them, from tick 1000 on", "", "", 12,
			edit(`("v".*"k":)([\d.]+)`, func(v float64) float64 { return v - 900 })},
		{"later numbers", "Frames claim ticks 8994 to 9713, and no line", "", "", 12, edit(`("v".*"k":)([\d.]+)`, func(v float64) float64 { return v + 8000 })},
		{"half the rate", "last 24 s at hz 30, but their times us 12 s", "", "", 12, edit(`("hz":)(\d+)`, func(float64) float64 { return 30 })},
		{"no such body", "body 7, the player's, is never", "", "", 12, edit(`("body":)(\d+)`, func(float64) float64 { return 7 })},
		{"a tick back", "", " (1 in all).", "", 12, edit(`("us":9000000,"k":)([\d.]+)`, func(v float64) float64 { return v - 1.5 })},
		{"short", "", "", "too short: 0.2 s", 0.2, func(s string) string { return s }},
	} {
		text, _ := (&game{fps: 60, delay: 6, seconds: c.seconds, unit: 1}).logs()
		_, card, err := CheckScore([]string{"game"}, []io.Reader{strings.NewReader(c.change(text))}, func(err error) { t.Errorf("%s: %v", c.name, err) })
		if card == nil {
			card = &Card{}
		}
		if err != nil {
			card.Faults = append(card.Faults, err.Error())
		}
		for _, x := range []struct {
			kind, want string
			got        []string
		}{{"faults", c.fault, card.Faults}, {"warnings", c.warning, card.Warnings}, {"notes", c.note, card.Notes}} {
			all := fmt.Sprint(x.got)
			if x.want == "" && len(x.got) > 0 && x.kind == "faults" || !strings.Contains(all, x.want) || len(x.got) > 1 && x.kind != "notes" {
				t.Errorf("%s: %s %q, want %q", c.name, x.kind, x.got, x.want)
			}
		}
		if c.name == "good" && len(card.Warnings) > 0 {
			t.Errorf("good: warnings %q", card.Warnings)
		}
	}
}

// TestTwoLogsWithOtherNumbers checks that two sides that number their ticks differently are not taken for right, with a clock
// and without one, and that nothing is said of delays that have no value.
func TestTwoLogsWithOtherNumbers(t *testing.T) {
	client, server := (&game{fps: 60, delay: 6, seconds: 12, unit: 1, split: true}).logs()
	clocks := regexp.MustCompile(`(?m)^{"t":"c".*\n`)
	numbers := regexp.MustCompile(`("t":"s","k":)`)
	for _, text := range []string{client, clocks.ReplaceAllString(client, "")} {
		for _, digit := range []string{"", "1"} {
			files := []io.Reader{strings.NewReader(text), strings.NewReader(numbers.ReplaceAllString(server, "${1}"+digit))}
			_, card, err := CheckScore([]string{"client", "server"}, files, func(err error) { t.Error(err) })
			if err != nil || strings.Contains(fmt.Sprint(card.Faults), "no line of the server has any of them, from tick 11000 on") != (digit == "1") {
				t.Errorf("error %v, digit %q, faults %q", err, digit, card.Faults)
			}
			if text != client && strings.Contains(fmt.Sprint(card.Notes), "may be off") {
				t.Errorf("notes %q", card.Notes)
			}
		}
	}
}

// TestTimesSince1970 checks that a log has the same score, keys and network whatever time its clock counts from.
func TestTimesSince1970(t *testing.T) {
	text, _ := (&game{fps: 60, delay: 6, seconds: 12, unit: 1}).logs()
	text += `{"t":"p","us":18500000,"dir":"up","bytes":1,"delay":50000}` + "\n"
	var got [2]string
	for i, since := range []int64{0, 1_795_651_200_000_000} {
		r, err := NewReader("game", strings.NewReader(regexp.MustCompile(`"us":(\d+)`).ReplaceAllStringFunc(text, func(s string) string {
			us, _ := strconv.ParseInt(s[len(`"us":`):], 10, 64)
			return fmt.Sprintf(`"us":%d`, since+us)
		})))
		if err != nil {
			t.Fatal(err)
		}
		var x Recording
		card, err := Score(r, r, &x)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Network()
		held, _ := x.Inputs()
		got[i] = fmt.Sprint(card.Measures, card.Seconds, card.Faults, n.Up.Trace, len(held), err)
	}
	if got[0] != got[1] {
		t.Errorf("by the game's clock %s\nsince 1970        %s", got[0], got[1])
	}
	log := head
	for minute := range int64(1442) {
		log += fmt.Sprintf(`{"t":"r","us":%d}`, 1_700_000_000_000_000+minute*60_000_000) + "\n"
	}
	if list := errorsOf(t, log); len(list) != 1 || !strings.Contains(list[0].Error(), "line 1443: field us: 1700086460000000: want less than a day after") {
		t.Errorf("a log of 1441 minutes: %v", list)
	}
}
