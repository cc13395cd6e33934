package remote

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestChat says lines at a client and at the server: all hear them once and in order at 20 % loss, with their speakers. What
// is no line, or too much, is refused at the client, and dropped at the server if a client sends it nevertheless.
func TestChat(t *testing.T) {
	w := newWorld(t, "two-players", "latency=20ms,loss=20%", "noprediction")
	ann, eve := w.connect("ann"), w.connectWith(ClientConfig{Name: "eve", Watch: true})
	w.run(1200 * time.Millisecond)
	ann.News()
	eve.News()
	say := func(p *process, text string) error { return p.Say(text, w.now-p.start) }
	if err := say(ann, "one"); err != nil {
		t.Fatal(err)
	}
	if err := say(ann, strings.Repeat("x", MaxChat)); err != nil {
		t.Fatal(err)
	}
	w.run(600 * time.Millisecond)
	if err := w.server.Instruct("  say three  words "); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", strings.Repeat("x", MaxChat+1), "a\nb", "\x1b[2J", "ä"} {
		if say(ann, bad) == nil {
			t.Errorf("%q is said", bad)
		}
		ann.control.send(chatMessage, []byte(bad[:min(len(bad), 5)]))
	}
	ann.control.send(chatMessage, []byte("bell \a"))
	w.run(600 * time.Millisecond)
	want := []string{"ann: one", "ann: " + strings.Repeat("x", MaxChat), "the host: three  words", "ann: xxxxx"}
	for _, p := range []*process{ann, eve} {
		if got := p.News(); !slices.Equal(got, want) {
			t.Errorf("%s hears %q, want %q", p.config.Name, got, want)
		}
	}
	refused := 0
	for range 10 {
		if say(ann, "again") != nil {
			refused++
			ann.control.send(chatMessage, []byte("again"))
		}
	}
	if refused < 6 {
		t.Errorf("%d of 10 lines at once are refused", refused)
	}
	before := len(w.log)
	w.run(600 * time.Millisecond)
	if n := len(w.log) - before; n < 4 || n > 8 {
		t.Errorf("%d of 10 lines at once are relayed, want what the server's limit leaves", n)
	}
}

// TestNetworkOfPlayer lays conditions over the connection of one player: its round trip is longer, that of the other is not.
func TestNetworkOfPlayer(t *testing.T) {
	w := newWorld(t, "two-players", "latency=10ms", "noprediction")
	w.connect("ann")
	w.connect("bob")
	w.run(300 * time.Millisecond)
	if err := w.server.Instruct("network 2 latency=60ms,up.latency=30ms"); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		w.run(10 * time.Millisecond)
		w.server.Pump(w.now)
	}
	seats := w.server.Seats()
	if a, b := seats[0].Stats.LastRTT, seats[1].Stats.LastRTT; a > 60*time.Millisecond || b < 110*time.Millisecond || b > 160*time.Millisecond {
		t.Errorf("round trips %v and %v, want about 40 and 130 ms", a, b)
	}
	if seats[0].Conditions != "" || !strings.Contains(seats[1].Conditions, "latency=60ms") {
		t.Errorf("conditions %q and %q", seats[0].Conditions, seats[1].Conditions)
	}
}
