package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestTapesAreUpToDate checks that the built-in tapes are those that this program writes, to
// the byte.
func TestTapesAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(assets.Tapes, "tapes/*.tape")
	if err != nil || len(files) != len(tapes) {
		t.Errorf("%d tapes in the folder, %d are made", len(files), len(tapes))
	}
	for i := range tapes {
		if experiment.Brief() && i%4 != 0 { // a quarter of them
			continue
		}
		made, err := tapes[i].record()
		if err != nil {
			t.Fatalf("%s: %v", tapes[i].name, err)
		}
		have, err := fs.ReadFile(assets.Tapes, "tapes/"+tapes[i].name+".tape")
		if err != nil || !bytes.Equal(made, have) {
			t.Errorf("%s is out of date: go generate ./assets", tapes[i].name)
		}
		if len(have) > 4096 {
			t.Errorf("%s has %d bytes", tapes[i].name, len(have))
		}
	}
}

// TestDocsNameTapes checks that docs/tapes.md lists every tape with its scene and length.
func TestDocsNameTapes(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/tapes.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range tapes {
		x := &tapes[i]
		row := fmt.Sprintf("\n| `%s` | `%s` | %d | ", x.name, x.spec, x.ticks/rate)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/tapes.md lacks %s", row)
		}
	}
}

// loadTape returns a built-in tape.
func loadTape(t *testing.T, name string) *tape.Tape {
	t.Helper()
	text, err := fs.ReadFile(assets.Tapes, "tapes/"+name+".tape")
	if err != nil {
		t.Fatal(err)
	}
	read, err := tape.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// stepTape steps a world through a tape whose input arrives a number of ticks late, as at a
// server, and calls see before the first tick and after each one.
func stepTape(t *testing.T, name string, late int, see func(w *predict.World, in []sim.Input)) {
	t.Helper()
	tape := loadTape(t, name)
	sc, err := scene.Named(tape.Config.Scene)
	if err != nil {
		t.Fatal(err)
	}
	w := predict.NewWorld(sc, tape.Config.Rate)
	see(w, nil)
	for range late {
		w.Step()
	}
	for _, e := range tape.Entries {
		w.Step(e.Inputs...)
		see(w, e.Inputs)
	}
}

// inputDelays are the delays of the input in ticks at which claims are checked.
func inputDelays() []int {
	if experiment.Brief() {
		return []int{11}
	}
	return []int{0, 5, 11}
}

// TestTapesBeginAtRest checks that all bodies sleep at the first input, so its tick of arrival
// does not matter. Exceptions are the katamari tape, which is older than the rule, and bodies
// on a turntable or a moving ship, which do not sleep.
func TestTapesBeginAtRest(t *testing.T) {
	for i := range tapes {
		name := tapes[i].name
		if name == "katamari" {
			continue
		}
		tape := loadTape(t, name)
		sc, err := scene.Named(tape.Config.Scene)
		if err != nil {
			t.Fatal(err)
		}
		w := predict.NewWorld(sc, tape.Config.Rate)
		pressed := func(in sim.Input) bool { return in.Buttons != 0 }
		for _, e := range tape.Entries {
			if slices.ContainsFunc(e.Inputs, pressed) {
				break
			}
			w.Step(e.Inputs...)
		}
		for k, b := range w.Bodies() {
			rides := len(sc.Carriers) > 0 && (k >= sc.Players || name == "jump-off" || name == "boarding") && b.Pose.Pos.Z > 0.3
			if !b.Asleep && !rides {
				t.Errorf("%s: body %d is awake at the first input", name, k)
			}
		}
	}
}

// clearance returns the height of the lowest corner of a player's cube, in metres.
func clearance(b *sim.Body) float32 {
	const half = 0.75
	m := b.Pose.Rot.Mat()
	low := b.Pose.Pos.Z
	for i := range 3 {
		low -= half * float32(math.Abs(float64(m.Col(i).Z)))
	}
	return low
}

// TestStartStop checks that the cube gains speed and then rolls out nearly to rest, 22 times
// or more.
func TestStartStop(t *testing.T) {
	for _, late := range inputDelays() {
		starts, fast := 0, false
		stepTape(t, "start-stop", late, func(w *predict.World, _ []sim.Input) {
			switch v := w.Bodies()[0].Linear.Len(); {
			case v > 3:
				fast = true
			case v < 0.3 && fast:
				fast, starts = false, starts+1
			}
		})
		if starts < 22 {
			t.Errorf("%d ticks late: stopped %d times", late, starts)
		}
	}
}

// winding counts the turns of a path around a point, counter-clockwise.
type winding struct {
	x, y, last, sum float64
}

func (w *winding) add(p geom.Vec3) {
	a := math.Atan2(float64(p.Y)-w.y, float64(p.X)-w.x)
	w.sum += math.Remainder(a-w.last, 2*math.Pi) / (2 * math.Pi)
	w.last = a
}

// TestCircle checks that the cube makes about 13 turns.
func TestCircle(t *testing.T) {
	for _, late := range inputDelays() {
		laps := winding{y: -0.75}
		stepTape(t, "circle", late, func(w *predict.World, _ []sim.Input) { laps.add(w.Bodies()[0].Pose.Pos) })
		t.Logf("%d ticks late: %.1f times round", late, laps.sum)
		if laps.sum < 12.5 {
			t.Errorf("%d ticks late: %.1f times round", late, laps.sum)
		}
	}
}

// TestTurns checks that the cube's velocity turns within half a second by more than 120
// degrees, and by 60 to 120 degrees, a dozen times each.
func TestTurns(t *testing.T) {
	for _, late := range inputDelays() {
		var past []geom.Vec3 // velocities
		back, aside, since := 0, 0, 0
		stepTape(t, "turns", late, func(w *predict.World, _ []sim.Input) {
			v := w.Bodies()[0].Linear
			v.Z = 0
			past = append(past, v)
			if since++; since < 30 || len(past) <= 30 {
				return
			}
			was := past[len(past)-31]
			if v.Len() < 2 || was.Len() < 2 {
				return
			}
			switch cos := v.Dot(was) / (v.Len() * was.Len()); {
			case cos < -0.5:
				back, since = back+1, 0
			case cos < 0.5:
				aside, since = aside+1, 0
			}
		})
		t.Logf("%d ticks late: %d times back, %d times aside", late, back, aside)
		if back < 12 || aside < 12 {
			t.Errorf("%d ticks late: %d times back, %d times aside", late, back, aside)
		}
	}
}

// TestFigureEight checks that the path turns left around one point and right around another,
// and that the heading makes whole turns in both directions.
func TestFigureEight(t *testing.T) {
	for _, late := range inputDelays() {
		east, west := winding{x: 2, y: -0.75}, winding{x: -2, y: -0.75}
		var last uint8
		left, right, changes := 0, 0, 0
		stepTape(t, "figure-eight", late, func(w *predict.World, in []sim.Input) {
			east.add(w.Bodies()[0].Pose.Pos)
			west.add(w.Bodies()[0].Pose.Pos)
			if in == nil || in[0].Buttons == 0 {
				return
			}
			if in[0].Buttons != sim.Forward {
				t.Fatalf("input %v", in[0])
			}
			switch d := int(int8(in[0].Heading - last)); {
			case d > 0:
				left, changes = left+d, changes+1
			case d < 0:
				right, changes = right-d, changes+1
			}
			last = in[0].Heading
		})
		t.Logf("%d ticks late: %.1f and %.1f times round, %d changes of heading, 1/256 turns: %d left, %d right", late, east.sum, west.sum, changes, left, right)
		if east.sum*west.sum > 0 || math.Abs(east.sum) < 4 || math.Abs(west.sum) < 4 {
			t.Errorf("%d ticks late: %.1f and %.1f times round", late, east.sum, west.sum)
		}
		if changes < 150 || left < 4*sim.HeadingSteps || right < 4*sim.HeadingSteps {
			t.Errorf("%d changes of heading, 1/256 turns: %d left, %d right", changes, left, right)
		}
	}
}

// TestJump checks that the cube rises by a third of a metre and lands again, 23 times.
func TestJump(t *testing.T) {
	for _, late := range inputDelays() {
		hops, up := 0, false
		top := float32(0)
		stepTape(t, "jump", late, func(w *predict.World, _ []sim.Input) {
			c := clearance(&w.Bodies()[0])
			top = max(top, c)
			switch {
			case c > 0.33:
				up = true
			case c < 0.02 && up:
				up, hops = false, hops+1
			}
		})
		t.Logf("%d ticks late: %d hops, the highest %.2f m", late, hops, top)
		if hops < 23 {
			t.Errorf("%d ticks late: %d hops", late, hops)
		}
	}
}

// TestPush checks that the player crosses the pile from side to side, and that more than half
// of its cubes move by more than a metre.
func TestPush(t *testing.T) {
	t.Parallel()
	var start []sim.Body
	moved := map[int]bool{}
	crossings, outside, awake, ticks := 0, geom.Vec3{}, 0, 0
	stepTape(t, "push", 5, func(w *predict.World, in []sim.Input) {
		b := w.Bodies()
		if start == nil {
			start = append(start, b...)
		}
		for i := 1; i < len(b); i++ {
			if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
				moved[i] = true
			}
			if in != nil && !b[i].Asleep {
				awake++
			}
		}
		ticks++
		// Through is from 3.5 m on one side of the middle to 3.5 on the other.
		at := b[0].Pose.Pos
		at.Z = 0
		if at.Len() > 3.5 {
			if at.Dot(outside) < 0 {
				crossings++
			}
			outside = at
		}
	})
	t.Logf("%d times through, %d cubes of %d moved, %.0f awake", crossings, len(moved), len(start)-1, float64(awake)/float64(ticks))
	if crossings < 5 || len(moved)*2 < len(start) {
		t.Errorf("%d times through, %d cubes moved", crossings, len(moved))
	}
}

// countNear counts the cubes whose centres are within a radius of the first player's.
func countNear(w *predict.World, within float32) int {
	n := 0
	for i := w.Scene().Players; i < len(w.Bodies()); i++ {
		if w.Bodies()[i].Pose.Pos.Sub(w.Bodies()[0].Pose.Pos).Len() < within {
			n++
		}
	}
	return n
}

// katamariStats are the measurements of a tape in katamari.
type katamariStats struct {
	ticks          int     // since the first key
	gatheredTicks  int     // of them with at least 60 cubes within 2.5 m
	movedBodies    int     // bodies that moved in a tick, over all those ticks
	nearMax        int     // cubes within 2.5 m
	distance       float64 // metres along the ground, by steps of a second
	displacedAtEnd int     // cubes moved by half a metre or more at the end
	airborneTicks  int     // ticks with the cube half a metre above the ground
	displaced      int     // cubes that were moved by a metre or more at some time
}

func measureKatamari(t *testing.T, name string, late int) katamariStats {
	var m katamariStats
	var start, last []sim.Body
	var moved []bool
	var at geom.Vec3
	pressed := false
	stepTape(t, name, late, func(w *predict.World, in []sim.Input) {
		b := w.Bodies()
		if start == nil {
			start, last = append(start, b...), append(last, b...)
			moved = make([]bool, len(b))
		}
		if pressed = pressed || in != nil && in[0].Buttons != 0; !pressed {
			copy(last, b)
			at = b[0].Pose.Pos
			return
		}
		n := countNear(w, 2.5)
		m.nearMax = max(m.nearMax, n)
		if n >= 60 {
			m.gatheredTicks++
		}
		if clearance(&b[0]) > 0.5 {
			m.airborneTicks++
		}
		m.displacedAtEnd = 0
		for i := range b {
			if b[i].Pose != last[i].Pose {
				m.movedBodies++
			}
			d := b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len()
			if i > 0 && d > 0.5 {
				m.displacedAtEnd++
			}
			if i > 0 && d > 1 && !moved[i] {
				moved[i] = true
				m.displaced++
			}
		}
		if m.ticks++; m.ticks%60 == 0 {
			d := b[0].Pose.Pos.Sub(at)
			d.Z = 0
			m.distance += float64(d.Len())
			at = b[0].Pose.Pos
		}
		copy(last, b)
	})
	t.Logf("%s, %d ticks late: %d ticks from the first key; %.1f bodies of %d move in a tick, %.1f %%; 60 cubes within 2.5 m in %.0f %% of the ticks, %d at most; %.0f m; %d cubes moved in the end, %d cleared; in the air in %.0f %%",
		name, late, m.ticks, float64(m.movedBodies)/float64(m.ticks), len(start), 100*float64(m.movedBodies)/float64(m.ticks*len(start)),
		100*float64(m.gatheredTicks)/float64(m.ticks), m.nearMax, m.distance, m.displacedAtEnd, m.displaced, 100*float64(m.airborneTicks)/float64(m.ticks))
	return m
}

// TestOutage checks that the blackout covers all input, and that a dozen cubes or more move by
// more than a metre during it.
func TestOutage(t *testing.T) {
	dark, last := 0, 0
	for i, e := range loadTape(t, "outage").Entries {
		if len(e.Commands) > 0 {
			dark = i
		}
		if len(e.Inputs) > 0 && e.Inputs[0] != (sim.Input{}) {
			if dark == 0 {
				t.Error("there is input before the blackout")
			}
			last = i
		}
	}
	if dark == 0 || last >= dark+5*rate {
		t.Errorf("blackout from %d on, last input at %d", dark, last)
	}
	var start, end []sim.Body
	stepTape(t, "outage", 0, func(w *predict.World, in []sim.Input) {
		if w.Tick() == sim.Tick(dark) {
			start = append(start, w.Bodies()...)
		}
		if w.Tick() == sim.Tick(dark+5*rate) {
			end = append(end, w.Bodies()...)
		}
	})
	far := 0
	for i := 1; i < len(start); i++ {
		if end[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
			far++
		}
	}
	t.Logf("%d cubes moved by more than a metre", far)
	if far < 12 {
		t.Errorf("%d cubes moved by more than a metre", far)
	}
}

// TestKatamari checks that a ball of cubes is gathered.
func TestKatamari(t *testing.T) {
	t.Parallel()
	if m := measureKatamari(t, "katamari", 0); m.nearMax < 90 || m.gatheredTicks*2 < m.ticks {
		t.Errorf("%+v", m)
	}
}

// TestKatamariBall checks that a ball of cubes rolls through the grid for more than 2,837
// ticks after the first input: at least 60 cubes are near the player most of the time, a
// tenth of all bodies moves in the average tick, and the ball keeps growing.
func TestKatamariBall(t *testing.T) {
	t.Parallel()
	m := measureKatamari(t, "katamari-ball", 5)
	if m.ticks < 2837 || m.gatheredTicks*4 < m.ticks*3 || m.nearMax < 120 || m.distance < 120 || m.displacedAtEnd < 200 || m.movedBodies*10 < m.ticks*901 {
		t.Errorf("%+v", m)
	}
}

// TestHover checks that the player is in the air for at least a third of the time, and blows
// away more than a hundred cubes.
func TestHover(t *testing.T) {
	t.Parallel()
	for _, late := range inputDelays() {
		if m := measureKatamari(t, "hover", late); m.airborneTicks*3 < m.ticks || m.displaced < 100 {
			t.Errorf("%d ticks late: %+v", late, m)
		}
	}
}

// TestTwoPlayers checks that both players cross the pile and push the large cube: alone,
// against each other, and with changes of ownership.
func TestTwoPlayers(t *testing.T) {
	const prize = 2
	for _, late := range inputDelays() {
		var pushes [2]int // ticks at the moving prize, alone
		both, hands, crossed, moved := 0, 0, 0, 0
		owner := int8(sim.NoPlayer)
		var start []sim.Body
		stepTape(t, "two-players", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = append(start, b...)
			}
			if b[0].Pose.Pos.X > 3 && b[1].Pose.Pos.X < -3 {
				crossed = 1
			}
			moved = 0
			for i := prize + 1; i < len(b); i++ {
				if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 0.5 {
					moved++
				}
			}
			if o := w.Owners()[prize]; o != sim.NoPlayer && o != owner {
				owner, hands = o, hands+1
			}
			const reach = 1.6 // metres between two centres
			p := b[prize].Pose.Pos
			zero, one := p.Sub(b[0].Pose.Pos).Len() < reach, p.Sub(b[1].Pose.Pos).Len() < reach
			switch {
			case b[prize].Linear.Len() < 0.1:
			case zero && one:
				both++
			case zero:
				pushes[0]++
			case one:
				pushes[1]++
			}
		})
		t.Logf("%d ticks late: %v ticks alone, %d together, %d changes of ownership, %d cubes moved", late, pushes, both, hands, moved)
		if crossed == 0 || moved < 30 || hands < 4 || pushes[0] < 60 || pushes[1] < 60 || both < 120 {
			t.Errorf("%d ticks late: crossed %d, %v ticks alone, %d together, %d changes of ownership, %d cubes moved", late, crossed, pushes, both, hands, moved)
		}
	}
}

// TestSamePile checks that both players reach the pile within half a second of each other and
// push it together for five seconds, and that most cubes move.
func TestSamePile(t *testing.T) {
	t.Parallel()
	for _, late := range inputDelays() {
		both, moved, tick := 0, 0, 0
		var start []sim.Body
		first := [2]int{-1, -1}
		stepTape(t, "same-pile", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = append(start, b...)
			}
			var at [2]bool
			moved = 0
			for i := 3; i < len(b); i++ {
				for p := range at {
					at[p] = at[p] || b[i].Pose.Pos.Sub(b[p].Pose.Pos).Len() < 1.2
				}
				if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 0.5 {
					moved++
				}
			}
			for p := range at {
				if at[p] && first[p] < 0 {
					first[p] = tick
				}
			}
			if at[0] && at[1] {
				both++
			}
			tick++
		})
		t.Logf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		if gap := first[0] - first[1]; both < 300 || moved < 40 || gap > 30 || gap < -30 {
			t.Errorf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		}
	}
}

// rideStats are the measurements of a tape with a carrier.
type rideStats struct {
	carriedTicks int     // ticks in which the player's cube stands still on it while it moves
	distance     float64 // metres in them
	winding      winding // of the cube, in them
	final        sim.Body
}

// measureRide follows the player's cube relative to the carrier. The cube rides in the ticks
// in which it moves less than a millimetre relative to a moving floor.
func measureRide(t *testing.T, name string, late int) (r rideStats) {
	var last geom.Vec3
	began := false
	stepTape(t, name, late, func(w *predict.World, _ []sim.Input) {
		b, path := &w.Bodies()[0], &w.Scene().Carriers[0].Path
		if began && w.Tick() > 0 {
			// Where a point of the floor is now that was where the cube was.
			origin := geom.Pose{Rot: geom.Identity}
			then, now := path.Pose(origin, w.Tick()-1, rate), path.Pose(origin, w.Tick(), rate)
			at := now.Pos.Add(now.Rot.Rotate(then.Rot.Inverse().Rotate(last.Sub(then.Pos))))
			if now != then && at.Sub(b.Pose.Pos).Len() < 0.001 && clearance(b) > 0.1 {
				r.carriedTicks++
				r.distance += float64(b.Pose.Pos.Sub(last).Len())
				r.winding.add(b.Pose.Pos)
			}
		}
		last, r.final, began = b.Pose.Pos, *b, true
	})
	t.Logf("%s, %d ticks late: rides for %.1f s and %.1f m, %.2f turns, ends at %.1f, %.1f", name, late,
		float64(r.carriedTicks)/rate, r.distance, r.winding.sum, r.final.Pose.Pos.X, r.final.Pose.Pos.Y)
	return r
}

// TestTurntable checks that the cube comes to rest on the turntable, rides it for more than a
// turn, and ends on the ground beside it.
func TestTurntable(t *testing.T) {
	for _, late := range inputDelays() {
		r := measureRide(t, "turntable", late)
		if r.carriedTicks < 10*rate || r.distance < 22 || r.winding.sum < 1.1 {
			t.Errorf("%d ticks late: %+v", late, r)
		}
		if p := r.final.Pose.Pos; p.Len() < 8.5+0.75 || clearance(&r.final) > 0.02 || !r.final.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestFerry checks that the cube boards the ship before its departure, rests in it to the other
// end, and has left through the door at the end of the tape.
func TestFerry(t *testing.T) {
	for _, late := range inputDelays() {
		r := measureRide(t, "ferry", late)
		if r.carriedTicks < 9*rate || r.distance < 39.5 {
			t.Errorf("%d ticks late: %+v", late, r)
		}
		if p := r.final.Pose.Pos; p.X < 37 || p.Y > 1.5 || clearance(&r.final) > 0.02 || !r.final.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestBoarding checks that the cube rests on the platform until platform and ship move at
// 45 m/s or more, enters the ship through the door at that speed, rides to the other end, and
// has left through the door at the end of the tape.
func TestBoarding(t *testing.T) {
	for _, late := range inputDelays() {
		slowest, entered, rode := 100.0, 0, 0
		var ended sim.Body
		stepTape(t, "boarding", late, func(w *predict.World, _ []sim.Input) {
			b := &w.Bodies()[0]
			path := &w.Scene().Carriers[0].Path
			x := path.Pose(geom.Pose{}, w.Tick(), rate).Pos.X
			speed := math.Abs(float64(path.Pose(geom.Pose{}, w.Tick()+1, rate).Pos.X-x)) * rate
			aside := geom.Abs(b.Pose.Pos.X - x)
			switch y := b.Pose.Pos.Y; {
			case entered == 0 && y > 2.5+0.75:
				entered = int(w.Tick())
			case entered == 0 && y > 0.25: // it crosses over
				slowest = min(slowest, speed)
				if aside > 2 {
					t.Errorf("%d ticks late, tick %d: %v m beside the door", late, w.Tick(), aside)
				}
			}
			if entered > 0 && speed > 1 && b.Pose.Pos.Y > 3 && aside < 5 {
				rode++
			}
			ended = *b
		})
		t.Logf("%d ticks late: in the ship in tick %d, at %.1f m/s at least, rides %.1f s, ends at %v", late, entered, slowest, float64(rode)/rate, ended.Pose.Pos)
		if entered == 0 || slowest < 45 || rode < 7*rate {
			t.Errorf("%d ticks late: in the ship in tick %d, at %v m/s, rides %d ticks", late, entered, slowest, rode)
		}
		if p := ended.Pose.Pos; p.X < 525 || p.Y > -4 || clearance(&ended) > 0.02 || !ended.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestFastShip is TestFerry for the fast ship.
func TestFastShip(t *testing.T) {
	for _, late := range inputDelays() {
		r := measureRide(t, "fast-ship", late)
		if r.carriedTicks < 18*rate || r.distance < 525 {
			t.Errorf("%d ticks late: %+v", late, r)
		}
		if p := r.final.Pose.Pos; p.X < 527 || p.Y > 1.5 || clearance(&r.final) > 0.02 || !r.final.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestBreak checks that most pucks move by a metre or more, and none across the rails.
func TestBreak(t *testing.T) {
	for _, late := range inputDelays() {
		var sc *sim.Scene
		var ended []sim.Body
		stepTape(t, "billiards-break", late, func(w *predict.World, _ []sim.Input) { sc, ended = w.Scene(), w.Bodies() })
		moved, out := 0, 0
		for i := sc.Players; i < len(ended); i++ {
			p := ended[i].Pose.Pos
			if p.Sub(sc.Boxes[i].Start.Pose.Pos).Len() >= 1 {
				moved++
			}
			if geom.Abs(p.X) > 5 || geom.Abs(p.Y) > 10 {
				out++
			}
		}
		t.Logf("break, %d ticks late: %d of %d pucks moved by a metre, %d are outside", late, moved, len(ended)-1, out)
		if moved < 12 || out > 0 {
			t.Errorf("%d ticks late: %d pucks moved, %d are outside", late, moved, out)
		}
	}
}

// TestChains checks that the chain sleeps at the first input, that the rolling cube drags all
// of it around the circle, that the hovering cube lifts a part of it and swings it, and that
// joints separate only a little.
func TestChains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		lifted, fewest int // ticks with rods a metre above the ground, and the number of those rods
	}{{"chain-tow", 0, 0}, {"chain-swing", 600, 2}} {
		for _, late := range inputDelays() {
			var round, ends winding
			tick, lifted, moved := 0, 0, 0
			torn := float32(0)
			var from geom.Vec3
			stepTape(t, c.name, late, func(w *predict.World, _ []sim.Input) {
				b := w.Bodies()
				last := len(b) - 1
				if tick++; tick == chainAsleepTick {
					for i := range b {
						if !b[i].Asleep {
							t.Errorf("%s, %d ticks late: body %d is awake", c.name, late, i)
						}
					}
					from = b[last].Pose.Pos
				}
				round.add(b[0].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				ends.add(b[last].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				up := 0
				for i := 1; i <= last; i++ {
					if b[i].Pose.Pos.Z > 1 {
						up++
					}
				}
				if up >= max(c.fewest, 1) {
					lifted++
				}
				if tick > chainAsleepTick && b[last].Pose.Pos.Sub(from).Len() > 1 {
					moved++
				}
				for i := range w.Scene().Joints {
					x, y := w.JointAnchors(i)
					torn = max(torn, x.Sub(y).Len())
				}
			})
			t.Logf("%s, %d ticks late: %.2f times round, its end %.2f, %d ticks lifted, the end moved in %d, torn %.4f m", c.name, late, round.sum, ends.sum, lifted, moved, torn)
			if torn > 0.02 || moved < 300 || lifted < c.lifted || c.name == "chain-tow" && (round.sum < 2 || lifted > 300) {
				t.Errorf("%s, %d ticks late: %.2f times round, %d ticks lifted, the end moved in %d, torn %.4f m", c.name, late, round.sum, lifted, moved, torn)
			}
		}
	}
}

// TestRewindPredictsCarriers checks that a predicting client predicts the effect of carriers
// on its cube: without loss rewind makes no corrections in the tapes with carriers.
func TestRewindPredictsCarriers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"turntable", "ferry", "boarding", "fast-ship"} {
		tape := loadTape(t, name)
		l := lab.New(tape.Config)
		p, err := l.Open("rewind")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tape.Entries {
			if err := l.Tick(e); err != nil {
				t.Fatal(err)
			}
		}
		if n, one := p.Counters.Value("corrections"), p.Counters.Value("snapshots"); n != 0 || one < 1000 {
			t.Errorf("%s: %v corrections by %v snapshots", name, n, one)
		}
	}
}

// TestJumpOff checks that the cube jumps half a metre up from the turntable and lands on it
// again, four times or more and each time further out, and ends beside it.
func TestJumpOff(t *testing.T) {
	for _, late := range inputDelays() {
		var hops []float32 // where they began, from the middle
		var end float32
		up := false
		stepTape(t, "jump-off", late, func(w *predict.World, _ []sim.Input) {
			b := &w.Bodies()[0]
			p := b.Pose.Pos
			p.Z = 0
			end = p.Len()
			switch c := clearance(b) - 0.12; {
			case c > 0.5 && !up:
				up, hops = true, append(hops, end)
			case c < 0.05:
				up = false
			}
		})
		t.Logf("%d ticks late: hops at %.1f m, the end at %.1f m", late, hops, end)
		if len(hops) < 4 || !slices.IsSorted(hops[:4]) || hops[3] > 6 || end < 9 {
			t.Errorf("%d ticks late: hops at %v m, the end at %v m", late, hops, end)
		}
	}
}

// TestHaul checks that the sled drives and stops, three times or more, and keeps its cube.
func TestHaul(t *testing.T) {
	for _, late := range inputDelays() {
		stops, fast, distance := 0, false, float32(0)
		var start []sim.Body
		stepTape(t, "haul", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = slices.Clone(b)
			}
			distance = max(distance, b[1].Pose.Pos.Sub(b[0].Pose.Pos).Len())
			switch v := b[0].Linear.Len(); {
			case v > 3:
				fast = true
			case b[0].Asleep && fast:
				fast, stops = false, stops+1
			}
		})
		t.Logf("%d ticks late: stopped %d times, the cube at most %.2f m from the centre of the sled", late, stops, distance)
		if stops < 3 || distance > start[1].Pose.Pos.Sub(start[0].Pose.Pos).Len()+0.1 {
			t.Errorf("%d ticks late: stopped %d times, the cube at most %v m from the centre of the sled", late, stops, distance)
		}
	}
}

// TestShots checks that the shots tape fires 97 times in five directions, that the first
// player rests, and that the other crosses every direction repeatedly and fast, and is behind
// the pile at times, for all delays of the input.
func TestShots(t *testing.T) {
	for _, late := range inputDelays() {
		fired, hit, hidden, fast, moved := 0, map[uint16]int{}, 0, float32(0), float32(0)
		stepTape(t, "shots", late, func(w *predict.World, in []sim.Input) {
			if in == nil {
				return
			}
			b := w.Bodies()
			fast = max(fast, b[1].Linear.Len())
			moved = max(moved, b[0].Pose.Pos.Sub(w.Scene().Boxes[0].Start.Pose.Pos).Len())
			poses := make([]geom.Pose, len(b))
			for i := range b {
				poses[i] = b[i].Pose
			}
			meets := func(along geom.Vec3) int {
				return w.Scene().CastRay(b[0].Pose.Pos, along, 30, poses, 0, 0, rate).Body
			}
			if s := in[0].Shot; s.Fired {
				fired++
				if meets(s.Direction()) == 1 {
					hit[s.Yaw]++
				}
			}
			if meets(b[1].Pose.Pos.Sub(b[0].Pose.Pos).Unit()) > 2 {
				hidden++
			}
		})
		n := 0
		for _, h := range hit {
			n += h
		}
		t.Logf("%d ticks late: %d shots, %d hits %v, at up to %v m/s, hidden for %d ticks", late, fired, n, hit, fast, hidden)
		if fired != 97 || len(hit) != 5 || n < 20 || fast < 9 || hidden < 30 || moved > 0.02 {
			t.Errorf("%d ticks late: %d shots, %d hits %v, at up to %v m/s, hidden for %d ticks, the first player moved %v m", late, fired, n, hit, fast, hidden, moved)
		}
	}
}
