package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestJoined checks that a session has joined when the clients of all panes send inputs, a round trip
// after the start, and that input then has an effect at once where it is predicted.
func TestJoined(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=400ms", AtClient), "noprediction", "rewind", "historyoffset")
	labtest.Run(t, l, 40)
	if l.Joined() {
		t.Error("joined within a round trip")
	}
	labtest.Run(t, l, 40)
	if !l.Joined() {
		t.Error("not joined after a round trip and a half")
	}
	spectator := labtest.Open(t, labtest.Config(t, "plain", "latency=400ms", AtHost), "rewind")
	if labtest.Run(t, spectator, 1); !spectator.Joined() {
		t.Error("players at the host have to join")
	}
}
