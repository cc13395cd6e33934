package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var pathErrorAtJointsDefinition = Definition{
	Group: "Joints and parents", Title: "Path error along a joint chain",
	Measures: []Entry{
		{
			Measure{Name: "path_error_joint_1_rms_m", Title: "path error at joint 1, RMS, m", Digits: 4, Better: Lower,
				Help: "path error of drawn bodies at joint 1, counted from the player's cube, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.PathErrorAtJoint(1) },
		},
		{
			Measure{Name: "path_error_joint_4_rms_m", Title: "path error at joint 4, RMS, m", Digits: 4, Better: Lower,
				Help: "path error of drawn bodies at joint 4, counted from the player's cube, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.PathErrorAtJoint(4) },
		},
		{
			Measure{Name: "path_error_joint_16_rms_m", Title: "path error at joint 16, RMS, m", Digits: 4, Better: Lower,
				Help: "path error of drawn bodies at joint 16, counted from the player's cube, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.PathErrorAtJoint(16) },
		},
	},
	Text: `
The path error of the bodies that are 1, 4 and 16 joints away from the player's cube. A pose that is drawn ahead of
the server is compared when the server reaches its tick.`,
	Formula:   "sqrt(mean of |r(t) - s(m)|^2)",
	Undefined: "where no such body is joined to the player's cube",
	Blind:     "how late or early a pose is drawn",
}

// jointDepths are the numbers of joints from the player's cube at which path errors are measured.
var jointDepths = [...]int{1, 4, 16}

// jointWaitTicks is by how many ticks a drawn body may be ahead of the server.
const jointWaitTicks = 128

// jointPathErrors measures bodies that joints connect to the player's cube, by the number of joints
// between them and the cube: the distance from each drawn body to the server's body at the tick
// that its drawn pose claims to show, be that tick past or future.
type jointPathErrors struct {
	started bool
	bodies  []jointBody       // immutable once started
	pending []pendingPosition // drawn poses ahead of the server, by body and tick modulo jointWaitTicks
	sums    [len(jointDepths)]distanceSums
}

type jointBody struct{ body, depthIndex int } // depthIndex is an index into jointDepths

// pendingPosition is where a body was drawn for a future tick.
type pendingPosition struct {
	tick sim.Tick // plus one; 0 if there is none
	pos  geom.Vec3
}

// add adds a tick. history contains the server's positions up to this tick.
func (j *jointPathErrors) add(server *predict.World, v *predict.View, history *positionHistory, player int) {
	if !j.started {
		j.start(server, player)
	}
	now, n := server.Bodies(), min(len(server.Bodies()), len(v.Bodies))
	for k, b := range j.bodies {
		if b.body >= n {
			continue
		}
		ring := j.pending[k*jointWaitTicks : (k+1)*jointWaitTicks]
		drawnTick := v.TickOf(b.body)
		if drawnTick > server.Tick() {
			ring[drawnTick%jointWaitTicks] = pendingPosition{drawnTick + 1, v.Bodies[b.body].Pos}
		} else if positions := history.at(drawnTick, n); positions != nil {
			j.sums[b.depthIndex].add(float64(v.Bodies[b.body].Pos.Sub(positions[b.body]).Len()))
		}
		if due := &ring[server.Tick()%jointWaitTicks]; due.tick == server.Tick()+1 {
			j.sums[b.depthIndex].add(float64(due.pos.Sub(now[b.body].Pose.Pos).Len()))
			due.tick = 0
		}
	}
}

// start finds the bodies to measure.
func (j *jointPathErrors) start(server *predict.World, player int) {
	scene, a := server.Scene(), server.Attachments()
	j.started = true
	if len(scene.Joints) == 0 {
		return
	}
	t := jointtree.NewRootedAt(scene, &a, player)
	for _, i := range t.Order {
		for index, depth := range jointDepths {
			if t.Nodes[i].Depth == depth {
				j.bodies = append(j.bodies, jointBody{int(i), index})
			}
		}
	}
	j.pending = make([]pendingPosition, len(j.bodies)*jointWaitTicks)
}

func (j *jointPathErrors) copyFrom(o *jointPathErrors) {
	pending := append(j.pending[:0], o.pending...)
	*j = *o
	j.pending = pending
}

// PathErrorAtJoint returns the root mean square path error, in metres, of the bodies that are depth
// joints from the player's cube. ok is false if there are none.
func (s *Score) PathErrorAtJoint(depth int) (rms float64, ok bool) {
	for index, d := range jointDepths {
		if a := &s.jointErrors.sums[index]; d == depth && a.count > 0 {
			return math.Sqrt(a.square / float64(a.count)), true
		}
	}
	return 0, false
}
