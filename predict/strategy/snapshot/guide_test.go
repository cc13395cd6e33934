package snapshot

import (
	"slices"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// guideClient is a client of the guide to snapshot interpolation. Its methods with comments behind their lines are the
// guide's pseudo-code; the others are what one of its words stands for.
type guideClient struct {
	time    int // of the server, that is drawn, in ticks; below 0 before its start
	delay   int // ticks
	buffer  []guideSnapshot
	picture []geom.Pose
	screen  []geom.Pose // as drawn
	sent    []sim.Input
	stood   int // ticks in which the picture stood still
}

// guideSnapshot is what arrives from the server.
type guideSnapshot struct {
	tick   int
	bodies []bodyState
}

func (g *guideClient) run(keys sim.Input, arrived []guideSnapshot) { // each tick:
	g.send(keys)                // send(keys)
	g.time++                    // time = time + 1
	for _, s := range arrived { // for each snapshot that has arrived:
		if len(g.buffer) == 0 { // if buffer is empty:  # the first one starts the clock
			g.time = s.tick - g.delay // time = its tick - delay
		}
		g.insert(s) // put it into buffer, by its tick
	}
	a := g.newestUntil(g.time)                              // a = newest snapshot in buffer with a tick <= time
	b := g.oldestFrom(g.time)                               // b = oldest snapshot in buffer with a tick >= time
	if a == nil || b == nil || b.tick-a.tick > g.delay+18 { // if a or b is missing, or b.tick - a.tick > delay + 300 ms:
		g.standStill() // draw(picture)  # starved: it stands still
		return         // return
	}
	share := part(g.time, a.tick, b.tick) // share = (time - a.tick) / (b.tick - a.tick)  # 0 if both are one
	for i := range g.picture {            // for each body i:
		g.picture[i].Pos = curve(a, b, i, share)                                                     // picture[i].position = hermite(a[i], b[i], share)
		g.picture[i].Rot = smoothing.LerpRotation(a.bodies[i].pose.Rot, b.bodies[i].pose.Rot, share) // picture[i].rotation = slerp(a[i], b[i], share)
	}
	g.forgetBefore(a.tick) // forget all snapshots before a
	g.draw()               // draw(picture)
}

func (g *guideClient) send(keys sim.Input) { g.sent = append(g.sent, keys) }

func (g *guideClient) insert(s guideSnapshot) {
	g.buffer = append(g.buffer, s)
	slices.SortFunc(g.buffer, func(a, b guideSnapshot) int { return a.tick - b.tick })
}

func (g *guideClient) newestUntil(t int) (s *guideSnapshot) {
	for i := range g.buffer {
		if g.buffer[i].tick <= t {
			s = &g.buffer[i]
		}
	}
	return s
}

func (g *guideClient) oldestFrom(t int) *guideSnapshot {
	if i := slices.IndexFunc(g.buffer, func(s guideSnapshot) bool { return s.tick >= t }); i >= 0 {
		return &g.buffer[i]
	}
	return nil
}

func part(t, from, to int) float32 {
	if from == to {
		return 0
	}
	return float32(float64(t-from) / float64(to-from))
}

// curve is a Hermite curve between two positions with their velocities.
func curve(a, b *guideSnapshot, i int, share float32) geom.Vec3 {
	seconds := float32(b.tick-a.tick) / 60
	from, to := &a.bodies[i], &b.bodies[i]
	return smoothing.Hermite(from.pose.Pos, from.linear.Scale(seconds), to.pose.Pos, to.linear.Scale(seconds), share)
}

func (g *guideClient) standStill() {
	g.stood++
	g.draw()
}

func (g *guideClient) draw() { g.screen = slices.Clone(g.picture) }

func (g *guideClient) forgetBefore(t int) {
	g.buffer = slices.DeleteFunc(g.buffer, func(s guideSnapshot) bool { return s.tick < t })
}

// TestGuide runs the guide's pseudo-code beside a client from its first tick on, with losses, a gap that is longer than the
// delay, and an outage across which nothing is drawn. It receives
// what the client receives, and has to send the same inputs, draw the same poses, bit for bit, and stand still in
// the same ticks.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "snapshot-interpolation", "guide_test.go")
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: "zen", Network: "latency=55ms,loss=20%",
		Knobs: []string{"snapshot-every", "6", "interpolation-delay", "350ms"}})
	c := r.Clients[0].Client.(*client)
	g := &guideClient{time: -1000, delay: 21, picture: slices.Clone(c.drawn)}
	var sent []sim.Input
	scene, coder, newest := r.ClientWorld().Scene(), quant.Coder{}, sim.Tick(0)
	r.Watch(0, func(traffic *predicttest.Traffic) {
		var arrived []guideSnapshot
		for _, payload := range traffic.Received {
			var s snapshot
			if err := s.read(&coder, payload, scene, newest, nil); err != nil {
				t.Fatal(err)
			}
			arrived, newest = append(arrived, guideSnapshot{int(s.tick), s.bodies}), s.tick
		}
		for _, payload := range traffic.Sent {
			var in quant.Coder
			in.BeginRead(payload)
			m := input.Message{NewestTick: c.inputTick}
			if m.Code(&in); in.Err() != nil {
				t.Fatal(in.Err())
			}
			sent = append(sent, m.Inputs...)
		}
		g.run(traffic.Input, arrived)
		if !slices.Equal(g.screen, c.drawn) {
			t.Fatalf("tick %d: the guide draws %v, the client %v", r.Tick, g.screen[0], c.drawn[0])
		}
		if len(g.buffer) > 8 {
			t.Fatalf("tick %d: the guide keeps %d snapshots, twice the delay", r.Tick, len(g.buffer))
		}
		if c.env.SlewPPM != 0 {
			t.Fatalf("tick %d: the client's clock changes its pace by %d ppm, which the guide leaves out", r.Tick, c.env.SlewPPM)
		}
	})
	r.Run(400, predicttest.DriveAround)
	var stood []int // in each
	for _, silence := range []int{30, 60} {
		before := g.stood
		r.SetNetwork("latency=55ms,loss=100%")
		r.Run(silence, predicttest.DriveAround)
		r.SetNetwork("latency=55ms")
		r.Run(60, predicttest.DriveAround)
		stood = append(stood, g.stood-before)
		r.SetNetwork("latency=55ms,loss=20%")
		r.Run(150, predicttest.DriveAround)
	}
	if !slices.Equal(g.sent, sent) {
		t.Error("the guide sends other inputs than the client")
	}
	if stood[0] < 5 || stood[0] > 20 || stood[1] < 50 {
		t.Errorf("the picture stands still for %d ticks in silences of 30 and 60", stood)
	}
}
