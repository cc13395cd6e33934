//go:build !js || headless

package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// readTrace prints the packets of a session as a trace and returns its events.
func readTrace(t *testing.T, args string) []map[string]any {
	t.Helper()
	out := printed(t, append([]string{"packets", "--format", "perfetto"}, strings.Fields(args)...)...)
	var file struct {
		TraceEvents []map[string]any `json:"traceEvents"`
	}
	need(json.Unmarshal([]byte(out), &file))
	return file.TraceEvents
}

// track is a thread of a process of a trace.
type track struct{ process, thread float64 }

// span is a time in nanoseconds.
type span struct{ from, to int64 }

// checkTrace checks events against the rules of the trace event format: the fields that each phase needs, names for all
// processes and threads, times that do not go back on a thread, slices of a thread that do not overlap, and for each
// datagram one begin and one end. An arrow begins and ends in a slice, to which it is drawn.
func checkTrace(t *testing.T, events []map[string]any) {
	t.Helper()
	named, last, slices := map[track]bool{}, map[track]int64{}, map[track][]span{}
	open := map[string]map[string]any{} // by phase and id
	processes := map[float64]bool{}
	nanoseconds := func(e map[string]any, key string) int64 {
		v, ok := e[key].(float64)
		if !ok || v < 0 {
			t.Fatalf("no %s: %v", key, e)
		}
		return int64(math.Round(v * 1000))
	}
	for _, e := range events {
		pid, okP := e["pid"].(float64)
		tid, okT := e["tid"].(float64)
		name, okN := e["name"].(string)
		on, at := track{pid, tid}, nanoseconds(e, "ts")
		if !okP || !okT || !okN || name == "" {
			t.Fatalf("no pid, tid or name: %v", e)
		}
		if at < last[on] {
			t.Fatalf("%v ns after %v on the same thread: %v", at, last[on], e)
		}
		last[on] = at
		phase, id := e["ph"].(string), ""
		if phase != "M" && phase != "X" && phase != "i" {
			if id, _ = e["id"].(string); id == "" || e["cat"] == nil {
				t.Fatalf("no id or category: %v", e)
			}
		}
		switch phase {
		case "M":
			args, _ := e["args"].(map[string]any)
			if text, _ := args["name"].(string); text == "" {
				t.Fatalf("no name: %v", e)
			}
			switch name {
			case "process_name":
				processes[pid] = true
			case "thread_name":
				named[on] = true
			default:
				t.Fatalf("metadata: %v", e)
			}
			continue
		case "X":
			x := span{at, at + nanoseconds(e, "dur")}
			if list := slices[on]; x.to <= x.from || len(list) > 0 && x.from < list[len(list)-1].to {
				t.Fatalf("a slice overlaps the one before, or has no length: %v", e)
			}
			slices[on] = append(slices[on], x)
		case "i":
			if e["s"] != "t" {
				t.Fatalf("an instant without a scope: %v", e)
			}
		case "b", "s":
			if open[phase+id] != nil {
				t.Fatalf("begun twice: %v", e)
			}
			open[phase+id] = e
		case "e", "f":
			begin := open[map[string]string{"e": "b", "f": "s"}[phase]+id]
			if begin == nil || begin["cat"] != e["cat"] || begin["name"] != e["name"] || begin["pid"] != e["pid"] || begin["ended"] != nil {
				t.Fatalf("%v ends %v", e, begin)
			}
			if begin["ended"] = true; phase == "f" && (e["bp"] != "e" || begin["tid"] == e["tid"]) {
				t.Fatalf("an arrow to no slice around its end, or to its own thread: %v", e)
			}
		default:
			t.Fatalf("phase: %v", e)
		}
		if !processes[pid] || !named[on] {
			t.Fatalf("a process or thread without a name: %v", e)
		}
	}
	for _, e := range open {
		if e["ended"] == nil {
			t.Errorf("begun and not ended: %v", e)
		}
	}
	for _, e := range events {
		if e["ph"] != "s" && e["ph"] != "f" {
			continue
		}
		at, inside := nanoseconds(e, "ts"), false
		for _, x := range slices[track{e["pid"].(float64), e["tid"].(float64)}] {
			inside = inside || x.from <= at && at < x.to
		}
		if !inside {
			t.Fatalf("an arrow at no slice: %v", e)
		}
	}
}

// TestTraceFormat checks the traces of sessions with losses, corrections, replays, stalls, fragments and several clients
// against the format, and their datagrams against those that packets prints as text.
func TestTraceFormat(t *testing.T) {
	experiment.Skip(t)
	summary := regexp.MustCompile(`pane (\d) \S+, client \d (up|down): \d+ packets in (\d+) datagrams`)
	for _, args := range []string{
		"--panes rewind:redundant=off,snapshot --network wifi-bad,loss=10% --seconds 3",
		"--panes lockstep,statesync --network torture --seconds 4 --fault 1.freeze=2s@1s",
		"--panes rollback,rewind --scene two-players --tape two-players --network latency=80ms,loss=5% --seconds 3",
		"--panes snapshot,noprediction --scene katamari --tape katamari --network latency=50ms --from 1.5 --seconds 1",
	} {
		events := readTrace(t, args)
		checkTrace(t, events)
		traced, printedAs := map[string]int{}, map[string]int{}
		for _, e := range events {
			if e["ph"] == "b" {
				d, _, _ := strings.Cut(e["name"].(string), ",")
				traced[strconv.Itoa(int(e["pid"].(float64)))+d]++
			}
		}
		out := printed(t, append([]string{"packets", "--limit", "0"}, strings.Fields(args)...)...)
		for _, m := range summary.FindAllStringSubmatch(out, -1) {
			printedAs[m[1]+m[2]] += must(strconv.Atoi(m[3]))
		}
		for flow, n := range printedAs {
			if traced[flow] != n {
				t.Errorf("%s: %s has %d datagrams in the trace, %d in the text", args, flow, traced[flow], n)
			}
		}
		if len(printedAs) != 4 || len(traced) != 4 {
			t.Errorf("%s: %v and %v", args, traced, printedAs)
		}
	}
}

// TestTraceTellsWhatHappens checks losses, corrections, replays and stalls of a trace against the scores of the session.
func TestTraceTellsWhatHappens(t *testing.T) {
	experiment.Skip(t)
	const args = "--panes rewind:redundant=off,lockstep --network latency=60ms,loss=20% --seconds 6 --fault nudge=1@2s,1.freeze=1s@4s"
	r := runBench(t, append(strings.Fields(args), "--corrections")...)
	corrections, replayed, losses, stalls := map[float64]int{}, 0.0, map[float64]int{}, 0.0
	for _, e := range readTrace(t, args) {
		pid := e["pid"].(float64)
		switch e["cat"] {
		case "correction":
			corrections[pid]++
		case "replay":
			replayed += e["args"].(map[string]any)["ticks"].(float64)
		case "loss":
			losses[pid]++
		case "stall":
			stalls += e["dur"].(float64)
		}
	}
	if n := r.Panes[0].Corrections.Total; n == 0 || corrections[1] != n || corrections[2] != 0 {
		t.Errorf("%v corrections, the first pane has %d", corrections, n)
	}
	for _, m := range r.Panes[0].Score {
		if want := m.Value * 6 / 60; m.Name == "resimulated_ticks_per_minute" && math.Abs(want-replayed) > 1e-6 {
			t.Errorf("%v replayed ticks, want %v", replayed, want)
		}
	}
	for i := range r.Panes {
		n := &r.Panes[i].Traffic
		sent := float64(n.PacketsUp + n.PacketsDown)
		if got := float64(losses[float64(i+1)]); math.Abs(got-0.2*sent) > 0.06*sent {
			t.Errorf("pane %d: %v of %v datagrams are lost, want about 20 %%", i+1, got, sent)
		}
	}
	if stalls < 2*0.9e6 {
		t.Errorf("the two clients stall for %v µs, but they are frozen for a second", stalls)
	}
	for _, e := range readTrace(t, "--panes rewind --network perfect --scene plain --tape idle --seconds 2") {
		if c := e["cat"]; c == "loss" || c == "correction" || c == "replay" {
			t.Errorf("over a perfect network: %v", e)
		}
	}
}

// TestTraceOfChangingPanes checks the format of a trace whose session opens, switches and closes panes, and stands still for
// longer than events are kept to be sorted.
func TestTraceOfChangingPanes(t *testing.T) {
	experiment.Skip(t)
	tape := filepath.Join(t.TempDir(), "changes.tape")
	need(os.WriteFile(tape, []byte("ghostcube tape 2\nscene plain\nnetwork latency=33ms,loss=0.1\npane lockstep\n---\n100 W\n"+
		"! open all noprediction -\n100 WA\n! blackout all - 3s\n300 W\n! switch 1 rollback -\n100 D\n! close 1 - -\n100 S\nend 700\n"), 0o666))
	checkTrace(t, readTrace(t, "--pane 1 --tape "+tape))
	events := readTrace(t, "--tape "+tape)
	checkTrace(t, events)
	names := map[any]bool{}
	for _, e := range events {
		if e["name"] == "process_name" {
			names[e["args"].(map[string]any)["name"]] = true
		}
	}
	for _, want := range []string{"pane 1: lockstep", "pane 1: rollback", "pane 2: noprediction"} {
		if !names[want] || len(names) != 3 {
			t.Errorf("processes are %v", names)
		}
	}
}

// TestTraceOfPane checks that a trace of one pane has its number and nothing of the others.
func TestTraceOfPane(t *testing.T) {
	events := readTrace(t, "--panes rewind,snapshot --pane 2 --seconds 0.5")
	checkTrace(t, events)
	for _, e := range events {
		if e["pid"] != 2.0 {
			t.Fatalf("of another pane: %v", e)
		}
	}
	if events[0]["args"].(map[string]any)["name"] != "pane 2: snapshot" {
		t.Errorf("%v", events[0])
	}
}

// TestTraceAfterSwitch checks that the corrections and replays of a strategy are in the trace after those of another one.
func TestTraceAfterSwitch(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "switch.tape")
	const text = "ghostcube tape 2\nscene plain\nnetwork latency=33ms\npane rewind\n---\n150 W\n! switch 1 rewind:lead=3 -\n90 W\nend 240\n"
	need(os.WriteFile(tape, []byte(text), 0o666))
	after := map[any]int{}
	for _, e := range readTrace(t, "--fault nudge=1@1s,nudge=1@1.5s,nudge=1@2s,nudge=1@3.3s --tape "+tape) {
		if e["ts"].(float64) > 2.6e6 {
			after[e["cat"]]++
		}
	}
	if after["correction"] != 1 || after["replay"] != 1 {
		t.Errorf("after the switch there are %v, want the correction of one nudge and its replay", after)
	}
}
