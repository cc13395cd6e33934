// Package desync finds the first tick and the first body in which the worlds of two sides differ that
// should be the same, bit for bit. Each side remembers the checksums of its world by tick (History). A
// server sends one from time to time. A client compares it with its own (Detector), and if they differ
// asks for those of the ticks before, and then for the hashes of the bodies in the first tick that differs.
package desync

import (
	"strconv"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	// HistoryTicks is the number of ticks whose checksum is remembered.
	HistoryTicks = 1024
	// MaxChecksums is the largest number of checksums in a reply.
	MaxChecksums = 64

	bodyHashHistoryTicks = 512 // ticks whose hash of each body is remembered
	queryRepeatTicks     = 10  // ticks after which an unanswered query is repeated
)

// Query asks for the checksums of Count ticks from First on, or for the hashes of the bodies at First.
type Query struct {
	First   sim.Tick
	Count   int // in [1, MaxChecksums]
	PerBody bool
}

// Reply is the reply to a Query.
type Reply struct {
	Query
	TickHashes []uint32 // by tick; 0: not remembered
	BodyHashes []uint16 // by body
}

// Code reads, writes or measures the query. near is a tick near its first one.
func (q *Query) Code(c *quant.Coder, near sim.Tick) {
	q.First = input.CodeTick(c, q.First, near)
	c.Label("bodies")
	if q.PerBody = c.Bool(q.PerBody); q.PerBody {
		q.Count = 1
		return
	}
	c.Label("count")
	q.Count = c.Int(q.Count, 1, MaxChecksums)
}

// Code reads, writes or measures the reply. bodies is the number of bodies in the scene.
func (r *Reply) Code(c *quant.Coder, near sim.Tick, bodies int) {
	r.Query.Code(c, near)
	if c.Err() != nil {
		return
	}
	if r.PerBody {
		r.BodyHashes = resize(r.BodyHashes, bodies)
		for i := range r.BodyHashes {
			c.Group("bodies", i)
			c.Label("hash")
			r.BodyHashes[i] = uint16(c.Bits(uint32(r.BodyHashes[i]), 16))
		}
		return
	}
	r.TickHashes = resize(r.TickHashes, r.Count)
	for i := range r.TickHashes {
		c.Group("ticks", i)
		c.Label("hash")
		r.TickHashes[i] = c.Bits(r.TickHashes[i], 32)
	}
}

// resize returns s with n elements, keeping those that it has.
func resize[T any](s []T, n int) []T {
	for len(s) < n {
		s = append(s, *new(T))
	}
	return s[:n]
}

// Counters are what a Detector counts.
type Counters struct{ compared, desyncs, tick, body, bodies predict.Counter }

// Declare declares the counters.
func (c *Counters) Declare(m *predict.Counters) {
	c.compared = m.New("compared_checksums", "ticks whose checksums were compared")
	c.desyncs = m.New("desyncs", "clients whose world has diverged from the server's")
	c.tick = m.New("desync_tick", "oldest tick known to differ; 0: none")
	c.body = m.New("desync_body", "first body that differs in desync_tick; -1: contacts alone")
	c.bodies = m.New("desync_bodies", "bodies that differ in desync_tick")
}

// History remembers the checksums of a side's world by tick. NewHistory makes one.
type History struct {
	worldHashes [HistoryTicks]worldHash
	bodyTicks   [bodyHashHistoryTicks]sim.Tick // tick of each row of bodyHashes
	bodyHashes  []uint16                       // a row per tick
	bodyCount   int                            // bodies in a row
}

// worldHash is the checksum of a world at a tick. A hash of 0 means none.
type worldHash struct {
	tick sim.Tick
	hash uint32
}

// NewHistory returns the history of a world with a number of bodies.
func NewHistory(bodies int) History {
	return History{bodyCount: bodies, bodyHashes: make([]uint16, bodies*bodyHashHistoryTicks)}
}

// hashed is a world, or the state of one.
type hashed interface {
	BodyHash(i int) uint32
	ContactHash() uint64
}

// Record remembers the checksums of the present world.
func (h *History) Record(w *predict.World) { h.record(w.Tick(), w) }

// RecordState remembers the checksums of a state.
func (h *History) RecordState(s *predict.State) { h.record(s.Tick, s) }

// Forget forgets the checksums of a tick.
func (h *History) Forget(t sim.Tick) {
	if r := &h.worldHashes[t%HistoryTicks]; r.tick == t {
		*r = worldHash{}
	}
}

func (h *History) record(t sim.Tick, w hashed) {
	row := h.bodyHashes[int(t%bodyHashHistoryTicks)*h.bodyCount:][:h.bodyCount]
	h.bodyTicks[t%bodyHashHistoryTicks] = t
	sum := uint64(t) + 1
	for i := range row {
		b := w.BodyHash(i)
		row[i] = uint16(b >> 16)
		sum = (sum ^ uint64(b)) * 0x9E3779B97F4A7C15
		sum ^= sum >> 32
	}
	sum = (sum ^ w.ContactHash()) * 0x9E3779B97F4A7C15
	h.worldHashes[t%HistoryTicks] = worldHash{t, uint32(sum>>32) | 1}
}

// At returns the checksum of a tick, or 0 if it is not remembered.
func (h *History) At(t sim.Tick) uint32 {
	if r := &h.worldHashes[t%HistoryTicks]; r.tick == t {
		return r.hash
	}
	return 0
}

// bodiesAt returns the hashes of the bodies at a tick, or nil if they are not remembered.
func (h *History) bodiesAt(t sim.Tick) []uint16 {
	if h.At(t) == 0 || h.bodyTicks[t%bodyHashHistoryTicks] != t {
		return nil
	}
	return h.bodyHashes[int(t%bodyHashHistoryTicks)*h.bodyCount:][:h.bodyCount]
}

// Reply answers a query. It reports false if the hashes of the bodies are no longer remembered.
func (h *History) Reply(q *Query, a *Reply) bool {
	a.Query = *q
	if q.PerBody {
		row := h.bodiesAt(q.First)
		a.BodyHashes = append(a.BodyHashes[:0], row...)
		return row != nil
	}
	a.TickHashes = a.TickHashes[:0]
	for i := range q.Count {
		a.TickHashes = append(a.TickHashes, h.At(q.First+sim.Tick(i)))
	}
	return true
}

// CopyFrom makes h a copy of o.
func (h *History) CopyFrom(o *History) {
	bodyHashes := h.bodyHashes
	*h = *o
	h.bodyHashes = append(bodyHashes[:0], o.bodyHashes...)
}

// The stages of locating a desync.
const (
	inSync      = iota
	findingTick // a tick that differs is known, but not whether it is the first
	findingBody // the first tick that differs is known
	located     // the first body that differs is known
	unlocatable // the hashes that would say more are no longer remembered
)

// Detector compares a client's world with the server's checksums and finds the first tick and
// the first body that differ. It is plain.
type Detector struct {
	serverHashes  [HistoryTicks]worldHash
	stage         int
	matchTick     sim.Tick // newest tick known to be the same
	mismatchTick  sim.Tick // oldest tick known to differ
	mismatchBody  int      // first body that differs; -1: only the contacts differ
	mismatchCount int      // bodies that differ
	queryWait     int      // ticks until the query is repeated
	Note          string   // says what differs; empty while nothing is known to
}

// Start begins to compare after a tick at which the two worlds are the same.
func (d *Detector) Start(t sim.Tick) { d.matchTick = t }

// Located returns the first tick that differs and the first body that does there, -1 if only the contacts
// differ. ok is false while they are not known.
func (d *Detector) Located() (t sim.Tick, body int, ok bool) {
	return d.mismatchTick, d.mismatchBody, d.stage == located
}

// Differs reports whether a tick is known that differs.
func (d *Detector) Differs() bool { return d.stage != inSync }

// Receive remembers a checksum of the server and compares it if possible.
func (d *Detector) Receive(t sim.Tick, hash uint32, local *History, counters *Counters) {
	if d.Remember(t, hash) {
		d.Compare(t, local, counters)
	}
}

// Remember remembers a checksum of the server, for a client whose own state of the tick may still change. It
// reports whether it was not known.
func (d *Detector) Remember(t sim.Tick, hash uint32) bool {
	s := &d.serverHashes[t%HistoryTicks]
	if t <= d.matchTick || s.tick >= t {
		return false
	}
	*s = worldHash{t, hash}
	return true
}

// Compare compares the checksums of a tick, if both are known.
func (d *Detector) Compare(t sim.Tick, local *History, counters *Counters) {
	s := &d.serverHashes[t%HistoryTicks]
	localHash := local.At(t)
	if s.tick != t || s.hash == 0 || localHash == 0 || d.stage != inSync {
		return
	}
	counters.compared.Inc()
	if s.hash == localHash {
		d.matchTick = max(d.matchTick, t)
		return
	}
	d.mismatchTick, d.stage, d.queryWait = t, findingTick, 0
	if t == d.matchTick+1 {
		d.stage = findingBody
	}
	counters.desyncs.Inc()
	d.report(counters)
}

// report sets the counters and the note that describe the desync.
func (d *Detector) report(counters *Counters) {
	counters.tick.Set(float64(d.mismatchTick))
	d.Note = "worlds differ since server tick " + strconv.Itoa(int(d.mismatchTick))
	if d.stage != located {
		return
	}
	counters.body.Set(float64(d.mismatchBody))
	counters.bodies.Set(float64(d.mismatchCount))
	if d.mismatchBody < 0 {
		d.Note += ": the contacts"
		return
	}
	d.Note += ": body " + strconv.Itoa(d.mismatchBody)
	if d.mismatchCount > 1 {
		d.Note += " and " + strconv.Itoa(d.mismatchCount-1) + " more"
	}
}

// NextQuery returns the query to send in this tick, if there is one.
func (d *Detector) NextQuery(local *History) (q Query, ok bool) {
	switch {
	case d.stage != findingTick && d.stage != findingBody:
		return q, false
	case local.bodiesAt(d.mismatchTick) == nil:
		d.stage = unlocatable // the hashes were forgotten before the reply
		return q, false
	}
	if d.queryWait--; d.queryWait >= 0 {
		return q, false
	}
	d.queryWait = queryRepeatTicks
	if d.stage == findingBody {
		return Query{First: d.mismatchTick, Count: 1, PerBody: true}, true
	}
	n := min(int(d.mismatchTick-d.matchTick)-1, MaxChecksums)
	return Query{First: d.mismatchTick - sim.Tick(n), Count: n}, true
}

// ApplyReply processes a reply.
func (d *Detector) ApplyReply(a *Reply, local *History, counters *Counters) {
	switch {
	case a.PerBody && d.stage == findingBody && a.First == d.mismatchTick:
		d.compareBodies(a.BodyHashes, local.bodiesAt(d.mismatchTick))
	case !a.PerBody && d.stage == findingTick && a.First > d.matchTick && a.First+sim.Tick(a.Count) == d.mismatchTick:
		d.compareTicks(a, local)
	default:
		return // the reply to an old query
	}
	d.queryWait = 0
	d.report(counters)
}

// compareTicks compares the checksums of the ticks before the one that differs. It skips ticks that
// either side has forgotten.
func (d *Detector) compareTicks(a *Reply, local *History) {
	complete := a.First == d.matchTick+1 // all ticks since the match are compared
	for i, h := range a.TickHashes {
		t := a.First + sim.Tick(i)
		localHash := local.At(t)
		if h == 0 || localHash == 0 {
			continue
		}
		if h != localHash {
			d.mismatchTick = t
			break
		}
		d.matchTick, complete = t, true
	}
	if complete {
		d.stage = findingBody
	}
}

// compareBodies compares the hashes of the bodies at the first tick that differs.
func (d *Detector) compareBodies(server, local []uint16) {
	d.stage, d.mismatchBody, d.mismatchCount = located, -1, 0
	for i := range min(len(server), len(local)) {
		if server[i] != local[i] {
			if d.mismatchBody < 0 {
				d.mismatchBody = i
			}
			d.mismatchCount++
		}
	}
}
