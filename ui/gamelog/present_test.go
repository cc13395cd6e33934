package gamelog

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// delayedGame writes the log of a game whose body goes on at a changing speed, interpolated between ticks, and is drawn late.
type delayedGame struct {
	hz, fps     int
	phase       float64 // of a frame, in frames, from tick 0 to the first frame
	delay       float64 // seconds
	clock, both bool    // lines c; one log
	path        func(second float64) float64
}

// unevenPath never repeats.
func unevenPath(s float64) float64 { return 4*s + 2*math.Sin(1.7*s) + math.Sin(2.9*s) }

// card returns the score of the game's log.
func (g *delayedGame) card(t *testing.T) *Card {
	t.Helper()
	var c, s strings.Builder
	role, states := "both", &c
	if !g.both {
		role, states = "client", &s
		fmt.Fprintf(&s, `{"t":"h","v":1,"role":"server","hz":%d}`+"\n", g.hz)
	}
	fmt.Fprintf(&c, `{"t":"h","v":1,"role":%q,"hz":%d,"fps":%d,"body":1}`+"\n", role, g.hz, g.fps)
	at := func(tick float64) float64 { return g.path(tick / float64(g.hz)) }
	const seconds, first = 12, 1000
	tick := 0
	for f := range seconds * g.fps {
		now := (float64(f) + g.phase) / float64(g.fps)
		us := int(now * 1e6)
		present := float64(us) / 1e6 * float64(g.hz) // a log has whole microseconds
		for ; float64(tick) <= present; tick++ {
			fmt.Fprintf(states, `{"t":"s","k":%d,"b":[[1,%.6f,0,0]]}`+"\n", first+tick, at(float64(tick)))
		}
		if g.clock && f%g.fps == 0 {
			fmt.Fprintf(&c, `{"t":"c","us":%d,"k":%.6f}`+"\n", us, first+present)
		}
		shown := present - g.delay*float64(g.hz)
		low := math.Floor(shown)
		x := at(low) + (shown-low)*(at(low+1)-at(low))
		fmt.Fprintf(&c, `{"t":"v","us":%d,"k":%.6f,"b":[[1,%.6f,0,0]]}`+"\n", us, first+shown, x)
	}
	for range g.hz {
		fmt.Fprintf(states, `{"t":"s","k":%d,"b":[[1,%.6f,0,0]]}`+"\n", first+tick, at(float64(tick)))
		tick++
	}
	read := func(name, text string) *Reader {
		r, err := NewReader(name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	client := read("client", c.String())
	server := client
	if !g.both {
		server = read("server", s.String())
	}
	card, err := Score(client, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	return card
}

// TestDelaysOfKnownGames scores games whose picture is late by a known time, at many rates of ticks and frames. Lines c give
// delays to 2 ms, or a tenth of a frame. Without them one log knows no better than how finely its frames divide its ticks, or, if each frame has
// equally many ticks, the time between two of them; its card says so.
func TestDelaysOfKnownGames(t *testing.T) {
	rates, frames := []int{10, 20, 30, 60, 128}, []int{30, 60, 144}
	if experiment.Brief() {
		rates, frames = []int{10, 60}, []int{60, 144}
	}
	for _, hz := range rates {
		for _, fps := range frames {
			for _, phase := range []float64{0, 0.4} {
				for _, g := range []delayedGame{{both: true}, {both: true, clock: true}, {clock: true}} {
					g.hz, g.fps, g.phase, g.delay, g.path = hz, fps, phase, 0.1, unevenPath
					c, bound := g.card(t), 2.0
					if !g.clock {
						a, b := hz, fps
						for b > 0 {
							a, b = b, a%b
						}
						bound += 500 * float64(a) / float64(hz*fps) // half the distance of the frames' times between ticks
						if hz%fps == 0 {
							bound = 2 + 1000*phase/float64(fps)
						}
					}
					doubted := strings.Contains(fmt.Sprint(c.Notes), "only lines c")
					if !doubted && hz%fps != 0 {
						bound = min(bound, 2+doubtMillis)
					}
					name := fmt.Sprintf("hz %d, fps %d, phase %v, both %v, clock %v", hz, fps, phase, g.both, g.clock)
					for _, m := range []string{"nominal_delay_mean_ms", "display_delay_ms"} {
						if m[0] == 'd' {
							bound = max(bound, 100/float64(fps)) // a tenth of a frame
						}
						if v := c.value(m); !(math.Abs(v-100) <= bound) {
							t.Errorf("%s: %s is %.1f, want 100 within %.1f (%q)", name, m, v, bound, c.Notes)
						}
					}
					if doubted && g.clock {
						t.Errorf("%s: notes %q", name, c.Notes)
					}
				}
			}
		}
	}
}

// TestDelayOfPeriodicMotion checks that the delay of a body that swings is the one closest to 0, although a period more or less
// explains its motion as well.
func TestDelayOfPeriodicMotion(t *testing.T) {
	for _, period := range []float64{0.93, 1.5, 1.593} {
		g := &delayedGame{hz: 60, fps: 144, delay: 0.1, clock: true, both: true,
			path: func(s float64) float64 { return 6*s + math.Sin(2*math.Pi*s/period) }}
		c := g.card(t)
		if v, k := c.value("display_delay_ms"), c.value("nominal_delay_mean_ms"); !(math.Abs(v-100) < 4 && math.Abs(k-100) < 1) {
			t.Errorf("period %v s: display delay %v ms, nominal %v ms, want 100", period, v, k)
		}
	}
}
