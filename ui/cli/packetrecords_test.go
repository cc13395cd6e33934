//go:build !js || headless

package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
)

// TestPacketsAgreeWithRecords compares the datagrams that a session records with what packets prints for the same
// session: number, order, times, sizes, sequence numbers, headers and fields, for every strategy, with loss,
// reordering, duplicates and fragments, over UDP and TCP.
func TestPacketsAgreeWithRecords(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"lockstep:transport=tcp", "rewind:messages=reliable", "statesync:authority=client"}
	for _, s := range lab.Strategies {
		specs = append(specs, s.Name)
	}
	fragments := 0
	for _, spec := range specs {
		flags := SessionFlags{Panes: spec, Scene: "katamari:cubes=60", Network: "latency=60ms,jitter=15ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms",
			Seconds: 2}
		if spec == "rewind:messages=reliable" {
			flags.Fault = "block=3@1s"
		}
		var out bytes.Buffer
		program := newProgram(testEnvironment(nil, &out, os.Stderr))
		command := packetsCommand{Format: "text", SessionFlags: flags}
		need(command.Run(program))
		session := must(program.newPlan(flags, "circle"))
		l := must(session.NewLab())
		l.TraceDatagrams(true)
		for _, e := range session.Entries(session.Ticks(2)).All() {
			need(l.Tick(e))
		}
		p := l.Panes[0]
		printed := map[link.Direction][]string{}
		text, _, _ := strings.Cut(out.String(), "\n\npane ")
		blocks := strings.Split("\n"+text, " s, pane 1 ")
		for k, block := range blocks[1:] {
			at := blocks[k][strings.LastIndex(blocks[k], "\n")+1:] // the time stands before it
			_, block, _ = strings.Cut(block, ", client 1 ")
			way, block, _ := strings.Cut(block, ": ")
			if i := strings.LastIndex(block, "\n"); i > 0 && !strings.HasPrefix(block[i+1:], " ") {
				block = block[:i] // the time of the next one
			}
			d := link.Up
			if way == "down" {
				d = link.Down
			}
			printed[d] = append(printed[d], at+" s: "+strings.TrimRight(block, "\n"))
		}
		for _, d := range []link.Direction{link.Up, link.Down} {
			f := p.Datagrams().Flow(0, d)
			n := 0
			for i := f.First(); i < f.Total(); {
				first, end := f.PacketOf(i)
				if first != i {
					t.Fatalf("%s: the packet of datagram %d begins with %d", spec, i, first)
				}
				var a trace.Packet
				complete := false
				for k := first; k < end; k++ {
					b, ok := f.AppendBytes(nil, k)
					if !ok {
						t.Fatal("no bytes")
					}
					if complete, ok = a.Add(b); !ok || a.Header.Sequence != f.At(k).Sequence {
						t.Fatalf("%s: %+v is %+v", spec, *f.At(k), a.Header)
					}
				}
				var fields []quant.Field
				if err := p.Fields(d, a.Payload, func(x quant.Field) { fields = append(fields, x) }); err != nil || !complete {
					t.Fatal(spec, err, complete)
				}
				want := fmt.Sprintf("%.3f s: %d bytes in %s;", f.At(first).SentAt.Seconds(), a.Bytes, plural(end-first, "datagram"))
				if n >= len(printed[d]) || !strings.HasPrefix(printed[d][n], want) {
					t.Fatalf("%s: packet %d is recorded with %s and printed as %.200q", spec, n, want, printed[d][min(n, len(printed[d])-1)])
				}
				lines := strings.Split(printed[d][n], "\n")[1:]
				recorded := []string{"  header: " + trace.HeaderText(&a.Header)}
				for at := 0; at < len(fields); {
					var s string
					s, at = trace.FieldText(fields, at)
					recorded = append(recorded, "  "+s)
				}
				if strings.Join(lines, "\n") != strings.Join(recorded, "\n") {
					t.Fatalf("%s: packet %d is recorded as\n%s\nand printed as\n%s", spec, n, strings.Join(recorded, "\n"), strings.Join(lines, "\n"))
				}
				if end-first > 1 {
					fragments++
				}
				n++
				i = end
			}
			if n != len(printed[d]) || n < 20 {
				t.Errorf("%s: %d packets recorded, %d printed", spec, n, len(printed[d]))
			}
		}
	}
	if fragments < 20 {
		t.Errorf("%d packets in fragments", fragments)
	}
}
