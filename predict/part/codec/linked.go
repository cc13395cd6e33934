package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// linked is what a Broadcast knows of linked bodies.
type linked struct {
	how  Linking
	made Linking   // what the following were made for
	by   []Changes // by the client's player and one: each may have a root of its own
}

// DeclareLinks is Declare for strategies that may tell of linked bodies relative to each
// other.
func (b *Broadcast) DeclareLinks(env *predict.Env) {
	b.Declare(env)
	b.linked = &linked{}
	b.linked.how.Declare(env.Knobs)
}

// note takes in a step, and reports whether linked bodies are told of relative to each
// other.
func (l *linked) note(w *sim.World) bool {
	if l.made != l.how {
		l.made, l.by = l.how, nil
	}
	if l.how.mode == off {
		return false
	}
	if l.by == nil {
		for player := -1; player < w.Scene().Players; player++ {
			l.by = append(l.by, Changes{tree: l.how.Tree(w.Scene(), player)})
		}
	}
	for i := range l.by {
		l.by[i].Note(w)
	}
	return true
}

// of is what has changed for a client by its player.
func (b *Broadcast) of(seat int) *Changes {
	if b.linked == nil || b.linked.by == nil {
		return &b.changes
	}
	return &b.linked.by[seat+1]
}

func (l *linked) copyFrom(o *linked) {
	l.how, l.made, l.by = o.how, o.made, nil
	for i := range o.by {
		l.by = append(l.by, Changes{})
		l.by[i].CopyFrom(&o.by[i])
	}
}

// Fields reads a snapshot's payload and has see told of every field of it. Which form it
// has it does not say: it is the first that it fits, of bodies by themselves and of
// linked ones by each choice of a root.
func Fields(payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return FieldsAfter(nil, payload, scene, see)
}

// FieldsAfter is Fields for a strategy that puts something of its own before a snapshot:
// head reads it, if it is not nil.
func FieldsAfter(head func(*quant.Coder), payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	read := func(t *jointtree.Tree, see func(quant.Field)) error {
		r := Receiver{Any: true, Bodies: make([]sim.Body, len(scene.Boxes)), tree: t, form: true} // bodies that do not follow are there
		c := r.Begin(payload)
		c.Watch(see)
		if head != nil {
			head(c)
		}
		_, err := r.Finish(payload, scene, 0)
		return err
	}
	var tree *jointtree.Tree
	if len(scene.Joints) > 0 && read(nil, nil) != nil {
		for player := -1; player < scene.Players; player++ {
			if t := jointtree.New(scene, jointtree.Operated, player); read(t, nil) == nil {
				tree = t
				break
			}
		}
	}
	return read(tree, see)
}

// InputsAndSnapshots looks into the packets of a strategy whose clients send
// inputs and whose server sends snapshots.
func InputsAndSnapshots(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return input.FieldsOr(up, payload, see, func() error { return Fields(payload, scene, see) })
}
