package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// driven expects where a vehicle goes that another player drives. It steps the vehicle alone, in a world of its own,
// from the newest snapshot on, with the inputs that the driver is known to give. So it knows what an acceleration
// does not tell: how the vehicle turns, and what a key does that waits at the server for its tick.
type driven struct {
	body    int        // the vehicle, in the scene
	world   *sim.World // of driver and vehicle; nil if the vehicle is jointed to other bodies
	frames  []Frame    // in the newest snapshot and in the ticks after it, as far as they were asked for
	inputs  []sim.Input
	tick    sim.Tick // of the newest snapshot
	changed bool     // its inputs are not those that were expected before
}

// The bodies of the world of a driven candidate.
const (
	driver = iota
	vehicle
)

// newDriven returns the expectation of a vehicle of a scene.
func newDriven(scene *sim.Scene, v sim.Vehicle, rate int) driven {
	d := driven{body: v.Body}
	for _, j := range scene.Joints {
		if j.A == v.Body || j.B == v.Body {
			return d
		}
	}
	s := *scene
	s.Players, s.Walkers, s.Carriers, s.Joints, s.Couplings = 1, 0, nil, nil, nil
	s.Boxes = []sim.Box{scene.Boxes[0], scene.Boxes[v.Body]}
	v.Body = vehicle
	s.Vehicles = []sim.Vehicle{v}
	d.world = sim.New(s, rate)
	return d
}

// begin begins with the vehicle in the snapshot of a tick. next are the driver's inputs from that tick on as far as they
// are known, and last is the one before them.
func (d *driven) begin(t sim.Tick, b sim.Body, last sim.Input, next []sim.Input, settings sim.Settings) {
	if d.world == nil {
		return
	}
	known := [...]sim.Input{last}
	if len(next) == 0 {
		next = known[:]
	}
	d.changed = false
	for i, in := range next {
		d.changed = d.changed || len(d.frames) > 0 && in != d.inputAt(int(t-d.tick)+i)
	}
	d.tick, d.inputs = t, append(d.inputs[:0], next...)
	d.world.Settings = settings
	d.world.SetBody(driver, sim.Body{Pose: geom.Pose{Pos: b.Pose.Pos, Rot: geom.Identity}})
	d.world.SetBody(vehicle, b)
	d.world.SetAttachments(sim.Attachments{Vehicle: [sim.MaxPlayers]uint8{1}})
	d.world.DropHiddenState()
	d.frames = append(d.frames[:0], OfBody(&b))
}

// end ends the expectation: nobody else drives the vehicle.
func (d *driven) end() { d.frames, d.changed = d.frames[:0], false }

// at returns the frame some ticks after the newest snapshot.
func (d *driven) at(ticks int) Frame {
	for len(d.frames) <= ticks {
		in := d.inputAt(len(d.frames) - 1)
		in.Buttons &^= sim.ActionButtons // it goes on driving
		d.world.Step(in)
		d.frames = append(d.frames, OfBody(&d.world.Bodies()[vehicle]))
	}
	return d.frames[ticks]
}

// inputAt returns the driver's input some ticks after the newest snapshot. The newest known one is repeated.
func (d *driven) inputAt(ticks int) sim.Input { return d.inputs[min(max(ticks, 0), len(d.inputs)-1)] }

// copyFrom makes d a copy of o.
func (d *driven) copyFrom(o *driven) {
	d.frames, d.inputs = append(d.frames[:0], o.frames...), append(d.inputs[:0], o.inputs...)
	if d.tick, d.changed = o.tick, o.changed; d.world != nil {
		d.world.CopyFrom(o.world)
	}
}
