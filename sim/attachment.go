package sim

import (
	"fmt"

	"ghostcube/sim/geom"
)

// Vehicle makes a body a vehicle: a player near it can enter it (Use) and then drives it instead of
// its own body, which sits on the vehicle, collides with nothing and moves with it.
type Vehicle struct {
	Body  int       // index of the body
	Seat  geom.Pose // of the player's body, in the vehicle's frame
	Exit  geom.Vec3 // where a player that leaves is placed, metres, in the vehicle's frame
	Force float32   // N per direction, along the ground
	Turn  float32   // rad/s; it turns into the direction of the force, which is Force in any; 0: it does not turn
}

// Coupling makes a joint of the scene a coupling, which players connect and disconnect (Couple).
type Coupling struct {
	Joint int
	Open  bool // disconnected at the start
}

// Limits of a scene's attachments.
const (
	MaxVehicles  = 15
	MaxCouplings = 64
)

const (
	useReach      = 3   // metres; from the player's body to the seat that it enters
	coupleReach   = 3.5 // metres; from the body that the player drives to the coupling
	maxConnectGap = 0.6 // metres; between the anchors of a coupling that is connected
)

// Attachments is which player drives which vehicle and which couplings are connected: the part of a
// State that is neither a body nor a contact. The zero value has no drivers and no open couplings.
type Attachments struct {
	Vehicle [MaxPlayers]uint8 // by player: index into Scene.Vehicles plus 1; 0: its own body
	Open    uint64            // a bit for each coupling, the first one lowest: disconnected
}

// actionState is the state of the players' actions.
type actionState struct {
	Attachments
	held [MaxPlayers]Buttons // by player: the action buttons of the last step
}

// newActions checks the vehicles and couplings of the scene and sets their start.
func (w *World) newActions() {
	s := &w.scene
	if len(s.Vehicles) > MaxVehicles || len(s.Couplings) > MaxCouplings {
		panic(fmt.Sprintf("sim: New: %d vehicles and %d couplings; want at most %d and %d", len(s.Vehicles), len(s.Couplings), MaxVehicles, MaxCouplings))
	}
	w.hasActions = s.HasActions()
	w.couplingOf = make([]int8, len(s.Joints))
	for i := range w.couplingOf {
		w.couplingOf[i] = -1
	}
	for k, c := range s.Couplings {
		w.couplingOf[c.Joint] = int8(k)
		if c.Open {
			w.state.actions.Open |= 1 << k
		}
	}
	w.hasFilterGroups = w.hasFilterGroups || len(s.Vehicles) > 0
}

// HasActions reports whether the scene has anything to enter or to connect.
func (s *Scene) HasActions() bool { return len(s.Vehicles)+len(s.Couplings) > 0 }

// Valid reports whether a could be the attachments of the scene: all vehicles exist, each has one
// driver at most, and only couplings are open.
func (a *Attachments) Valid(s *Scene) bool {
	var taken [MaxVehicles + 1]bool
	for p, v := range a.Vehicle {
		if v == 0 {
			continue
		}
		if p >= s.Players || int(v) > len(s.Vehicles) || taken[v] {
			return false
		}
		taken[v] = true
	}
	return len(s.Couplings) == MaxCouplings || a.Open>>len(s.Couplings) == 0
}

// Operated returns the body that player p drives: its vehicle, or its own body.
func (s *Scene) Operated(a *Attachments, p int) int {
	if v := a.Vehicle[p]; v > 0 {
		return s.Vehicles[v-1].Body
	}
	return p
}

// JointOpen reports whether joint i is a disconnected coupling.
func (s *Scene) JointOpen(a *Attachments, i int) bool {
	if a.Open == 0 {
		return false
	}
	for k := range s.Couplings {
		if s.Couplings[k].Joint == i {
			return a.Open>>k&1 != 0
		}
	}
	return false
}

// Attachments returns the attachments of the current state.
func (w *World) Attachments() Attachments { return w.state.actions.Attachments }

// SetAttachments overwrites the attachments, which must be valid, as a correction from the network
// does. Players that drive a vehicle move to their seats.
func (w *World) SetAttachments(a Attachments) {
	before := w.state.actions.Attachments
	if a == before {
		return
	}
	w.state.actions.Attachments = a
	w.changes++
	w.NoteChange()
	for k := range w.scene.Couplings {
		if (a.Open^before.Open)>>k&1 != 0 {
			w.couplingChanged(k)
		}
	}
	w.placeDrivers()
}

// SetHeldActions sets the action buttons of the last step to those of inputs, by player, so that a
// button that stays down does not act again.
func (w *World) SetHeldActions(inputs []Input) {
	if !w.hasActions {
		return
	}
	for p := range min(len(inputs), w.scene.Players) {
		w.state.actions.held[p] = inputs[p].Buttons & ActionButtons
	}
	w.NoteChange()
}

// Operated returns the body that player p drives: its vehicle, or its own body.
func (w *World) Operated(p int) int { return w.scene.Operated(&w.state.actions.Attachments, p) }

// JointOpen reports whether joint i is a disconnected coupling.
func (w *World) JointOpen(i int) bool {
	k := w.couplingOf[i]
	return k >= 0 && w.state.actions.Open>>k&1 != 0
}

// drives reports whether body i is that of a player who drives a vehicle.
func (w *World) drives(i int32) bool {
	return w.hasActions && int(i) < w.scene.Players && w.state.actions.Vehicle[i] != 0
}

// applyActions lets the players whose action buttons have gone down act.
func (w *World) applyActions(inputs []Input) {
	for p := range w.scene.Players {
		var buttons Buttons
		if p < len(inputs) {
			buttons = inputs[p].Buttons & ActionButtons
		}
		pressed := buttons &^ w.state.actions.held[p]
		w.state.actions.held[p] = buttons
		if pressed&Use != 0 {
			w.use(p)
		}
		if pressed&Couple != 0 {
			w.couple(p)
		}
	}
}

// use makes player p leave its vehicle, or enter the nearest free one.
func (w *World) use(p int) {
	a := &w.state.actions.Attachments
	if v := a.Vehicle[p]; v > 0 {
		a.Vehicle[p] = 0
		w.leave(p, &w.scene.Vehicles[v-1])
		return
	}
	var taken [MaxVehicles + 1]bool
	for _, v := range a.Vehicle {
		taken[v] = true
	}
	nearest, at := 0, w.state.Bodies[p].Pose.Pos
	reachSq := float32(useReach * useReach)
	for i := range w.scene.Vehicles {
		v := &w.scene.Vehicles[i]
		pose := w.state.Bodies[v.Body].Pose
		if d := pose.Pos.Add(pose.Rot.Rotate(v.Seat.Pos)).Sub(at).LenSq(); d < reachSq && !taken[i+1] {
			nearest, reachSq = i+1, d
		}
	}
	if nearest > 0 {
		a.Vehicle[p] = uint8(nearest)
		w.wakeBody(int32(w.scene.Vehicles[nearest-1].Body))
		w.placeDriver(p)
	}
}

// leave places player p beside a vehicle, at the velocity of the vehicle there.
func (w *World) leave(p int, v *Vehicle) {
	if w.kinematic(int32(p)) {
		return
	}
	from, b := &w.state.Bodies[v.Body], &w.state.Bodies[p]
	arm := from.Pose.Rot.Rotate(v.Exit)
	b.Pose.Pos = w.clampToBounds(from.Pose.Pos.Add(arm))
	b.Linear, b.Angular = from.Linear.Add(from.Angular.Cross(arm)), geom.Vec3{}
	w.touch(int32(p))
	b.Asleep = false
	w.state.slowTicks[p] = 0
	w.straighten(p)
	w.updateShapes(p)
}

// placeDrivers moves the players that drive a vehicle to their seats.
func (w *World) placeDrivers() {
	for p := range w.scene.Players {
		if w.drives(int32(p)) {
			w.placeDriver(p)
		}
	}
}

// placeDriver moves player p to its seat, unless its body is kinematic.
func (w *World) placeDriver(p int) {
	if w.kinematic(int32(p)) {
		return
	}
	v := &w.scene.Vehicles[w.state.actions.Vehicle[p]-1]
	from, b := &w.state.Bodies[v.Body], &w.state.Bodies[p]
	w.touch(int32(p))
	arm := from.Pose.Rot.Rotate(v.Seat.Pos)
	b.Pose = geom.Pose{Pos: w.clampToBounds(from.Pose.Pos.Add(arm)), Rot: from.Pose.Rot.Mul(v.Seat.Rot).Unit()}
	b.Linear, b.Angular, b.Asleep = from.Linear.Add(from.Angular.Cross(arm)), from.Angular, from.Asleep
	if w.kinematic(int32(v.Body)) {
		b.Linear, b.Angular, b.Asleep = geom.Vec3{}, geom.Vec3{}, true
	}
	w.touch(int32(p))
	w.straighten(p)
	w.updateShapes(p)
}

// couple toggles the coupling that is nearest to the body that player p drives: it disconnects one
// that is connected, and connects one whose two anchors are near each other.
func (w *World) couple(p int) {
	at := w.state.Bodies[w.Operated(p)].Pose.Pos
	nearest, reachSq := -1, float32(coupleReach*coupleReach)
	for k := range w.scene.Couplings {
		i := w.scene.Couplings[k].Joint
		a, b := w.JointAnchors(i)
		if w.JointOpen(i) && a.Sub(b).LenSq() > maxConnectGap*maxConnectGap {
			continue
		}
		if d := min(a.Sub(at).LenSq(), b.Sub(at).LenSq()); d < reachSq {
			nearest, reachSq = k, d
		}
	}
	if nearest >= 0 {
		w.state.actions.Open ^= 1 << nearest
		w.couplingChanged(nearest)
	}
}

// couplingChanged wakes both bodies of coupling k and clears its impulses.
func (w *World) couplingChanged(k int) {
	i := w.scene.Couplings[k].Joint
	w.state.jointImpulses[i] = jointImpulse{}
	w.activity.disturbed = true
	j := &w.joints[i]
	w.wakeBody(int32(j.B))
	if j.A != WorldBody {
		w.wakeBody(int32(j.A))
	}
}

// drive pushes the vehicle of player p along the ground.
func (w *World) drive(p int, in Input) {
	v := &w.scene.Vehicles[w.state.actions.Vehicle[p]-1]
	if w.kinematic(int32(v.Body)) {
		return
	}
	f := w.push(v.Body, in, v.Force)
	if f == (geom.Vec3{}) {
		return
	}
	if v.Turn > 0 {
		f = f.Unit().Scale(v.Force)
		w.turnTo(v, f)
	}
	if f.Dot(w.state.Bodies[v.Body].Linear) < 0 {
		f = f.Scale(brakingBoost)
	}
	w.addForce(v.Body, f)
}

// digest adds the attachments and the held actions to a digest.
func (s *actionState) digest(d *Digest) {
	d.Add(uint32(s.Open))
	d.Add(uint32(s.Open >> 32))
	for p := range s.Vehicle {
		if n := uint32(s.Vehicle[p])<<8 | uint32(s.held[p]); p < 4 || n != 0 { // absent players after the fourth add nothing
			d.Add(n | uint32(p/4)<<16)
		}
	}
}
