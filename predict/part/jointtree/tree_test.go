package jointtree

import (
	"slices"
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// jointedRow returns a scene of cubes in a row, one metre from centre to centre. Cube heavy is the
// heaviest. joints are the pairs of cubes with a joint between them.
func jointedRow(cubes, heavy int, joints ...[2]int) *sim.Scene {
	s := &sim.Scene{Players: 1}
	for i := range cubes {
		b := sim.Box{Half: geom.Vec3{X: 0.2, Y: 0.2, Z: 0.2}, Density: 1}
		b.Start.Pose = geom.Pose{Pos: geom.Vec3{X: float32(i), Z: 1}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, float32(i))}
		if i == heavy {
			b.Density = 2
		}
		s.Boxes = append(s.Boxes, b)
	}
	for _, t := range joints {
		j := sim.Joint{A: t[0], B: t[1], Anchor: geom.Vec3{X: float32(t[1]) - 0.5, Z: 1}}
		s.Joints = append(s.Joints, j)
	}
	return s
}

// TestTree checks that trees are built breadth first from the root in the order of the joints, that
// joints that close a loop and joints to the world are in no tree, and that a body without joints
// has no tree.
func TestTree(t *testing.T) {
	for _, c := range []struct {
		name    string
		scene   *sim.Scene
		root    RootChoice
		player  int
		parents []int
		order   []int32
		joints  int // of the tree of body 1
	}{
		{"chain", jointedRow(4, 0, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), HeaviestRoot, None, []int{None, 0, 1, 2}, []int32{1, 2, 3}, 3},
		{"chain, root in the middle", jointedRow(4, 2, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), HeaviestRoot, None, []int{1, 2, None, 2}, []int32{1, 3, 0}, 3},
		{"chain, player as root", jointedRow(4, 2, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), OperatedRoot, 0, []int{None, 0, 1, 2}, []int32{1, 2, 3}, 3},
		{"player outside the tree", jointedRow(5, 2, [2]int{1, 2}, [2]int{2, 3}), OperatedRoot, 0, []int{None, 2, None, 2, None}, []int32{1, 3}, 2},
		{"closed loop", jointedRow(4, 1, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 1}), HeaviestRoot, None, []int{None, None, 1, 1}, []int32{2, 3}, 3},
		{"two joints between one pair", jointedRow(3, 1, [2]int{1, 2}, [2]int{1, 2}), HeaviestRoot, None, []int{None, None, 1}, []int32{2}, 2},
		{"joint to the world", jointedRow(3, 0, [2]int{sim.WorldBody, 1}, [2]int{1, 2}), HeaviestRoot, None, []int{None, None, 1}, []int32{2}, 1},
		{"equal masses", jointedRow(3, None, [2]int{2, 1}), HeaviestRoot, None, []int{None, None, 1}, []int32{2}, 1},
	} {
		tree := New(c.scene, &sim.Attachments{}, c.root, c.player)
		var parents []int
		for _, n := range tree.Nodes {
			parents = append(parents, n.Parent)
		}
		if !slices.Equal(parents, c.parents) || !slices.Equal(tree.Order, c.order) {
			t.Errorf("%s: parents %v, order %v, want %v and %v", c.name, parents, tree.Order, c.parents, c.order)
		}
		for i, n := range tree.Nodes {
			if n.Parent != None && (n.Depth != tree.Nodes[n.Parent].Depth+1 || n.Root != tree.Nodes[n.Parent].Root) || n.Root == i && n.Depth != 0 {
				t.Errorf("%s: body %d: %+v", c.name, i, n)
			}
		}
		if n := JointCount(c.scene, &sim.Attachments{}, 1); n != c.joints {
			t.Errorf("%s: %d joints, want %d", c.name, n, c.joints)
		}
	}
	tree := NewRootedAt(jointedRow(5, 2, [2]int{3, 1}, [2]int{0, 3}, [2]int{2, 4}), &sim.Attachments{}, 0)
	if !slices.Equal(tree.Order, []int32{3, 1}) || tree.Nodes[1].Depth != 2 {
		t.Errorf("tree rooted at 0: order %v", tree.Order)
	}
}

// TestWalkerTree checks that the 74 bodies of the walker form one tree whose root is its frame, and
// that the solver covers all its joints, because the tree has closed loops.
func TestWalkerTree(t *testing.T) {
	s := predicttest.Scene(t, "walker")
	tree := New(&s, &sim.Attachments{}, HeaviestRoot, None)
	treeBodies, deepest := 0, 0
	for i, n := range tree.Nodes {
		if n.Root != None {
			treeBodies, deepest = treeBodies+1, max(deepest, n.Depth)
			if n.Root != 1 {
				t.Errorf("body %d has root %d, want 1", i, n.Root)
			}
		}
	}
	loops := NewLoops(&s, &sim.Attachments{}, tree)
	if treeBodies != 74 || len(tree.Order) != 73 || len(loops.joints) != len(s.Joints) || deepest < 2 {
		t.Errorf("%d bodies, %d with a parent, %d of %d joints in loops, %d deep", treeBodies, len(tree.Order), len(loops.joints), len(s.Joints), deepest)
	}
}

// TestLocal checks that ToWorld inverts ToLocal, poses and velocities included, that a body fixed to
// a moving and turning parent has no local velocities, at its anchor and at its centre, and that a
// sleeping body has none either.
func TestLocal(t *testing.T) {
	n := &New(jointedRow(2, 0, [2]int{0, 1}), &sim.Attachments{}, HeaviestRoot, None).Nodes[1]
	unit := func(x, y, z float32) geom.Vec3 { v := geom.Vec3{X: x, Y: y, Z: z}; return v.Scale(1 / v.Len()) }
	parent := sim.Body{
		Pose:   geom.Pose{Pos: geom.Vec3{X: 3, Y: -2, Z: 5}, Rot: geom.AxisAngle(unit(1, 2, 3), 1.2)},
		Linear: geom.Vec3{X: 4, Y: 5, Z: -6}, Angular: geom.Vec3{X: 1, Y: -2, Z: 3},
	}
	body := sim.Body{
		Pose:   geom.Pose{Pos: geom.Vec3{X: 3.5, Y: -1, Z: 4}, Rot: geom.AxisAngle(unit(3, -2, 1), 2.1)},
		Linear: geom.Vec3{X: -1, Y: 2, Z: 3}, Angular: geom.Vec3{X: 0.3, Y: 2, Z: -1},
	}
	expectClose := func(what string, a, b sim.Body) {
		t.Helper()
		d := a.Pose.Pos.Sub(b.Pose.Pos).Len() + a.Pose.Rot.Mul(b.Pose.Rot.Inverse()).Angle() + a.Linear.Sub(b.Linear).Len() + a.Angular.Sub(b.Angular).Len()
		if !(d < 2e-5) || a.Asleep != b.Asleep {
			t.Errorf("%s: off by %v: %+v, want %+v", what, d, a, b)
		}
	}
	local := n.ToLocal(&parent, &body)
	expectClose("ToWorld of ToLocal", n.ToWorld(&parent, &local), body)
	centre := n.ToCenter(local)
	if p := n.WorldPoseOfCenter(parent.Pose, centre.Pose); p.Pos.Sub(body.Pose.Pos).Len() > 1e-5 {
		t.Errorf("position from its centre %v, want %v", p.Pos, body.Pose.Pos)
	}
	// A body fixed to the parent has no local velocity, at its anchor or its centre.
	atRest := sim.Body{Pose: geom.Pose{Rot: local.Pose.Rot}}
	fixed := n.ToWorld(&parent, &atRest)
	back := n.ToLocal(&parent, &fixed)
	expectClose("fixed to the parent", back, atRest)
	if v := n.ToCenter(back).Linear.Len(); v > 1e-5 {
		t.Errorf("fixed to the parent: the centre moves at %v m/s", v)
	}
	fixed.Asleep = true
	if l := n.ToLocal(&parent, &fixed); l.Linear != (geom.Vec3{}) || l.Angular != (geom.Vec3{}) || !l.Asleep {
		t.Errorf("asleep: local state %+v, want no velocities", l)
	}
}

// TestSolveLoops checks that Solve closes gaps, further with more iterations, that roots and fixed
// bodies do not move, that poses without gaps stay the same, bit for bit, and that it allocates
// nothing.
func TestSolveLoops(t *testing.T) {
	s := predicttest.Scene(t, "walker")
	tree := New(&s, &sim.Attachments{}, HeaviestRoot, None)
	loops := NewLoops(&s, &sim.Attachments{}, tree)
	largestGap := func(poses []geom.Pose) (m float32) {
		for k := range loops.joints {
			m = max(m, loops.joints[k].separation(poses).Len())
		}
		return m
	}
	poses, fixed := make([]geom.Pose, len(s.Boxes)), make([]bool, len(s.Boxes))
	reset := func() {
		for i := range poses {
			poses[i] = s.Boxes[i].Start.Pose
			poses[i].Rot = poses[i].Rot.Unit()
		}
	}
	reset()
	before := slices.Clone(poses)
	loops.Solve(poses, fixed, 32)
	if !slices.Equal(before, poses) {
		t.Error("Solve moved bodies although no joint was separated")
	}
	last := float32(1)
	for _, iterations := range []int{0, 4, 32} {
		reset()
		for _, i := range tree.Order { // a small rotation relative to the parent
			poses[i].Rot = geom.AxisAngle(geom.Vec3{Y: 1}, 0.02*float32(i%3)-0.02).Mul(poses[i].Rot)
		}
		loops.Solve(poses, fixed, iterations)
		m := largestGap(poses)
		if m >= last || iterations == 32 && m > 0.001 {
			t.Errorf("%d iterations: largest separation %v m, with fewer %v m", iterations, m, last)
		}
		if last = m; poses[1] != s.Boxes[1].Start.Pose {
			t.Error("Solve moved the root")
		}
	}
	fixed[5] = true
	reset()
	before[5] = poses[5]
	poses[6].Pos.X += 0.02
	if loops.Solve(poses, fixed, 8); poses[5] != before[5] {
		t.Error("Solve moved a fixed body")
	}
	if n := testing.AllocsPerRun(10, func() { loops.Solve(poses, fixed, 8) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestWorldRotation checks that with UseWorldRotation ToWorld still inverts ToLocal, that the body's
// rotation does not depend on the parent's, and that the joint stays closed.
func TestWorldRotation(t *testing.T) {
	tree := New(jointedRow(2, 0, [2]int{0, 1}), &sim.Attachments{}, HeaviestRoot, None)
	tree.UseWorldRotation()
	n := &tree.Nodes[1]
	parent := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 3, Z: 5}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 1.2)}, Linear: geom.Vec3{X: 4}, Angular: geom.Vec3{Y: 3}}
	local := sim.Body{Pose: geom.Pose{Rot: geom.AxisAngle(geom.Vec3{X: 1}, 0.7)}, Angular: geom.Vec3{X: 2}}
	body := n.ToWorld(&parent, &local)
	if body.Pose.Rot != local.Pose.Rot || body.Angular != local.Angular {
		t.Errorf("rotation %v, angular velocity %v: want the local ones", body.Pose.Rot, body.Angular)
	}
	gap := body.Pose.Pos.Add(body.Pose.Rot.Rotate(n.anchor)).Sub(parent.Pose.Pos.Add(parent.Pose.Rot.Rotate(n.parentAnchor)))
	back := n.ToLocal(&parent, &body)
	if d := back.Pose.Pos.Len() + back.Linear.Len() + gap.Len(); d > 1e-5 || back.Pose.Rot != local.Pose.Rot {
		t.Errorf("ToLocal of ToWorld: %+v, separation %v", back, gap)
	}
}

// TestNewLoops checks that the joints of a tree with a closed loop are those of its solver, and that a
// scene without a loop has none, whether or not it is jointed to the world.
func TestNewLoops(t *testing.T) {
	for spec, want := range map[string]int{"plain": 0, "trailer": 0, "seesaw": 0, "train:rods=8": 0} {
		s := predicttest.Scene(t, spec)
		tree := New(&s, &sim.Attachments{}, HeaviestRoot, 0)
		if l := NewLoops(&s, &sim.Attachments{}, tree); len(l.joints) != want {
			t.Errorf("%s: %d joints in loops, want %d", spec, len(l.joints), want)
		}
	}
	row := jointedRow(6, 0, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0}, [2]int{3, 4})
	row.Joints = append(row.Joints, sim.Joint{A: sim.WorldBody, B: 5})
	if l := NewLoops(row, &sim.Attachments{}, New(row, &sim.Attachments{}, HeaviestRoot, 0)); len(l.joints) != 3 {
		t.Errorf("%d joints in a loop of three", len(l.joints))
	}
}
