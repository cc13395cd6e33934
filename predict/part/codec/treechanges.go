package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// treeChanges is what a Broadcast knows of joint trees.
type treeChanges struct {
	encoding TreeEncoding
	builtFor treeKey         // what byPlayer was built for
	byPlayer []ChangeTracker // by the client's player plus one, because each may have another root
}

// treeKey is what joint trees depend on besides the scene.
type treeKey struct {
	encoding    TreeEncoding
	attachments sim.Attachments
}

// declareTree declares the encoding of joint trees.
func (b *Broadcast) declareTree(env *predict.Env) {
	b.tree = &treeChanges{}
	b.tree.encoding.Declare(env.Knobs)
}

// update notes a step, and reports whether jointed bodies are encoded relative to each other.
func (t *treeChanges) update(w *predict.World) bool {
	if key := (treeKey{t.encoding, w.Attachments()}); t.builtFor != key {
		t.builtFor, t.byPlayer = key, nil // everything counts as changed
	}
	if t.encoding.mode == treeOff {
		return false
	}
	if t.byPlayer == nil {
		for player := -1; player < w.Scene().Players; player++ {
			t.byPlayer = append(t.byPlayer, ChangeTracker{tree: t.encoding.Tree(w.Scene(), &t.builtFor.attachments, player)})
		}
	}
	for i := range t.byPlayer {
		t.byPlayer[i].Update(w)
	}
	return true
}

// changesFor returns the changes for the client of a player, or of a spectator if player is -1.
func (b *Broadcast) changesFor(seat int) *ChangeTracker {
	if b.tree == nil || b.tree.byPlayer == nil {
		return &b.changes
	}
	return &b.tree.byPlayer[seat+1]
}

func (t *treeChanges) copyFrom(o *treeChanges) {
	t.encoding, t.builtFor, t.byPlayer = o.encoding, o.builtFor, nil
	for i := range o.byPlayer {
		t.byPlayer = append(t.byPlayer, ChangeTracker{})
		t.byPlayer[i].CopyFrom(&o.byPlayer[i])
	}
}

// Fields decodes a snapshot payload and calls see for each field. The payload does not say whether
// it is partial or has a joint tree, so Fields takes the first form that fits: whole, then partial;
// no tree, then a tree with each possible root. It has checks if the marker of the first one is found
// in it.
func Fields(payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return FieldsWithHeader(nil, payload, scene, see)
}

// FieldsWithHeader is Fields for a strategy with a header of its own before a snapshot: header
// reads it, if not nil.
func FieldsWithHeader(header func(*quant.Coder), payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	checks := quant.ContainsCheck(payload, "tick")
	read := func(e TreeEncoding, player int, partial bool, see func(quant.Field)) error {
		known := make([]sim.Body, len(scene.Boxes)) // bodies that are not included count as known
		r := Receiver{Checks: checks, HasSnapshot: true, Bodies: known, partial: partial, layoutOnly: true}
		r.SetEncoding(scene, e, player)
		c := r.Begin(payload)
		c.OnField(see)
		if header != nil {
			header(c)
		}
		_, err := r.Finish(payload, scene, 0)
		return err
	}
	type form struct {
		encoding TreeEncoding
		viewer   int
	}
	forms := []form{{viewer: -1}}
	for player := -1; player < scene.Players && len(scene.Joints) > 0; player++ {
		forms = append(forms, form{TreeEncoding{mode: treeRelative, root: int(jointtree.OperatedRoot)}, player})
	}
	for _, partial := range []bool{false, true} {
		for _, x := range forms {
			if read(x.encoding, x.viewer, partial, nil) == nil {
				return read(x.encoding, x.viewer, partial, see)
			}
		}
	}
	return read(TreeEncoding{}, -1, len(scene.Boxes) > MaxBodies, see)
}

// InputAndSnapshotFields decodes the packets of a strategy whose clients send inputs and whose
// server sends snapshots.
func InputAndSnapshotFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return input.FieldsOr(up, payload, see, func() error { return Fields(payload, scene, see) })
}
