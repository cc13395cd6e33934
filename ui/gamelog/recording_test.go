package gamelog

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/sim"
)

// recordingOf returns the recording of a log with these lines of a client.
func recordingOf(t *testing.T, lines string) *Recording {
	t.Helper()
	text := head + `{"t":"s","k":1,"b":[[1,0,0,0]]}` + "\n" + `{"t":"v","us":1000000,"k":1,"b":[[1,0,0,0]]}` + "\n" + lines
	r, err := NewReader("log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	x := &Recording{}
	if _, err := Score(r, r, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestRecordingOfKeys checks that keys are held in the ticks in which the log has them, counted from its first line.
func TestRecordingOfKeys(t *testing.T) {
	x := recordingOf(t, `{"t":"i","us":1050000,"id":3,"keys":"WD"}
{"t":"i","us":1100000,"id":6,"keys":""}
{"t":"v","us":1150000,"k":9,"b":[]}
`)
	held, more := x.Inputs()
	both := sim.Forward | sim.Right
	if want := []sim.Buttons{0, 0, 0, both, both, both, 0, 0, 0, 0}; fmt.Sprint(held) != fmt.Sprint(want) || more {
		t.Errorf("keys %v, want %v, more %v", held, want, more)
	}
}

// TestRecordingOfNetwork checks what becomes of a log's datagrams: each direction has its delays and losses, the one that has
// none is as the other, and without delays half the round trip counts.
func TestRecordingOfNetwork(t *testing.T) {
	const up, down = "us/100000:50000/60000/-", "us/100000:20000/-/30000"
	upLines := `{"t":"p","us":1000000,"dir":"up","bytes":1,"delay":50000}
{"t":"p","us":1100000,"dir":"up","bytes":1,"delay":60000}
{"t":"p","us":1200000,"dir":"up","bytes":1,"lost":true}
`
	downLines := `{"t":"p","us":1000000,"dir":"down","bytes":1,"delay":20000}
{"t":"p","us":1100000,"dir":"down","bytes":1,"lost":true}
{"t":"p","us":1200000,"dir":"down","bytes":1,"delay":30000}
`
	for _, c := range []struct{ lines, up, down string }{
		{upLines + downLines, up, down}, {upLines, up, up}, {downLines, down, down},
		{`{"t":"c","us":1000000,"k":1,"rtt":90000}` + "\n" + `{"t":"c","us":1500000,"k":31,"rtt":110000}` + "\n",
			"us/500000:45000/55000", "us/500000:45000/55000"},
		{`{"t":"c","us":1000000,"k":1,"rtt":90000}
{"t":"p","us":1000000,"dir":"up","bytes":1}
{"t":"p","us":1010000,"dir":"up","bytes":1,"lost":true}
`, "us/10000:45000/-", "us/10000:45000/-"},
	} {
		n, err := recordingOf(t, c.lines).Network()
		if err != nil || n.Up.Trace.String() != c.up || n.Down.Trace.String() != c.down {
			t.Errorf("%s: up %v, down %v, error %v", c.lines, n.Up.Trace, n.Down.Trace, err)
		}
	}
	_, err := recordingOf(t, `{"t":"p","us":1000000,"dir":"up","bytes":1}`+"\n").Network()
	if err == nil || !strings.Contains(err.Error(), "the log has no delays") {
		t.Errorf("error %v", err)
	}
}

// TestRecordingIsBounded checks that a long log is recorded in part, and that the part fits into a tape.
func TestRecordingIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `{"t":"p","us":%d,"dir":"up","bytes":1,"delay":%d}`+"\n", 1_000_000+i*16_667-i%2, 100_000+i*7919%50_000)
	}
	x := recordingOf(t, b.String())
	held, more := x.Inputs()
	n, err := x.Network()
	if err != nil || !more || n.Up.Trace.Samples() != maxRecordedSamples || len(held) < 1990 || len(held) > 2010 {
		t.Errorf("%d ticks, more %v, error %v", len(held), more, err)
	}
}

// TestRecordingOfEarlyDatagram promises a trace in the order of time also where other threads have written datagrams from before
// the log's first line.
func TestRecordingOfEarlyDatagram(t *testing.T) {
	n, err := recordingOf(t, `{"t":"p","us":980000,"dir":"up","bytes":1,"delay":50000}
{"t":"p","us":990000,"dir":"up","bytes":1,"delay":60000}
{"t":"p","us":1100000,"dir":"up","bytes":1,"delay":70000}
`).Network()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.Up.Trace.String(), "us/100000:60000/70000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
