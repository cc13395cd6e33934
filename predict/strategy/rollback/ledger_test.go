package rollback

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/sim"
)

// TestLedger checks that an event is shown once, however often its tick is stepped, that one which the server moves
// is not shown again, and that a later one is.
func TestLedger(t *testing.T) {
	m := &predict.Counters{}
	var counters ledgerCounters
	counters.declare(m)
	var l ledger
	const shot = 1 << shotEvent
	for _, x := range []struct {
		tick                       sim.Tick
		player                     int
		events                     uint8
		shown, repeated, withdrawn float64
	}{
		{10, 0, shot, 1, 0, 0},
		{10, 0, shot, 1, 1, 0}, // its tick is stepped again
		{10, 1, shot, 2, 1, 0}, // another player's
		{10, 0, 0, 2, 1, 1},    // the confirmed tick does not have it
		{12, 0, shot, 2, 1, 1}, // the server has moved it here
		{13, 0, shot, 3, 1, 1}, // another shot
		{13, 0, shot | 1<<useEvent, 4, 2, 1},
		{20, 1, 0, 4, 2, 1},
		{13 + ledgerTicks, 0, shot, 5, 2, 1}, // the place of tick 13
	} {
		counters.repeated.Add(float64(l.enter(x.tick, x.player, x.events, 60, &counters)))
		a, b, c := m.Value("events_shown"), m.Value("events_repeated"), m.Value("events_withdrawn")
		if a != x.shown || b != x.repeated || c != x.withdrawn {
			t.Errorf("%+v: %v shown, %v repeated, %v withdrawn", x, a, b, c)
		}
	}
}

// TestRecentEffects checks that the effects of the last second are listed with their ages, the oldest first, and of
// more than the ledger lists the newest.
func TestRecentEffects(t *testing.T) {
	var l ledger
	for range 100 {
		if l.now++; l.now%20 == 0 {
			l.begin(int(l.now / 20 % 2))
		}
	}
	want := []predict.Effect{{Player: 1, Age: 40}, {Player: 0, Age: 20}, {Player: 1, Age: 0}}
	if got := l.appendEffects(nil, 60); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range maxRecent {
		l.begin(i)
	}
	if got := l.appendEffects(nil, 60); len(got) != maxRecent || got[0].Player != 0 || got[maxRecent-1].Player != maxRecent-1 {
		t.Errorf("%d effects, %v", len(got), got)
	}
}

// TestEventsOf checks which inputs are events: shots, and buttons of jumps and actions in the tick in which they go down.
func TestEventsOf(t *testing.T) {
	for _, x := range []struct {
		before, in sim.Input
		want       uint8
	}{
		{sim.Input{}, sim.Input{Buttons: sim.Lift | sim.Left}, 1 << jumpEvent},
		{sim.Input{Buttons: sim.Lift}, sim.Input{Buttons: sim.Lift}, 0},
		{sim.Input{Buttons: sim.Lift}, sim.Input{Buttons: sim.Use | sim.Couple}, 1<<useEvent | 1<<coupleEvent},
		{sim.Input{}, sim.Input{Shot: sim.Shot{Fired: true}}, 1 << shotEvent},
	} {
		if got := eventsOf(x.in, x.before); got != x.want {
			t.Errorf("%+v after %+v: events %b, want %b", x.in, x.before, got, x.want)
		}
	}
}

// TestShotsAreShownOnce checks that over a bad network, where ticks with shots are rolled back and late shots are
// moved, every client shows each shot once, and the server resolves each once. With effects=every-step clients show what
// is repeated, too.
func TestShotsAreShownOnce(t *testing.T) {
	experiment.Skip(t)
	r, shots, resolved := shootingRig(t, "once")
	if n := r.Counter("events_shown"); shots < 40 || n != float64(2*shots) || resolved != shots {
		t.Errorf("%d shots, two clients show %v, the server resolves %d", shots, n, resolved)
	}
	if r.Counter("events_repeated") == 0 || r.Counter("events_withdrawn") == 0 {
		t.Errorf("%v events in ticks stepped again, %v withdrawn", r.Counter("events_repeated"), r.Counter("events_withdrawn"))
	}
	every, _, _ := shootingRig(t, "every-step")
	for i := range r.c {
		once, repeated := r.c[i].ledger.begun, every.c[i].ledger.begun
		if once != shots || repeated <= once {
			t.Errorf("client %d begins %d effects of %d shots, %d in every step", i, once, shots, repeated)
		}
	}
	if every.Counter("events_repeated") != 0 ||
		every.Counter("events_shown") != r.Counter("events_shown")+r.Counter("events_repeated") {
		t.Errorf("in every step: %v shown, %v repeated", every.Counter("events_shown"), every.Counter("events_repeated"))
	}
}

// shootingRig runs two players who shoot over a bad network, and counts the shots and those that the server resolves.
func shootingRig(t *testing.T, effects string) (r *rig, shots, resolved int) {
	t.Helper()
	r = newRig(t, "two-players", "latency=60ms,jitter=40ms,loss=15%", false, "lead", "1", "effects", effects)
	r.ServerEnv.OnHit = func(*predict.HitResult) { resolved++ }
	r.input = func(player, tick int) sim.Input {
		in := scriptedInput(player, tick)
		in.Buttons &^= sim.Lift // no jumps
		if tick > 60 && tick < 1200 && (tick+17*player)%45 == 0 {
			in.Shot = sim.Shot{Fired: true, Yaw: uint16(tick)}
			shots++
		}
		return in
	}
	r.run(t, 1300)
	return r, shots, resolved
}
