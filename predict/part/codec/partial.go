package codec

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/interest"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// A partial snapshot contains the bodies that are due for its receiver by their distance. Worlds that
// are too large for whole snapshots are sent so, and all worlds if the area of interest is limited.
// After the players' inputs and the attachments it has
//
//	the indices of the included bodies (quant.Coder.Subset)
//	the included bodies, in the order of their indices
//	a digest of a group of bodies (digest.go)
//
// An awake body is included whenever it is due, a sleeping one until the receiver has acknowledged it
// since it last changed. A body that was never included is as at the start of the scene. Jointed bodies
// are due together.

// partialIndices encodes the indices of the included bodies.
var partialIndices = &quant.DenseIndexBuckets

// maxPartialBodyBits is an upper bound on the size of an included body, with its index.
const maxPartialBodyBits = 1 + AwakeBits + 32

// areaBroadcast is what a Broadcast knows of areas of interest.
type areaBroadcast struct {
	area     interest.Area
	clusters [][]int32  // bodies jointed to each other, lowest index first; most have one body
	start    []sim.Body // at the start of the scene, where a receiver begins
	counters areaCounters
	scratch  areaScratch
}

// areaCounters are what an areaBroadcast counts.
type areaCounters struct {
	bands         interest.BandCounters
	bodies, unfit predict.Counter
}

// areaScratch is memory of one snapshot.
type areaScratch struct {
	included []bool // by body
	list     []int  // of included bodies
	known    []bool // by body of a group
}

// DeclareRemote is Declare for strategies whose clients interpolate most bodies: jointed bodies may be
// encoded relative to each other, and the clients may have areas of interest.
func (b *Broadcast) DeclareRemote(env *predict.Env) {
	b.Declare(env)
	b.declareTree(env)
	scene := env.World.Scene()
	b.area = &areaBroadcast{clusters: jointClusters(scene), start: appendStart(nil, scene)}
	b.area.area.Declare(env.Knobs)
	env.Knobs.ChangesFormat("interest-radius", "interest-cutoff")
	k, m := &b.area.counters, env.Counters
	k.bands.Declare(m)
	k.bodies = m.New("bodies_per_snapshot", "mean number of bodies in a partial snapshot")
	k.unfit = m.New("waiting_bodies", "bodies that did not fit the last snapshot, now")
}

// IsPartial reports whether snapshots of a scene are partial with an area of interest.
func IsPartial(area *interest.Area, scene *sim.Scene) bool {
	return area.Limited() || len(scene.Boxes) > MaxBodies
}

// jointClusters returns the bodies of a scene, those that are jointed to each other together.
func jointClusters(scene *sim.Scene) (clusters [][]int32) {
	first := make([]int32, len(scene.Boxes)) // lowest index in each body's cluster
	for i := range first {
		first[i] = int32(i)
	}
	for changed := true; changed; {
		changed = false
		for _, j := range scene.Joints {
			if j.A == sim.WorldBody || j.B == sim.WorldBody {
				continue
			}
			a, b := &first[j.A], &first[j.B]
			if lowest := min(*a, *b); *a != lowest || *b != lowest {
				*a, *b, changed = lowest, lowest, true
			}
		}
	}
	members := make([][]int32, len(first))
	for i, f := range first {
		members[f] = append(members[f], int32(i))
	}
	return slices.DeleteFunc(members, func(m []int32) bool { return len(m) == 0 })
}

// partialSender is what a Sender knows of its partial snapshots. The zero value has sent none.
type partialSender struct {
	active    bool
	unknown   bool        // nothing is known of bodies without an acknowledged snapshot; otherwise they are as at the start
	ackedTick []sim.Tick  // by body: tick of the newest acknowledged snapshot that included it; 0: none
	sentSets  [256][]bool // bodies of the sent snapshots, by the low bits of the sequence number
	dueCount  []sim.Tick  // by cluster: snapshot from which it is due again
	next      [2]int      // clusters from which near and distant ones are chosen, so that all have their turn
	count     sim.Tick    // snapshots sent
	bodySum   uint64      // bodies in them
	bands     interest.Bands
}

// begin prepares for a partial snapshot. After whole ones, the receiver has all bodies of the newest
// acknowledged one.
func (p *partialSender) begin(bodies, clusters int, whole sim.Tick) {
	if p.active {
		return
	}
	*p = partialSender{active: true, unknown: p.unknown, ackedTick: make([]sim.Tick, bodies), dueCount: make([]sim.Tick, clusters)}
	for i := range p.ackedTick {
		p.ackedTick[i] = whole
	}
}

// acknowledge processes the acknowledgement of the snapshot of a tick.
func (p *partialSender) acknowledge(s packet.Sequence, tick sim.Tick) {
	if !p.active {
		return
	}
	for i, included := range p.sentSets[s%256] {
		if included && tick > p.ackedTick[i] {
			p.ackedTick[i] = tick
		}
	}
}

// forget forgets what the receiver has.
func (p *partialSender) forget() {
	p.unknown = true
	clear(p.ackedTick)
}

// has reports whether the receiver has the present state of body i. start is its state at the start of the scene.
func (p *partialSender) has(i int, changes *ChangeTracker, start []sim.Body) bool {
	if t := p.ackedTick[i]; t > 0 {
		return changes.changedAt[i] <= t
	}
	inWorld := changes.tree == nil || changes.tree.Nodes[i].Parent == jointtree.None
	return !p.unknown && inWorld && changes.bodies[i] == start[i]
}

func (p *partialSender) copyFrom(o *partialSender) {
	sets := p.sentSets
	for i := range sets {
		sets[i] = append(sets[i][:0], o.sentSets[i]...)
	}
	acked, due := append(p.ackedTick[:0], o.ackedTick...), append(p.dueCount[:0], o.dueCount...)
	*p = *o
	p.ackedTick, p.dueCount, p.sentSets = acked, due, sets
}

// choose selects the bodies of a snapshot for a player. Player -1 is a spectator and has the first
// player's area. Bodies that are due in every snapshot come first; the others take turns.
func (a *areaBroadcast) choose(p *partialSender, w *predict.World, changes *ChangeTracker, player, bits int) []int {
	s, bodies := &a.scratch, w.Bodies()
	if len(s.included) != len(bodies) {
		s.included = make([]bool, len(bodies))
	}
	clear(s.included)
	unfit := 0
	for pass, near := range [...]bool{true, false} {
		firstUnfit := -1
		for n := range a.clusters {
			k := (n + p.next[pass]) % len(a.clusters)
			distanceSq := clusterDistanceSq(bodies, a.clusters[k], max(player, 0))
			interval := a.area.Interval(distanceSq)
			if near != (interval == 1) {
				continue
			}
			for range a.clusters[k] {
				p.bands.CountBody(distanceSq)
			}
			if a.area.Excludes(distanceSq) || !p.isDue(k, interval) {
				continue
			}
			needed := a.include(k, p, bodies, changes)
			if needed > bits {
				unfit += a.exclude(k)
				if firstUnfit < 0 {
					firstUnfit = k
				}
				continue
			}
			bits -= needed
			p.dueCount[k] = p.count + interval
		}
		if firstUnfit >= 0 {
			p.next[pass] = firstUnfit
		}
	}
	a.counters.unfit.Set(float64(unfit))
	s.list = s.list[:0]
	for i, included := range s.included {
		if included {
			s.list = append(s.list, i)
			p.bands.CountUpdate(bodies[i].Pose.Pos, bodies[max(player, 0)].Pose.Pos)
		}
	}
	return s.list
}

// isDue reports whether a cluster is due, whose bodies are sent in one of interval snapshots. One that
// comes nearer is due earlier. The first time is another one for each cluster.
func (p *partialSender) isDue(cluster int, interval sim.Tick) bool {
	due := p.dueCount[cluster]
	if due == 0 {
		return (p.count+sim.Tick(cluster))%interval == 0
	}
	return p.count >= due || due > p.count+interval
}

// clusterDistanceSq returns the squared distance in m2 from body centre to the nearest body of a
// cluster.
func clusterDistanceSq(bodies []sim.Body, cluster []int32, centre int) float32 {
	at := bodies[centre].Pose.Pos
	nearest := bodies[cluster[0]].Pose.Pos.Sub(at).LenSq()
	for _, i := range cluster[1:] {
		nearest = min(nearest, bodies[i].Pose.Pos.Sub(at).LenSq())
	}
	return nearest
}

// include includes the bodies of a cluster that the receiver needs, and returns an upper bound on their
// size in bits.
func (a *areaBroadcast) include(cluster int, p *partialSender, bodies []sim.Body, changes *ChangeTracker) (bits int) {
	for _, i := range a.clusters[cluster] {
		awake := !bodies[i].Asleep && (changes.tree == nil || changes.tree.Nodes[i].Parent == jointtree.None)
		changed := changes.changedAt[i] > p.ackedTick[i] && (p.ackedTick[i] > 0 || p.unknown || bodies[i] != a.start[i])
		if awake || changed {
			a.scratch.included[i] = true
			bits += maxPartialBodyBits
		}
	}
	return bits
}

// exclude excludes the bodies of a cluster and returns their number.
func (a *areaBroadcast) exclude(cluster int) (count int) {
	for _, i := range a.clusters[cluster] {
		if a.scratch.included[i] {
			a.scratch.included[i] = false
			count++
		}
	}
	return count
}

// finishPartial is Finish for a partial snapshot for a player, or for a spectator if player is -1.
func (s *Sender) finishPartial(e *packet.Endpoint, w *predict.World, changes *ChangeTracker, inputs []sim.Input, a *areaBroadcast, player int) int {
	whole := sim.Tick(0)
	if s.hasAcked {
		whole = s.ackedTick
	}
	p := &s.partial
	p.begin(len(w.Bodies()), len(a.clusters), whole)
	s.hasAcked = false // a later whole snapshot contains all bodies again
	c := &s.coder
	c.Bits(uint32(w.Tick())&(1<<tickBits-1), tickBits)
	for _, in := range inputs {
		input.CodeInput(c, in)
	}
	attachments := w.Attachments()
	CodeAttachments(c, &attachments, w.Scene())
	available := 8*len(s.buffer) - c.BitsProcessed() - len(w.Bodies()) - digestBits - groupBits - len(w.Bodies())/groups - 64
	list := a.choose(p, w, changes, player, available)
	s.spent.Begin(len(w.Bodies()))
	s.spent.ChargeOther(c.BitsProcessed())
	c.Subset(list, len(w.Bodies()), partialIndices)
	s.spent.ChargeIndices(c.BitsProcessed())
	for _, i := range list {
		changes.codeBody(c, w, i)
		s.spent.ChargeBody(i, c.BitsProcessed())
	}
	s.writeGroup(c, changes, a, w.Tick())
	bits := c.BitsProcessed()
	q := s.send(e)
	s.record(q, w.Tick())
	p.sentSets[q%256] = append(p.sentSets[q%256][:0], a.scratch.included...)
	p.count++
	p.bodySum += uint64(len(list))
	a.counters.bodies.Set(float64(p.bodySum) / float64(p.count))
	return bits
}

// SetPartial makes the receiver decode partial snapshots, or whole ones. Of the last whole snapshot it has all bodies.
func (r *Receiver) SetPartial(partial bool) {
	if partial && !r.partial && r.HasSnapshot {
		r.receivedAt = r.receivedAt[:0]
		for range r.Bodies {
			r.receivedAt = append(r.receivedAt, r.Tick)
		}
	}
	r.partial = partial
}

// Partial reports whether the receiver decodes partial snapshots.
func (r *Receiver) Partial() bool { return r.partial }

// ReceivedAt returns the tick of the newest snapshot that included body i, or 0 if none has.
func (r *Receiver) ReceivedAt(i int) sim.Tick {
	if !r.partial {
		return r.Tick
	}
	return r.receivedAt[i]
}

// IsCurrent reports whether the state of body i is that at the tick of the newest snapshot: the
// snapshot included it, or the body sleeps. A child in a joint tree is as current as its root.
func (r *Receiver) IsCurrent(i int) bool {
	if !r.partial {
		return true
	}
	if r.tree != nil && r.tree.Nodes[i].Root != jointtree.None {
		i = int(r.tree.Nodes[i].Root)
	}
	return r.receivedAt[i] == r.Tick || r.Bodies[i].Asleep
}

// startPartial sets all bodies to their states at the start of the scene, before the first snapshot.
func (r *Receiver) startPartial(scene *sim.Scene) {
	if len(r.receivedAt) != len(scene.Boxes) {
		r.receivedAt = make([]sim.Tick, len(scene.Boxes))
	}
	if r.HasSnapshot || len(r.Bodies) == len(scene.Boxes) {
		return
	}
	r.Bodies = appendStart(r.Bodies[:0], scene)
	r.computeLocals()
}

// appendStart appends the states of all bodies at the start of a scene.
func appendStart(dst []sim.Body, scene *sim.Scene) []sim.Body {
	for i := range scene.Boxes {
		b := scene.Boxes[i].Start
		b.Pose.Rot = b.Pose.Rot.Unit()
		dst = append(dst, b)
	}
	return dst
}

// decodePartial reads the bodies of a partial snapshot.
func (r *Receiver) decodePartial(c *quant.Coder, scene *sim.Scene) {
	r.startPartial(scene)
	r.nextBodies = append(r.nextBodies[:0], r.Bodies...)
	r.included, r.isRelative = slices.Grow(r.included[:0], len(r.Bodies))[:len(r.Bodies)], slices.Grow(r.isRelative[:0], len(r.Bodies))[:len(r.Bodies)]
	clear(r.included)
	clear(r.isRelative)
	c.Group("", 0)
	c.Label("included")
	r.list = c.Subset(r.list[:0], len(r.Bodies), partialIndices)
	for _, i := range r.list {
		c.Group("bodies", i)
		r.included[i] = true
		r.decodeBody(c, i, scene)
	}
	r.readGroup(c, len(r.Bodies))
}

// keepOld keeps the states in an older partial snapshot that are newer than those of the same bodies. The sender
// takes it to be received, and does not repeat them.
func (r *Receiver) keepOld(tick sim.Tick) {
	if !r.partial || r.layoutOnly || r.readTree != r.tree {
		return
	}
	for _, i := range r.list {
		if r.receivedAt[i] >= tick || !r.included[i] {
			continue
		}
		r.receivedAt[i], r.Bodies[i] = tick, r.nextBodies[i]
		if r.tree != nil {
			r.locals[i] = r.nextLocals[i]
		}
	}
}

// Mismatched reports whether the partial snapshot that was read last shows that the receiver lacks states that the
// sender takes it to have. Its packet is to be refused.
func (r *Receiver) Mismatched() bool { return r.mismatched }
