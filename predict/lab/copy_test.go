package lab_test

import (
	"reflect"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/labtest/copytest"
	"ghostcube/sim"
)

// outsideCopies are the surroundings of a side, which CopyFrom leaves alone.
var outsideCopies = []reflect.Type{
	reflect.TypeFor[predict.Env](), reflect.TypeFor[predict.Knobs](), reflect.TypeFor[predict.Counters](),
	reflect.TypeFor[predict.Counter](), reflect.TypeFor[link.Wire](), reflect.TypeFor[sim.World](), reflect.TypeFor[sim.Scene](),
}

// sharedWithCopies are fields that follow from the scene, so that copies may share them, counts of
// allocated memory, and what is copied apart: the sideband of an endpoint by the lab, and the
// channels of a connection, whose package tests their copies.
var sharedWithCopies = map[string]bool{
	"jointPathErrors.bodies": true, "joints.anchors": true, "overlaps.radii": true, "parentErrors.parents": true, "spectralArc.cosines": true,
	"Receiver.tree": true, "ChangeTracker.tree": true, "jointPoses.tree": true, "Loops.joints": true, "jointPoses.player": true, "jointPoses.scene": true,
	"Parent.candidates": true, "Parent.grid": true, "Selection.candidates": true, "Selection.grid": true,
	"areaBroadcast.clusters": true, "areaBroadcast.start": true,
	"reassembler.bufferCount": true, "Endpoint.sideband": true, "Connection.channel": true, "Connection.blocks": true,
	"side.number": true, "compressionSettings.grids": true, "format.grids": true,
}

// skipInCopies reports whether a copy may differ: surroundings, and fields named scratch.
func skipInCopies(owner reflect.Type, field string, t reflect.Type) bool {
	if owner != nil && sharedWithCopies[owner.Name()+"."+field] {
		return true
	}
	for _, o := range outsideCopies {
		if t == o {
			return true
		}
	}
	return field == "scratch" || strings.HasSuffix(t.Name(), "cratch")
}

// ringElements returns the slots in use of a history.Ring, a playout.Buffer or another ring of
// that kind.
func ringElements(v reflect.Value) (list []reflect.Value, ok bool) {
	switch name, _, generic := strings.Cut(v.Type().Name(), "["); {
	case generic && name == "Ring":
		for slots, i := v.FieldByName("slots"), 0; i < slots.Len(); i++ {
			if s := slots.Index(i); s.FieldByName("used").Bool() {
				list = append(list, s.FieldByName("tick"), s.FieldByName("value"))
			}
		}
		return list, true
	case generic && name == "Buffer":
		ring, first, count := v.FieldByName("ring"), int(v.FieldByName("first").Int()), int(v.FieldByName("count").Int())
		for i := range count {
			list = append(list, ring.Index((first+i)%ring.Len()))
		}
		return list, true
	case name == "message" && v.FieldByName("updateCount").IsValid(): // of statesync: arrays and how much of them is used
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "inputs":
				for player := range int(v.FieldByName("players").Int()) {
					for n := range int(v.FieldByName("inputCount").Int()) {
						list = append(list, v.Field(i).Index(player).Index(n))
					}
				}
			case "updates":
				for n := range int(v.FieldByName("updateCount").Int()) {
					list = append(list, v.Field(i).Index(n))
				}
			case "codingScratch":
			default:
				list = append(list, v.Field(i))
			}
		}
		return list, true
	case name == "storedSnapshot": // its model is memory unless hasModel
		hasModel := v.FieldByName("hasModel").Bool() && v.FieldByName("used").Bool()
		for i := range v.NumField() {
			switch field := v.Type().Field(i).Name; {
			case field == "hasModel" || field == "used" || field == "model" && !hasModel:
			default:
				list = append(list, v.Field(i))
			}
		}
		return list, true
	}
	return nil, false
}

// TestCopiesAreComplete lets every strategy live for a while, changes every field of its sides
// and endpoints, copies them, and checks that the copies have the same values and share no
// memory with the originals.
func TestCopiesAreComplete(t *testing.T) {
	t.Parallel()
	specs := []string{
		allPolicies, "historyoffset" + allKnobs, "relative" + allKnobs,
		"historyoffset:interest-radius=2:interest-cutoff=30", "animated:joint-tree=relative",
		"rewind:late-inputs=resimulate", "rewind:messages=reliable:checks=on", "rewind:others=auto", "rewind:others=extrapolate",
		"statesync:others=auto", "statesync:others=interpolate:authority=client",
		"snapshot:compression=arithmetic:snapshot-every=2",
		"statesync:compression=delta:authority=client:adaptive=on", "statesync:compression=relative:jitter-buffer=0",
		"lockstep:transport=tcp:adaptive=on:follow-clock=on", "lockstep:adaptive=on", "rollback:topology=mesh",
		"statesync:send=dead-reckoning:dr-algorithm=acceleration:dr-threshold=0.1", "statesync:correction=predictive",
	}
	if experiment.Brief() {
		specs = specs[:1]
	}
	for _, s := range Strategies {
		specs = append(specs, s.Name)
	}
	tape := builtInTape(t, "shots")
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			l := labtest.Open(t, labtest.Config(t, "train:rods=8", "latency=40ms,jitter=25ms,loss=15%,duplicate=5%,reorder=10%,reorder-delay=30ms", AtClient), spec)
			for range 300 {
				labtest.Tick(t, l, Entry{Inputs: shooterInputs(tape, int(l.Ticks()), 11)[:1]})
			}
			p, q := l.Panes[0], l.Fork().Panes[0]
			c := &copytest.Checker{Skip: skipInCopies, Elements: ringElements, MaxElements: 16}
			c.Check(t, p.ServerSide(), q.ServerSide(), func() { q.ServerSide().CopyFrom(p.ServerSide()) })
			a, b := p.Clients[0], q.Clients[0]
			c.Check(t, a.Side(), b.Side(), func() { b.Side().CopyFrom(a.Side()) })
			c.Check(t, a.Endpoint, b.Endpoint, func() { b.Endpoint.CopyFrom(a.Endpoint) })
			if from, to := p.ServerConnection(0), q.ServerConnection(0); from != nil {
				c.Check(t, from, to, func() { to.CopyFrom(from) })
			}
			c.Check(t, &a.View, &b.View, func() { b.View.CopyFrom(&a.View) })
			c.Check(t, p.Score, q.Score, func() { q.Score.CopyFrom(p.Score) })
		})
	}
}
