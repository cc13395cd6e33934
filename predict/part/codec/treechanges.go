package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// treeChanges is what a Broadcast knows of linked bodies.
type treeChanges struct {
	encoding TreeEncoding
	builtFor TreeEncoding    // what the following were made for
	byPlayer []ChangeTracker // by the client's player and one: each may have a root of its own
}

// DeclareTree is Declare for strategies that may tell of linked bodies relative to each
// other.
func (b *Broadcast) DeclareTree(env *predict.Env) {
	b.Declare(env)
	b.tree = &treeChanges{}
	b.tree.encoding.Declare(env.Knobs)
}

// update takes in a step, and reports whether linked bodies are told of relative to each
// other.
func (l *treeChanges) update(w *sim.World) bool {
	if l.builtFor != l.encoding {
		l.builtFor, l.byPlayer = l.encoding, nil
	}
	if l.encoding.mode == treeOff {
		return false
	}
	if l.byPlayer == nil {
		for player := -1; player < w.Scene().Players; player++ {
			l.byPlayer = append(l.byPlayer, ChangeTracker{tree: l.encoding.Tree(w.Scene(), player)})
		}
	}
	for i := range l.byPlayer {
		l.byPlayer[i].Update(w)
	}
	return true
}

// changesFor is what has changed for a client by its player.
func (b *Broadcast) changesFor(seat int) *ChangeTracker {
	if b.tree == nil || b.tree.byPlayer == nil {
		return &b.changes
	}
	return &b.tree.byPlayer[seat+1]
}

func (l *treeChanges) copyFrom(o *treeChanges) {
	l.encoding, l.builtFor, l.byPlayer = o.encoding, o.builtFor, nil
	for i := range o.byPlayer {
		l.byPlayer = append(l.byPlayer, ChangeTracker{})
		l.byPlayer[i].CopyFrom(&o.byPlayer[i])
	}
}

// Fields reads a snapshot's payload and has see told of every field of it. Which form it
// has it does not say: it is the first that it fits, of bodies by themselves and of
// linked ones by each choice of a root.
func Fields(payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return FieldsWithHeader(nil, payload, scene, see)
}

// FieldsWithHeader is Fields for a strategy that puts something of its own before a snapshot:
// head reads it, if it is not nil.
func FieldsWithHeader(head func(*quant.Coder), payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	read := func(t *jointtree.Tree, see func(quant.Field)) error {
		r := Receiver{HasSnapshot: true, Bodies: make([]sim.Body, len(scene.Boxes)), tree: t, layoutOnly: true} // bodies that do not follow are there
		c := r.Begin(payload)
		c.OnField(see)
		if head != nil {
			head(c)
		}
		_, err := r.Finish(payload, scene, 0)
		return err
	}
	var tree *jointtree.Tree
	if len(scene.Joints) > 0 && read(nil, nil) != nil {
		for player := -1; player < scene.Players; player++ {
			if t := jointtree.New(scene, jointtree.PlayerRoot, player); read(t, nil) == nil {
				tree = t
				break
			}
		}
	}
	return read(tree, see)
}

// InputAndSnapshotFields looks into the packets of a strategy whose clients send
// inputs and whose server sends snapshots.
func InputAndSnapshotFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return input.FieldsOr(up, payload, see, func() error { return Fields(payload, scene, see) })
}
