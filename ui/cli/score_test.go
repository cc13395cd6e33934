//go:build !js || headless

package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// scoreOf returns the measures that score prints of a log, as JSON.
func scoreOf(t *testing.T, logs ...string) (values map[string]*float64, notes []string) {
	t.Helper()
	var r struct {
		Score map[string]*float64
		Notes []string
	}
	need(json.Unmarshal([]byte(printed(t, append([]string{"score", "--format", "json"}, logs...)...)), &r))
	return r.Score, r.Notes
}

// benchWithLog runs a session, writes its log, and returns the measures of bench.
func benchWithLog(t *testing.T, args string) (log string, values map[string]*float64) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "game.jsonl")
	var r struct {
		Panes []struct{ Score map[string]*float64 }
	}
	out := printed(t, append(strings.Fields("bench --format json --game-log "+log+" --panes"), strings.Fields(args)...)...)
	need(json.Unmarshal([]byte(out), &r))
	return log, r.Panes[0].Score
}

// TestScoreAgreesWithBench writes the logs of sessions of many strategies, and checks that their scores are those that the
// lab measures: times within a tick, and all others but for rounding. lockstep steps several times in some ticks, of which a
// log has the last.
func TestScoreAgreesWithBench(t *testing.T) {
	sessions := []string{
		"rewind --network wifi-bad --seconds 8",
		"snapshot --network latency=50ms,jitter=10ms,loss=5% --seconds 8",
	}
	if !experiment.Brief() {
		sessions = append(sessions,
			"noprediction --network latency=75ms,loss=5% --fault blackout=1s@4s --seconds 12",
			"rollback --network wifi-bad --seconds 12", "statesync --network wifi-bad --seconds 12",
			"historyoffset --network wifi-bad --seconds 12", "animated --network wifi-bad --seconds 12",
			"lockstep --network wifi-bad --seconds 12", "relative --network wifi-bad --seconds 12",
			"rewind --rate 30 --network latency=75ms,loss=5% --fault 1.freeze=1s@4s --seconds 12",
			"rewind --scene two-players --tape two-players --network wifi-bad --seconds 8",
			"snapshot --seat host --network wifi-bad --seconds 8",
		)
	}
	for _, args := range sessions {
		log, bench := benchWithLog(t, args)
		got, notes := scoreOf(t, log)
		notes = slices.DeleteFunc(notes, func(text string) bool { // their clocks may be set back
			return strings.HasPrefix(text, "The tick k of lines v goes back") && (strings.HasPrefix(args, "historyoffset") || strings.HasPrefix(args, "relative"))
		})
		if len(got) != 17 || len(notes) > 0 {
			t.Errorf("%s: %d measures, notes %q", args, len(got), notes)
		}
		for name, v := range got {
			want := bench[name]
			if v == nil || want == nil {
				if v != want && name != "resimulated_ticks_per_minute" { // a log without lines r says nothing of replays
					t.Errorf("%s: %s is %v, in the lab %v", args, name, v, want)
				}
				continue
			}
			tolerance := 1e-5 + 1e-4*math.Abs(*want) // positions are from another origin
			switch {
			case strings.HasSuffix(name, "_ms"):
				tolerance = 1000.0/60 + 0.1
			case strings.HasPrefix(args, "lockstep"):
				tolerance = 0.01 + 0.1*math.Abs(*want)
			case strings.HasSuffix(name, "_degrees"):
				tolerance = 1e-4 // of a quaternion that is a unit again
			}
			if math.Abs(*v-*want) > tolerance {
				t.Errorf("%s: %s is %v, in the lab %v", args, name, *v, *want)
			}
		}
	}
}

// TestScoreOfTwoLogs cuts a log in two, that of the client and that of the server, and checks that the score stays the same,
// but for what the client's clock does not tell to the tick.
func TestScoreOfTwoLogs(t *testing.T) {
	experiment.Skip(t)
	log, bench := benchWithLog(t, "rewind --network wifi-bad --seconds 8")
	text := string(must(os.ReadFile(log)))
	client := strings.Replace(strings.SplitAfterN(text, "\n", 2)[0], "both", "client", 1)
	server, second := strings.Replace(client, "client", "server", 1), 0
	for line := range strings.Lines(text) {
		var l struct {
			T  string
			US int
		}
		switch need(json.Unmarshal([]byte(line), &l)); l.T {
		case "s":
			server += line
		case "h":
		default:
			if l.T == "v" && l.US >= second*1e6 {
				client += fmt.Sprintf(`{"t":"c","us":%d,"k":%d}`+"\n", l.US, 1+60*second)
				second++
			}
			client += line
		}
	}
	a, b := filepath.Join(t.TempDir(), "client.jsonl"), filepath.Join(t.TempDir(), "server.jsonl")
	need(os.WriteFile(a, []byte(client), 0o600))
	need(os.WriteFile(b, []byte(server), 0o600))
	got, _ := scoreOf(t, a, b)
	for name, v := range got {
		want := bench[name]
		if v == nil || want == nil {
			continue
		}
		tolerance := 1e-4 + 0.01*math.Abs(*want)
		if strings.HasSuffix(name, "_delay_ms") || strings.HasSuffix(name, "_delay_mean_ms") { // a log's are between ticks
			tolerance = 1000.0 / 60
		}
		if math.Abs(*v-*want) > tolerance {
			t.Errorf("%s is %v, in the lab %v", name, *v, *want)
		}
	}
}

// TestScoreFormats checks that table, JSON and CSV have the same measures, and what a log does not tell is left empty.
func TestScoreFormats(t *testing.T) {
	log := filepath.Join(t.TempDir(), "game.jsonl")
	text := `{"t":"h","v":1,"role":"both","hz":60,"body":3,"game":"Blocks"}` + "\n"
	for k := range 300 {
		text += fmt.Sprintf(`{"t":"s","k":%d,"b":[[3,%.3f,0,0]]}`+"\n"+`{"t":"v","us":%d,"k":%d,"b":[[3,%.3f,0,0]]}`+"\n",
			k, float64(k)*0.05, k*1e6/60, k, float64(k)*0.05)
	}
	need(os.WriteFile(log, []byte(text), 0o600))
	values, notes := scoreOf(t, log)
	rows := must(csv.NewReader(strings.NewReader(printed(t, "score", log, "--format", "csv"))).ReadAll())
	if len(rows) != len(values)+1 || len(notes) != 2 {
		t.Errorf("%d rows of %d measures, notes %q", len(rows), len(values), notes)
	}
	for _, r := range rows[1:] {
		if v := values[r[0]]; (v == nil) != (r[1] == "") || v != nil && fmt.Sprint(*v) != r[1] {
			t.Errorf("%q, in JSON %v", r, v)
		}
	}
	table := printed(t, "score", log)
	for _, want := range []string{
		"Blocks, 5.0 s, 240 frames scored at 60 Hz, key presses measured: 0\n", "path error RMS, m   0.000", "up, kbit/s       -", notes[1],
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if values["path_error_max_m"] == nil || *values["path_error_max_m"] != 0 || values["key_to_screen_ms"] != nil || values["up_kbit_per_second"] != nil {
		t.Errorf("values %v", values)
	}
}

// TestScoreCheck checks that --check prints each broken line and the number of lines, and ends with exit code 1, also for a log
// that score would refuse, and that a score is refused for the first broken line.
func TestScoreCheck(t *testing.T) {
	log := filepath.Join(t.TempDir(), "game.jsonl")
	head := `{"t":"h","v":1,"role":"both","hz":60,"body":3}` + "\n"
	need(os.WriteFile(log, []byte(head+`{"t":"s","k":1,"b":[]}`+"\n"), 0o600))
	if code, out, errs := runCLI("score", log, "--check"); code != 1 || errs != "ghostcube: the log is wrong\n" ||
		!strings.HasSuffix(out, "body 3, the player's, is never in lines v and s: want it in both\n"+log+": 2 lines\n") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	const frame = `{"t":"v","us":%d,"k":%d,"b":[[3,1,0,0]]}` + "\n"
	good := head + `{"t":"s","k":2,"b":[[3,0,0,0]]}` + "\n" + fmt.Sprintf(frame, 0, 2)
	need(os.WriteFile(log, []byte(good), 0o600))
	if out := printed(t, "score", log, "--check"); out != log+": 3 lines\n" {
		t.Error(out)
	}
	need(os.WriteFile(log, []byte(good+fmt.Sprintf(frame, 17000, 1)), 0o600))
	if out := printed(t, "score", log, "--check"); !strings.HasPrefix(out, "warning: The tick k of lines v goes back, first in line 4") {
		t.Error(out)
	}
	need(os.WriteFile(log, []byte(head+"x\n"+`{"t":"s","k":1,"b":[]}`+"\n"+`{"t":"s","k":1,"b":[]}`+"\n"), 0o600))
	code, out, errs := runCLI("score", log, "--check")
	if code != 1 || strings.Count(out, "\n") != 3 || !strings.Contains(out, "line 4: field k: 1: want more than the 1 of line 3\n") ||
		errs != "ghostcube: 2 lines broken\n" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	refused(t, `game.jsonl: line 2: "x": want a JSON object`, "score", log)
	refused(t, "that is a file: ghostcube --tape "+log+" opens a game log, and ghostcube score "+log+" scores it", log)
	refused(t, "that is a file: ghostcube --tape "+log+" opens a game log, and ghostcube score "+log+" scores it", "open", log)
	refused(t, "not a tape: the first line is not \"ghostcube tape 2\"; ghostcube score and --tape read game logs", "play", log)
	refused(t, "it is a device", "score", "/dev/zero")
	refused(t, "no such file", "score", filepath.Join(t.TempDir(), "none.jsonl"))
	refused(t, "--game-log: 2 panes: want one", "bench", "--panes", "rewind,snapshot", "--game-log", log)
	refused(t, "--ticks and --game-log: want two files", "bench", "--panes", "rewind", "--ticks", log, "--game-log", log)
}

// TestPanesBesideLog writes the logs of sessions of the lab, and runs their strategies beside them, with the log's keys over
// the log's network: the same game again has the same score. The session is on the tape.
func TestPanesBesideLog(t *testing.T) {
	experiment.Skip(t)
	strategies := []string{"noprediction", "snapshot", "rollback"}
	if experiment.Brief() {
		strategies = strategies[:1]
	}
	for _, strategy := range strategies {
		log, _ := benchWithLog(t, strategy+" --network wifi-bad --seconds 8")
		file := filepath.Join(t.TempDir(), "beside.tape")
		var r struct {
			Score map[string]*float64
			Notes []string
			Panes []struct {
				Spec  string
				Score map[string]*float64
			}
		}
		need(json.Unmarshal([]byte(printed(t, "score", log, "--format", "json", "--panes", strategy+",rewind", "--save-tape", file)), &r))
		if len(r.Panes) != 2 || r.Panes[1].Spec != "rewind" || *r.Panes[1].Score["key_to_screen_ms"] != 0 ||
			!strings.Contains(r.Notes[0], "not the game's world") || !strings.Contains(r.Notes[1], "beside.tape has the strategies alone") {
			t.Fatalf("%+v", r)
		}
		for name, v := range r.Score {
			want := r.Panes[0].Score[name]
			if v == nil || want == nil {
				continue
			}
			tolerance := 1e-5 + 1e-4*math.Abs(*want)
			if strategy == "rollback" { // it steers its clock by round trips, of which the log has whole microseconds
				tolerance = 1e-3 + 0.05*math.Abs(*want)
			}
			if name == "key_to_screen_ms" || name == "display_delay_ms" { // a log's is between ticks
				tolerance = 1000.0/60 + 0.1
			}
			if math.Abs(*v-*want) > tolerance {
				t.Errorf("%s: %s is %v in the log, %v beside it", strategy, name, *v, *want)
			}
		}
		refused(t, "the command reads this file", "score", log, "--panes", "rewind", "--save-tape", log)
		if out := printed(t, "play", file, "--verify"); !strings.Contains(out, "480 ticks of 2 panes match") {
			t.Error(out)
		}
		table := printed(t, "score", log, "--panes", strategy)
		if !strings.Contains(table, "ghostcube "+strategy+"  "+strategy+"\n") {
			t.Error(table)
		}
		rows := must(csv.NewReader(strings.NewReader(printed(t, "score", log, "--panes", "rewind", "--format", "csv"))).ReadAll())
		if strings.Join(rows[0], " ") != "measure value rewind" || rows[1][2] != "0" {
			t.Error(rows)
		}
	}
}

// TestPanesNeedANetwork checks the errors of --panes.
func TestPanesNeedANetwork(t *testing.T) {
	log := filepath.Join(t.TempDir(), "game.jsonl")
	need(os.WriteFile(log, []byte(`{"t":"h","v":1,"role":"both","hz":60,"body":3}`+"\n"+`{"t":"s","k":1,"b":[[3,0,0,0]]}`+"\n"+
		`{"t":"v","us":0,"k":1,"b":[[3,0,0,0]]}`+"\n"), 0o600))
	refused(t, "--panes: the log has no delays: want field delay in lines p, or rtt in lines c", "score", log, "--panes", "rewind")
	refused(t, "wrong", "score", log, "--panes", "wrong")
	refused(t, "--save-tape needs --panes", "score", log, "--save-tape", "x.tape")
	refused(t, "--check and --panes", "score", log, "--check", "--panes", "rewind")
}
