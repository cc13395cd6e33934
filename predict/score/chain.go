package score

import (
	"math"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// chainDepths are the numbers of joints from the player's cube at which errors are told.
var chainDepths = [...]int{1, 2, 4, 8, 16, 32}

// chain is how far the bodies that hang on the player's cube are drawn from where the true
// ones are, or will be, at the tick that their picture claims to show, by the number of
// joints between them and the cube.
type chain struct {
	linked bool
	bodies []chained // never written again
	drawn  []claim   // by body, and tick modulo pastKept: what is yet to come
	sums   [len(chainDepths)]apart
}

type chained struct{ body, at int } // at is a place in chainDepths

// claim is where a body is drawn, as of a tick; 0 is none, else it is one more.
type claim struct {
	tick sim.Tick
	pos  geom.Vec3
}

// take looks at a tick, in which the true bodies' past is known.
func (c *chain) take(truth *sim.World, v *predict.View, past *past, watched int) {
	if !c.linked {
		c.begin(truth.Scene(), watched)
	}
	now, n := truth.Bodies(), min(len(truth.Bodies()), len(v.Bodies))
	for k, b := range c.bodies {
		if b.body >= n {
			continue
		}
		ring := c.drawn[k*pastKept : (k+1)*pastKept]
		of := v.Of(b.body)
		if of > truth.Tick() {
			ring[of%pastKept] = claim{of + 1, v.Bodies[b.body].Pos}
		} else if then := past.at(of, n); then != nil {
			c.sums[b.at].add(float64(v.Bodies[b.body].Pos.Sub(then[b.body]).Len()))
		}
		if due := &ring[truth.Tick()%pastKept]; due.tick == truth.Tick()+1 {
			c.sums[b.at].add(float64(due.pos.Sub(now[b.body].Pose.Pos).Len()))
			due.tick = 0
		}
	}
}

// begin finds the bodies that are looked at.
func (c *chain) begin(scene *sim.Scene, watched int) {
	c.linked = true
	if len(scene.Joints) == 0 {
		return
	}
	t := jointtree.From(scene, watched)
	for _, i := range t.Order {
		for at, depth := range chainDepths {
			if t.Nodes[i].Depth == depth {
				c.bodies = append(c.bodies, chained{int(i), at})
			}
		}
	}
	c.drawn = make([]claim, len(c.bodies)*pastKept)
}

func (c *chain) copyFrom(o *chain) {
	drawn := append(c.drawn[:0], o.drawn...)
	*c = *o
	c.drawn = drawn
}

// ChainError returns the root mean square of how far the bodies so many joints from the
// player's cube are drawn from where they are at the tick that their picture claims to
// show, in metres. ok is false where there are none.
func (c *Score) ChainError(depth int) (rms float64, ok bool) {
	for at, d := range chainDepths {
		if a := &c.chain.sums[at]; d == depth && a.count > 0 {
			return math.Sqrt(a.square / float64(a.count)), true
		}
	}
	return 0, false
}

// chainMeasures appends those. They have a title, and so a row, only where there are
// such bodies.
func (c *Score) chainMeasures(dst []Measure) []Measure {
	for i, depth := range chainDepths {
		m := chainRows[i]
		if m.Value, m.OK = c.ChainError(depth); !m.OK {
			m.Title = ""
		}
		dst = append(dst, m)
	}
	return dst
}

// chainRows are the measures of a chain without their values.
var chainRows = func() (rows [len(chainDepths)]Measure) {
	for i, depth := range chainDepths {
		n := strconv.Itoa(depth)
		rows[i] = Measure{
			Name: "chain_" + n + "_rms_m", Title: "chain at joint " + n + ", RMS, m", Digits: 4, Better: Lower,
			Help: "distance of drawn bodies that are " + n + " joints from the player's cube from where they are, or will be, at the tick that their picture claims to show, root mean square",
		}
	}
	return rows
}()
