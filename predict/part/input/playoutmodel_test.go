package input

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/sim"

	"pgregory.net/rapid"
)

// placeLine is the server's buffer as the talk draws it: a line of places, some of them empty. Each
// tick takes the first.
type placeLine struct {
	settings PlayoutSettings
	places   []place
	last     sim.Tick // used last; 0: none
	nextTick sim.Tick
	repeats  int
	received map[sim.Tick]bool
	skipped  int
	late     int
	usedOwn  bool // the last tick used an input of its own
	calm     int  // ticks until one is drained
	long     int  // ticks in a row in which too many wait
	starved  int  // ticks without an input before
}

// place is one place of the line.
type place struct {
	tick sim.Tick // 0: empty
	used bool     // stays only to be repeated
}

// pop takes the first place and returns the tick of the input that is used, or 0.
func (l *placeLine) pop() (used sim.Tick, source Source) {
	used, source = l.take()
	if l.usedOwn = source == SourceReceived; source == SourceRepeated {
		l.starved++
	}
	return used, source
}

func (l *placeLine) take() (used sim.Tick, source Source) {
	if len(l.places) == 0 || l.places[0].tick == 0 {
		l.places = l.places[min(1, len(l.places)):]
		if l.last == 0 {
			return 0, SourceNone
		}
		return 0, SourceRepeated
	}
	first := l.places[0]
	another := len(l.places) > 1 && l.places[1].tick != 0
	switch {
	case first.used:
		if another {
			l.places = l.places[1:]
		}
		if l.repeats++; l.repeats > l.settings.Repeat.Ticks() {
			return 0, SourceRepeated
		}
		return l.last, SourceRepeated
	case l.last != 0 && first.tick > l.nextTick && int(first.tick-l.nextTick) <= l.settings.Repeat.Ticks():
		l.nextTick++
		return l.last, SourceFilled
	}
	l.last, l.nextTick, l.repeats = first.tick, first.tick+1, 0
	if l.settings.KeepLast && !another {
		l.places[0].used = true
	} else {
		l.places = l.places[1:]
	}
	return l.last, SourceReceived
}

// push inserts an input.
func (l *placeLine) push(t sim.Tick) {
	if l.received[t] {
		return
	}
	l.received[t] = true
	if l.last != 0 && t < l.nextTick {
		l.late++
		return
	}
	i := slices.IndexFunc(l.places, func(p place) bool { return p.tick > t })
	if i < 0 {
		for i = len(l.places); i > 0 && l.places[i-1].tick == 0; i-- {
		}
		if i == 0 { // the row is empty
			for i = l.settings.DelayTicks - 1; len(l.places) < i; {
				l.places = append(l.places, place{})
			}
		}
	}
	l.places = slices.Insert(l.places, i, place{tick: t})
	l.shorten()
}

// shorten removes empty places, those at the end first, while the line is too long.
func (l *placeLine) shorten() {
	for n := len(l.places); n > l.settings.DelayTicks && l.places[n-1].tick == 0; n-- {
		l.places = l.places[:n-1]
	}
	for len(l.places) > l.settings.DelayTicks && l.places[0].tick == 0 {
		l.places = l.places[1:]
	}
}

// trim ends a tick.
func (l *placeLine) trim() {
	for len(l.places) < l.settings.DelayTicks {
		l.places = append(l.places, place{})
	}
	l.shorten()
	waiting := 0
	for _, p := range l.places {
		if p.tick != 0 && !p.used {
			waiting++
		}
	}
	switch limit := l.settings.DelayTicks + l.settings.Slack; {
	case waiting <= limit:
		if l.long = 0; l.usedOwn {
			l.starved = 0
		}
	case l.last != 0 && l.starved > l.settings.Slack:
		waiting = l.skip(waiting, max(waiting-l.starved, l.settings.DelayTicks))
		l.starved = 0
	default:
		if l.long++; l.last == 0 || l.long >= testRate || waiting > limit+testRate {
			waiting = l.skip(waiting, l.settings.DelayTicks)
			l.long = 0
		}
	}
	if l.calm++; !l.usedOwn || waiting <= l.settings.DelayTicks+1 {
		l.calm = 0
	}
	if drain := l.settings.DrainAfter; drain > 0 && float64(l.calm) >= drain*testRate/1000 {
		l.skip(waiting, waiting-1)
		l.calm = 0
	}
}

// skip removes the first inputs of those that wait until only some are left.
func (l *placeLine) skip(waiting, left int) int {
	for ; waiting > left; l.places = l.places[1:] {
		if p := l.places[0]; p.tick != 0 && !p.used {
			l.skipped++
			waiting--
		}
	}
	l.nextTick = l.places[0].tick
	return waiting
}

// layout draws the line.
func (l *placeLine) layout() string {
	var s []string
	for _, p := range l.places {
		switch {
		case p.tick == 0:
			s = append(s, ".")
		case p.used:
			s = append(s, fmt.Sprintf("(%d)", p.tick))
		default:
			s = append(s, fmt.Sprint(p.tick))
		}
	}
	for len(s) < l.settings.DelayTicks { // after inputs were skipped
		s = append(s, ".")
	}
	return strings.Join(s, " ")
}

// TestPlayoutMatchesPlaces compares a playout buffer with the talk's line of places under any
// arrivals and changing settings: the used input, its source, late and skipped inputs, and the line
// are the same in every tick.
func TestPlayoutMatchesPlaces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTestBuffer(t)
		l := &placeLine{received: map[sim.Tick]bool{}}
		base := rapid.IntRange(10, 100).Draw(rt, "base")
		for now := range rapid.IntRange(1, 80).Draw(rt, "ticks") {
			if now == 0 || rapid.IntRange(0, 20).Draw(rt, "change") == 0 {
				b.settings = PlayoutSettings{
					DelayTicks: rapid.IntRange(1, 8).Draw(rt, "delay"), KeepLast: rapid.Bool().Draw(rt, "keep"),
					Repeat: repeatTicks(rapid.IntRange(0, 6).Draw(rt, "repeats")), Slack: rapid.IntRange(0, 8).Draw(rt, "slack"),
					DrainAfter: float64(rapid.IntRange(0, 20).Draw(rt, "drain")) * 1000 / testRate,
				}
				l.settings = b.settings
			}
			used, source := l.pop()
			var arrivals []sim.Tick
			for range rapid.IntRange(0, 3).Draw(rt, "arrivals") {
				tick := base + now + rapid.IntRange(-8, 3).Draw(rt, "tick")
				if rapid.IntRange(0, 30).Draw(rt, "jump") == 0 {
					tick += rapid.IntRange(-9, 60).Draw(rt, "by")
				}
				arrivals = append(arrivals, sim.Tick(max(tick, 1)))
				l.push(arrivals[len(arrivals)-1])
			}
			want := "-"
			if used != 0 {
				want = fmt.Sprint(uint8(used))
			}
			got := b.tick(arrivals...)
			l.trim()
			if got != want || b.LastConsumed().Source != source {
				rt.Fatalf("tick %d uses %s (%d), want %s (%d)", now, got, b.LastConsumed().Source, want, source)
			}
			if b.layout() != l.layout() {
				rt.Fatalf("after tick %d: %q, want %q", now, b.layout(), l.layout())
			}
			m := b.env.Counters
			if m.Value("late_inputs") != float64(l.late) || m.Value("skipped_inputs") != float64(l.skipped) {
				rt.Fatalf("after tick %d: %v late and %v skipped, want %d and %d", now, m.Value("late_inputs"), m.Value("skipped_inputs"), l.late, l.skipped)
			}
		}
	})
}

// TestPlayoutUsesInputsOnTime checks that each input is used the delay after its own time, counted
// from the arrival of the first input, in whatever order the inputs arrive: if none is lost, none
// overtakes the first, and each arrives before the one before it is used.
func TestPlayoutUsesInputsOnTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTestBuffer(t)
		b.settings = PlayoutSettings{DelayTicks: rapid.IntRange(2, 12).Draw(rt, "delay"), Repeat: repeatTicks(rapid.IntRange(0, 20).Draw(rt, "repeats")),
			KeepLast: rapid.Bool().Draw(rt, "keep"), Slack: 64}
		delay := b.settings.DelayTicks
		base := rapid.IntRange(1, 1<<20).Draw(rt, "base")
		arrivals := map[int][]sim.Tick{0: {sim.Tick(base)}}
		for i := 1; i < 60; i++ {
			at := i + rapid.IntRange(0, delay-2).Draw(rt, "takes")
			arrivals[at] = append(arrivals[at], sim.Tick(base+i))
		}
		for now := range 60 + delay {
			b.tick(arrivals[now]...)
			got := b.LastConsumed()
			if n := now - delay; n >= 0 && got != (Consumed{SourceReceived, sim.Tick(base + n)}) || n < 0 && got.Source != SourceNone {
				rt.Fatalf("tick %d uses %v, want %d", now, got, base+n)
			}
		}
	})
}
