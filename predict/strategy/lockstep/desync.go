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
func (r *checksumHistory) record(w *predict.World) {
	t := w.Tick()
	row := r.bodyHashes[int(t%bodyHashHistoryTicks)*r.bodyCount:][:r.bodyCount]
	r.bodyTicks[t%bodyHashHistoryTicks] = t
	h := uint64(t) + 1
	for i := range row {
		b := w.BodyHash(i)
		row[i] = uint16(b >> 16)
		h = (h ^ uint64(b)) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h = (h ^ w.ContactHash()) * 0x9E3779B97F4A7C15
	r.worldHashes[t%checksumHistoryTicks] = worldHash{t, uint32(h>>32) | 1}
}

// at returns the checksum of a tick, or 0 if it is not remembered.
func (r *checksumHistory) at(t sim.Tick) uint32 {
	if c := &r.worldHashes[t%checksumHistoryTicks]; c.tick == t {
		return c.hash
	}
	return 0
}

// bodiesAt returns the hashes of the bodies at a tick, or nil if they are not remembered.
func (r *checksumHistory) bodiesAt(t sim.Tick) []uint16 {
	if r.at(t) == 0 || r.bodyTicks[t%bodyHashHistoryTicks] != t {
		return nil
	}
	return r.bodyHashes[int(t%bodyHashHistoryTicks)*r.bodyCount:][:r.bodyCount]
}

// reply answers a query. It reports false if the hashes of the bodies are no longer remembered.
func (r *checksumHistory) reply(q *checksumQuery, a *checksumReply) bool {
	a.checksumQuery = *q
	if q.perBody {
		row := r.bodiesAt(q.first)
		a.bodyHashes = append(a.bodyHashes[:0], row...)
		return row != nil
	}
	a.tickHashes = a.tickHashes[:0]
	for i := range q.count {
		a.tickHashes = append(a.tickHashes, r.at(q.first+sim.Tick(i)))
	}
	return true
}

func (r *checksumHistory) copyFrom(o *checksumHistory) {
	bodyHashes := r.bodyHashes
	*r = *o
	r.bodyHashes = append(bodyHashes[:0], o.bodyHashes...)
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
func (j *desyncDetector) receiveChecksum(t sim.Tick, hash uint32, local *checksumHistory, counters *sideCounters) {
	s := &j.serverHashes[t%checksumHistoryTicks]
	if t <= j.matchTick || s.tick >= t {
		return
	}
	*s = worldHash{t, hash}
	j.compare(t, local, counters)
}

// compare compares the checksums of a tick, if both are known.
func (j *desyncDetector) compare(t sim.Tick, local *checksumHistory, counters *sideCounters) {
	s := &j.serverHashes[t%checksumHistoryTicks]
	localHash := local.at(t)
	if s.tick != t || s.hash == 0 || localHash == 0 || j.stage != inSync {
		return
	}
	counters.comparedChecksums.Inc()
	if s.hash == localHash {
		j.matchTick = max(j.matchTick, t)
		return
	}
	j.mismatchTick, j.stage, j.queryWait = t, findingTick, 0
	if t == j.matchTick+1 {
		j.stage = findingBody
	}
	counters.desyncs.Inc()
	j.report(counters)
}

// report sets the counters and the note that describe the desync.
func (j *desyncDetector) report(counters *sideCounters) {
	counters.desyncTick.Set(float64(j.mismatchTick))
	j.note = "worlds differ since tick " + strconv.Itoa(int(j.mismatchTick))
	if j.stage != located {
		return
	}
	counters.desyncBody.Set(float64(j.mismatchBody))
	counters.desyncBodies.Set(float64(j.mismatchCount))
	if j.mismatchBody < 0 {
		j.note += ": the contacts"
		return
	}
	j.note += ": body " + strconv.Itoa(j.mismatchBody)
	if j.mismatchCount > 1 {
		j.note += " and " + strconv.Itoa(j.mismatchCount-1) + " more"
	}
}

// nextQuery returns the query to send in this tick, if there is one.
func (j *desyncDetector) nextQuery(local *checksumHistory) (q checksumQuery, ok bool) {
	switch {
	case j.stage != findingTick && j.stage != findingBody:
		return q, false
	case local.bodiesAt(j.mismatchTick) == nil:
		j.stage = unlocatable // the hashes were forgotten before the reply
		return q, false
	}
	if j.queryWait--; j.queryWait >= 0 {
		return q, false
	}
	j.queryWait = queryRepeatTicks
	if j.stage == findingBody {
		return checksumQuery{first: j.mismatchTick, count: 1, perBody: true}, true
	}
	n := min(int(j.mismatchTick-j.matchTick)-1, maxChecksums)
	return checksumQuery{first: j.mismatchTick - sim.Tick(n), count: n}, true
}

// applyReply processes a reply.
func (j *desyncDetector) applyReply(a *checksumReply, local *checksumHistory, counters *sideCounters) {
	switch {
	case a.perBody && j.stage == findingBody && a.first == j.mismatchTick:
		j.compareBodies(a.bodyHashes, local.bodiesAt(j.mismatchTick))
	case !a.perBody && j.stage == findingTick && a.first > j.matchTick && a.first+sim.Tick(a.count) == j.mismatchTick:
		j.compareTicks(a, local)
	default:
		return // the reply to an old query
	}
	j.queryWait = 0
	j.report(counters)
}

// compareTicks compares the checksums of the ticks before the one that differs. It skips ticks that
// either side has forgotten.
func (j *desyncDetector) compareTicks(a *checksumReply, local *checksumHistory) {
	complete := a.first == j.matchTick+1 // all ticks since the match are compared
	for i, h := range a.tickHashes {
		t := a.first + sim.Tick(i)
		localHash := local.at(t)
		if h == 0 || localHash == 0 {
			continue
		}
		if h != localHash {
			j.mismatchTick = t
			break
		}
		j.matchTick, complete = t, true
	}
	if complete {
		j.stage = findingBody
	}
}

// compareBodies compares the hashes of the bodies at the first tick that differs.
func (j *desyncDetector) compareBodies(server, local []uint16) {
	j.stage, j.mismatchBody, j.mismatchCount = located, -1, 0
	for i := range min(len(server), len(local)) {
		if server[i] != local[i] {
			if j.mismatchBody < 0 {
				j.mismatchBody = i
			}
			j.mismatchCount++
		}
	}
}
