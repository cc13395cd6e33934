package score

import (
	"math"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// jointDepths are the numbers of joints from the player's cube at which errors are told.
var jointDepths = [...]int{1, 2, 4, 8, 16, 32}

// jointPathErrors is how far the bodies that hang on the player's cube are drawn from where the true
// ones are, or will be, at the tick that their picture claims to show, by the number of
// joints between them and the cube.
type jointPathErrors struct {
	started bool
	bodies  []jointBody       // never written again
	pending []pendingPosition // by body, and tick modulo pastKept: what is yet to come
	sums    [len(jointDepths)]distanceSums
}

type jointBody struct{ body, depthIndex int } // at is a place in chainDepths

// pendingPosition is where a body is drawn, as of a tick; 0 is none, else it is one more.
type pendingPosition struct {
	tick sim.Tick
	pos  geom.Vec3
}

// add looks at a tick, in which the true bodies' past is known.
func (c *jointPathErrors) add(truth *sim.World, v *predict.View, past *positionHistory, watched int) {
	if !c.started {
		c.start(truth.Scene(), watched)
	}
	now, n := truth.Bodies(), min(len(truth.Bodies()), len(v.Bodies))
	for k, b := range c.bodies {
		if b.body >= n {
			continue
		}
		ring := c.pending[k*historyTicks : (k+1)*historyTicks]
		of := v.TickOf(b.body)
		if of > truth.Tick() {
			ring[of%historyTicks] = pendingPosition{of + 1, v.Bodies[b.body].Pos}
		} else if then := past.at(of, n); then != nil {
			c.sums[b.depthIndex].add(float64(v.Bodies[b.body].Pos.Sub(then[b.body]).Len()))
		}
		if due := &ring[truth.Tick()%historyTicks]; due.tick == truth.Tick()+1 {
			c.sums[b.depthIndex].add(float64(due.pos.Sub(now[b.body].Pose.Pos).Len()))
			due.tick = 0
		}
	}
}

// start finds the bodies that are looked at.
func (c *jointPathErrors) start(scene *sim.Scene, watched int) {
	c.started = true
	if len(scene.Joints) == 0 {
		return
	}
	t := jointtree.NewRootedAt(scene, watched)
	for _, i := range t.Order {
		for at, depth := range jointDepths {
			if t.Nodes[i].Depth == depth {
				c.bodies = append(c.bodies, jointBody{int(i), at})
			}
		}
	}
	c.pending = make([]pendingPosition, len(c.bodies)*historyTicks)
}

func (c *jointPathErrors) copyFrom(o *jointPathErrors) {
	drawn := append(c.pending[:0], o.pending...)
	*c = *o
	c.pending = drawn
}

// PathErrorAtJoint returns the root mean square of how far the bodies so many joints from the
// player's cube are drawn from where they are at the tick that their picture claims to
// show, in metres. ok is false where there are none.
func (c *Score) PathErrorAtJoint(depth int) (rms float64, ok bool) {
	for at, d := range jointDepths {
		if a := &c.jointErrors.sums[at]; d == depth && a.count > 0 {
			return math.Sqrt(a.square / float64(a.count)), true
		}
	}
	return 0, false
}

// jointMeasures appends those. They have a title, and so a row, only where there are
// such bodies.
func (c *Score) jointMeasures(dst []Measure) []Measure {
	for i, depth := range jointDepths {
		m := jointMeasureRows[i]
		if m.Value, m.OK = c.PathErrorAtJoint(depth); !m.OK {
			m.Title = ""
		}
		dst = append(dst, m)
	}
	return dst
}

// jointMeasureRows are the measures of a chain without their values.
var jointMeasureRows = func() (rows [len(jointDepths)]Measure) {
	for i, depth := range jointDepths {
		n := strconv.Itoa(depth)
		rows[i] = Measure{
			Name: "path_error_joint_" + n + "_rms_m", Title: "path error at joint " + n + ", RMS, m", Digits: 4, Better: Lower,
			Help: "path error of drawn bodies at joint " + n + ", counted from the player's cube, root mean square",
		}
	}
	return rows
}()
