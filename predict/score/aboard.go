package score

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// vesselsMost is how many vessels are looked at: the largest.
const vesselsMost = 4

// awaited is how many ticks a picture waits for the truth to come to its tick.
const awaited = 128

// aboard is where the player's cube is as the scene's vessels have it: the true one in
// the true vessels, against the drawn one in the vessels as they are drawn. A picture is
// held against the truth of the tick that it claims to show of the cube, so a client that
// is ahead or late, and its vessels with it, is right.
type aboard struct {
	known   bool
	vessels []sim.ParentCandidate // never written again
	margin  float32               // metres; how far beyond a vessel's box the cube's middle is in it
	past    [2 * awaited]struct {
		tick sim.Tick
		used bool
		at   stands
	}
	waiting []waits

	ticks   int // in which the true cube is in a vessel
	outside int // pictures that have it in other vessels than the truth
	apart   apart
	most    float64
	jumps   [vesselsMost]*pops
}

// stands is a cube as the vessels have it.
type stands struct {
	at [vesselsMost]geom.Pose
	in [vesselsMost]bool
}

// waits is a picture that the truth has not come to.
type waits struct {
	tick  sim.Tick
	since int
	at    stands
}

// begin finds the vessels.
func (a *aboard) begin(scene *sim.Scene) {
	a.known = true
	a.vessels = scene.ParentCandidates()
	for len(a.vessels) > vesselsMost {
		least := 0
		for i := range a.vessels {
			if a.vessels[i].Size() <= a.vessels[least].Size() {
				least = i
			}
		}
		a.vessels = append(a.vessels[:least], a.vessels[least+1:]...)
	}
	for i := range a.vessels {
		a.jumps[i] = &pops{}
	}
}

// take looks at a tick.
func (a *aboard) take(truth *sim.World, v *predict.View, body int, scored bool) {
	if !a.known {
		a.begin(truth.Scene())
	}
	if len(a.vessels) == 0 {
		return
	}
	a.margin = truth.Scene().Boxes[body].Half.Len()
	now := truth.Tick()
	var there, drawn stands
	for i := range a.vessels {
		b := &a.vessels[i]
		var p, q geom.Pose
		if b.Carrier >= 0 {
			path := &truth.Scene().Carriers[b.Carrier].Path
			p = path.PoseAt(geom.Pose{Rot: geom.Identity}, now.Moment(), truth.Rate())
			q = path.PoseAt(geom.Pose{Rot: geom.Identity}, v.Carriers(), truth.Rate())
		} else {
			p, q = truth.Bodies()[b.Body].Pose, v.Bodies[b.Body]
		}
		there.look(a, i, &p, &truth.Bodies()[body].Pose)
		drawn.look(a, i, &q, &v.Bodies[body])
		a.jumps[i].take(there.at[i], now, drawn.at[i], v.Of(body), scored && (there.in[i] || drawn.in[i]))
	}
	r := &a.past[now%(2*awaited)]
	r.tick, r.used, r.at = now, true, there
	if scored {
		if there.in != [vesselsMost]bool{} {
			a.ticks++
		}
		a.waiting = append(a.waiting, waits{tick: v.Of(body), at: drawn})
	}
	kept := a.waiting[:0]
	for _, w := range a.waiting {
		w.since++
		switch {
		case w.tick <= now:
			a.judge(&w)
		case w.since < awaited:
			kept = append(kept, w)
		}
	}
	a.waiting = kept
}

// look notes where a cube at p is as vessel i has it, which is at f.
func (s *stands) look(a *aboard, i int, f, p *geom.Pose) {
	back := f.Rot.Inverse()
	s.at[i] = geom.Pose{Pos: back.Rotate(p.Pos.Sub(f.Pos)), Rot: back.Mul(p.Rot).Unit()}
	s.in[i] = a.vessels[i].Inside(s.at[i].Pos, a.margin)
}

// judge holds a picture against the truth of its tick. The error is that in the largest
// vessel that the true cube is in.
func (a *aboard) judge(w *waits) {
	r := &a.past[w.tick%(2*awaited)]
	if !r.used || r.tick != w.tick {
		return
	}
	if w.at.in != r.at.in {
		a.outside++
	}
	in := -1
	for i := range a.vessels {
		if r.at.in[i] && (in < 0 || a.vessels[i].Size() > a.vessels[in].Size()) {
			in = i
		}
	}
	if in >= 0 {
		away := float64(w.at.at[in].Pos.Sub(r.at.at[in].Pos).Len())
		a.apart.add(away)
		a.most = max(a.most, away)
	}
}

func (a *aboard) copyFrom(o *aboard) {
	jumps, waiting := a.jumps, append(a.waiting[:0], o.waiting...)
	*a = *o
	a.waiting, a.jumps = waiting, jumps
	for i := range o.jumps {
		if o.jumps[i] == nil {
			continue
		}
		if a.jumps[i] == nil {
			a.jumps[i] = &pops{}
		}
		a.jumps[i].copyFrom(o.jumps[i])
	}
}

// Aboard is where the player's cube is drawn in a vessel, against where it is in it.
type Aboard struct {
	Ticks      int     // in which the true cube is in a vessel
	Outside    int     // ticks in which it is drawn in other vessels than it is in, or in none
	RMS, Most  float64 // metres; the distance between the two places in the vessel
	Pops       int     // jumps of the drawn cube as the drawn vessel has it
	LargestPop float64 // metres
}

// Aboard returns that. ok is false if the true cube has been in no vessel.
func (c *Score) Aboard() (s Aboard, ok bool) {
	a := &c.aboard
	if a.ticks == 0 {
		return s, false
	}
	s = Aboard{Ticks: a.ticks, Outside: a.outside, RMS: a.apart.rms(), Most: a.most}
	for i := range a.vessels {
		s.Pops = max(s.Pops, a.jumps[i].count)
		s.LargestPop = max(s.LargestPop, float64(a.jumps[i].largest))
	}
	return s, true
}

// measuresAboard appends what is told of it.
func (c *Score) measuresAboard(dst []Measure) []Measure {
	a, ok := c.Aboard()
	rate, minutes := float64(max(c.rate, 1)), float64(max(c.Ticks, 1))/float64(60*max(c.rate, 1))
	return append(dst,
		Measure{"aboard_s", "in a vessel, s", "time that the true cube was in a carrier, or in a body larger than itself", float64(a.Ticks) / rate, ok, 2, Neither},
		Measure{"outside_s", "drawn outside of it, s", "time in which the cube was drawn in other vessels than it was in at the tick that is shown of it: outside of one that it was in, or inside", float64(a.Outside) / rate, ok, 2, Lower},
		Measure{"aboard_error_rms_m", "error in the vessel, RMS, m", "distance of the cube's place in the drawn vessel from its true place in the true one at the tick that is shown of it, root mean square", a.RMS, ok, 3, Lower},
		Measure{"aboard_error_max_m", "error in the vessel, max, m", "the largest of those distances", a.Most, ok, 3, Lower},
		Measure{"aboard_pops_per_minute", "pops in the vessel, per minute", "jumps of the drawn cube as the drawn vessel has it, that the true one did not make; in the vessel that has most of them", float64(a.Pops) / minutes, ok, 1, Lower},
		Measure{"aboard_largest_pop_m", "largest pop in the vessel, m", "the farthest of those jumps, in any vessel", a.LargestPop, ok, 3, Lower},
	)
}
