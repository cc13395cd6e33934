package lockstep

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	checksumHistoryTicks = 1024 // ticks whose checksum is remembered
	bodyHashHistoryTicks = 512  // ticks whose hash of each body is remembered
	queryRepeatTicks     = 10   // ticks after which an unanswered query is repeated
)

// checksumHistory remembers the checksums of a side's world by tick.
type checksumHistory struct {
	worldHashes [checksumHistoryTicks]worldHash
	bodyTicks   [bodyHashHistoryTicks]sim.Tick // tick of each row of bodyHashes
	bodyHashes  []uint16                       // a row per tick
	bodyCount   int                            // bodies in a row
}

// worldHash is the checksum of a world at a tick. A hash of 0 means none.
type worldHash struct {
	tick sim.Tick
	hash uint32
}

func newChecksumHistory(bodies int) checksumHistory {
	return checksumHistory{bodyCount: bodies, bodyHashes: make([]uint16, bodies*bodyHashHistoryTicks)}
}

// record remembers the checksums of the present world.
func (c *checksumHistory) record(w *predict.World) {
	t := w.Tick()
	row := c.bodyHashes[int(t%bodyHashHistoryTicks)*c.bodyCount:][:c.bodyCount]
	c.bodyTicks[t%bodyHashHistoryTicks] = t
	h := uint64(t) + 1
	for i := range row {
		b := w.BodyHash(i)
		row[i] = uint16(b >> 16)
		h = (h ^ uint64(b)) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h = (h ^ w.ContactHash()) * 0x9E3779B97F4A7C15
	c.worldHashes[t%checksumHistoryTicks] = worldHash{t, uint32(h>>32) | 1}
}

// at returns the checksum of a tick, or 0 if it is not remembered.
func (c *checksumHistory) at(t sim.Tick) uint32 {
	if r := &c.worldHashes[t%checksumHistoryTicks]; r.tick == t {
		return r.hash
	}
	return 0
}

// bodiesAt returns the hashes of the bodies at a tick, or nil if they are not remembered.
func (c *checksumHistory) bodiesAt(t sim.Tick) []uint16 {
	if c.at(t) == 0 || c.bodyTicks[t%bodyHashHistoryTicks] != t {
		return nil
	}
	return c.bodyHashes[int(t%bodyHashHistoryTicks)*c.bodyCount:][:c.bodyCount]
}

// reply answers a query. It reports false if the hashes of the bodies are no longer remembered.
func (c *checksumHistory) reply(q *checksumQuery, a *checksumReply) bool {
	a.checksumQuery = *q
	if q.perBody {
		row := c.bodiesAt(q.first)
		a.bodyHashes = append(a.bodyHashes[:0], row...)
		return row != nil
	}
	a.tickHashes = a.tickHashes[:0]
	for i := range q.count {
		a.tickHashes = append(a.tickHashes, c.at(q.first+sim.Tick(i)))
	}
	return true
}

func (c *checksumHistory) copyFrom(o *checksumHistory) {
	bodyHashes := c.bodyHashes
	*c = *o
	c.bodyHashes = append(bodyHashes[:0], o.bodyHashes...)
}

// The stages of locating a desync.
const (
	inSync      = iota
	findingTick // a tick that differs is known, but not whether it is the first
	findingBody // the first tick that differs is known
	located     // the first body that differs is known
	unlocatable // the hashes that would say more are no longer remembered
)

// desyncDetector compares a client's world with the server's checksums and finds the first tick and
// the first body that differ. It is plain.
type desyncDetector struct {
	serverHashes  [checksumHistoryTicks]worldHash
	stage         int
	matchTick     sim.Tick // newest tick known to be the same
	mismatchTick  sim.Tick // oldest tick known to differ
	mismatchBody  int      // first body that differs; -1: only the contacts differ
	mismatchCount int      // bodies that differ
	queryWait     int      // ticks until the query is repeated
	note          string   // for the view
}

// receiveChecksum remembers a checksum of the server and compares it if possible.
func (d *desyncDetector) receiveChecksum(t sim.Tick, hash uint32, local *checksumHistory, counters *sideCounters) {
	s := &d.serverHashes[t%checksumHistoryTicks]
	if t <= d.matchTick || s.tick >= t {
		return
	}
	*s = worldHash{t, hash}
	d.compare(t, local, counters)
}

// compare compares the checksums of a tick, if both are known.
func (d *desyncDetector) compare(t sim.Tick, local *checksumHistory, counters *sideCounters) {
	s := &d.serverHashes[t%checksumHistoryTicks]
	localHash := local.at(t)
	if s.tick != t || s.hash == 0 || localHash == 0 || d.stage != inSync {
		return
	}
	counters.comparedChecksums.Inc()
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
func (d *desyncDetector) report(counters *sideCounters) {
	counters.desyncTick.Set(float64(d.mismatchTick))
	d.note = "worlds differ since tick " + strconv.Itoa(int(d.mismatchTick))
	if d.stage != located {
		return
	}
	counters.desyncBody.Set(float64(d.mismatchBody))
	counters.desyncBodies.Set(float64(d.mismatchCount))
	if d.mismatchBody < 0 {
		d.note += ": the contacts"
		return
	}
	d.note += ": body " + strconv.Itoa(d.mismatchBody)
	if d.mismatchCount > 1 {
		d.note += " and " + strconv.Itoa(d.mismatchCount-1) + " more"
	}
}

// nextQuery returns the query to send in this tick, if there is one.
func (d *desyncDetector) nextQuery(local *checksumHistory) (q checksumQuery, ok bool) {
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
		return checksumQuery{first: d.mismatchTick, count: 1, perBody: true}, true
	}
	n := min(int(d.mismatchTick-d.matchTick)-1, maxChecksums)
	return checksumQuery{first: d.mismatchTick - sim.Tick(n), count: n}, true
}

// applyReply processes a reply.
func (d *desyncDetector) applyReply(a *checksumReply, local *checksumHistory, counters *sideCounters) {
	switch {
	case a.perBody && d.stage == findingBody && a.first == d.mismatchTick:
		d.compareBodies(a.bodyHashes, local.bodiesAt(d.mismatchTick))
	case !a.perBody && d.stage == findingTick && a.first > d.matchTick && a.first+sim.Tick(a.count) == d.mismatchTick:
		d.compareTicks(a, local)
	default:
		return // the reply to an old query
	}
	d.queryWait = 0
	d.report(counters)
}

// compareTicks compares the checksums of the ticks before the one that differs. It skips ticks that
// either side has forgotten.
func (d *desyncDetector) compareTicks(a *checksumReply, local *checksumHistory) {
	complete := a.first == d.matchTick+1 // all ticks since the match are compared
	for i, h := range a.tickHashes {
		t := a.first + sim.Tick(i)
		localHash := local.at(t)
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
func (d *desyncDetector) compareBodies(server, local []uint16) {
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
