package lockstep

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	checksumHistoryTicks = 1024 // ticks of which the world's checksum is remembered
	bodyHashHistoryTicks = 512  // ticks of which those of the bodies are
	queryRepeatTicks     = 10   // ticks from a question to its repetition
)

// checksumHistory is what a side's world was, tick by tick, in checksums.
type checksumHistory struct {
	worldHashes [checksumHistoryTicks]worldHash
	bodyTicks   [bodyHashHistoryTicks]sim.Tick // of the rows of bodies
	bodyHashes  []uint16                       // a row for each tick; ticks says of which
	bodyCount   int                            // bodies in a row
}

// worldHash is the checksum of a world at a tick: 0 is none.
type worldHash struct {
	tick sim.Tick
	hash uint32
}

func newChecksumHistory(bodies int) checksumHistory {
	return checksumHistory{bodyCount: bodies, bodyHashes: make([]uint16, bodies*bodyHashHistoryTicks)}
}

// record takes in the world as it is now.
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

// at returns the checksum at a tick, or 0.
func (r *checksumHistory) at(t sim.Tick) uint32 {
	if c := &r.worldHashes[t%checksumHistoryTicks]; c.tick == t {
		return c.hash
	}
	return 0
}

// bodiesAt returns the checksums of the bodies at a tick, or nil.
func (r *checksumHistory) bodiesAt(t sim.Tick) []uint16 {
	if r.at(t) == 0 || r.bodyTicks[t%bodyHashHistoryTicks] != t {
		return nil
	}
	return r.bodyHashes[int(t%bodyHashHistoryTicks)*r.bodyCount:][:r.bodyCount]
}

// reply answers a question from what is remembered. It reports false if it has
// no answer.
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

// The stages of finding out where two worlds parted.
const (
	inSync      = iota
	findingTick // some tick differs, the first may be earlier
	findingBody // the tick is known
	located     // all is known
	unlocatable // what would say more is no longer remembered
)

// desyncDetector compares a client's world with the server's checksums and finds the
// first tick and body that differ.
type desyncDetector struct {
	serverHashes  [checksumHistoryTicks]worldHash
	stage         int
	matchTick     sim.Tick // the newest tick known to agree
	mismatchTick  sim.Tick // the oldest known to differ
	mismatchBody  int      // the first that differs; -1: none of them, but the contacts
	mismatchCount int      // bodies that differ
	queryWait     int      // ticks until the question is put again
	note          string
}

// receiveChecksum takes in a checksum of the server.
func (j *desyncDetector) receiveChecksum(t sim.Tick, hash uint32, ours *checksumHistory, m *predict.Counters) {
	s := &j.serverHashes[t%checksumHistoryTicks]
	if t <= j.matchTick || s.tick >= t {
		return
	}
	*s = worldHash{t, hash}
	j.compare(t, ours, m)
}

// compare looks at a tick that both sides may know by now.
func (j *desyncDetector) compare(t sim.Tick, ours *checksumHistory, m *predict.Counters) {
	s := &j.serverHashes[t%checksumHistoryTicks]
	mine := ours.at(t)
	if s.tick != t || s.hash == 0 || mine == 0 || j.stage != inSync {
		return
	}
	m.Add("compared_checksums", 1)
	if s.hash == mine {
		j.matchTick = max(j.matchTick, t)
		return
	}
	j.mismatchTick, j.stage, j.queryWait = t, findingTick, 0
	if t == j.matchTick+1 {
		j.stage = findingBody
	}
	m.Add("desyncs", 1)
	j.report(m)
}

// report says what is known of where the worlds parted.
func (j *desyncDetector) report(m *predict.Counters) {
	m.Set("desync_tick", float64(j.mismatchTick))
	j.note = "worlds differ since tick " + strconv.Itoa(int(j.mismatchTick))
	if j.stage != located {
		return
	}
	m.Set("desync_body", float64(j.mismatchBody))
	m.Set("desync_bodies", float64(j.mismatchCount))
	if j.mismatchBody < 0 {
		j.note += ": the contacts"
		return
	}
	j.note += ": body " + strconv.Itoa(j.mismatchBody)
	if j.mismatchCount > 1 {
		j.note += " and " + strconv.Itoa(j.mismatchCount-1) + " more"
	}
}

// nextQuery returns the question to put in this tick, if there is one.
func (j *desyncDetector) nextQuery(ours *checksumHistory) (q checksumQuery, ok bool) {
	switch {
	case j.stage != findingTick && j.stage != findingBody:
		return q, false
	case ours.bodiesAt(j.mismatchTick) == nil:
		j.stage = unlocatable // forgotten before it was answered
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

// applyReply takes in an answer.
func (j *desyncDetector) applyReply(a *checksumReply, ours *checksumHistory, m *predict.Counters) {
	switch {
	case a.perBody && j.stage == findingBody && a.first == j.mismatchTick:
		j.compareBodies(a.bodyHashes, ours.bodiesAt(j.mismatchTick))
	case !a.perBody && j.stage == findingTick && a.first > j.matchTick && a.first+sim.Tick(a.count) == j.mismatchTick:
		j.compareTicks(a, ours)
	default:
		return // of a question that is answered
	}
	j.queryWait = 0
	j.report(m)
}

// compareTicks takes in the checksums of the ticks before the one that differs. What
// one side does not know is passed over.
func (j *desyncDetector) compareTicks(a *checksumReply, ours *checksumHistory) {
	all := a.first == j.matchTick+1
	for i, h := range a.tickHashes {
		t := a.first + sim.Tick(i)
		mine := ours.at(t)
		if h == 0 || mine == 0 {
			continue
		}
		if h != mine {
			j.mismatchTick = t
			break
		}
		j.matchTick, all = t, true
	}
	if all {
		j.stage = findingBody
	}
}

// compareBodies takes in the checksums of the bodies at the tick.
func (j *desyncDetector) compareBodies(theirs, ours []uint16) {
	j.stage, j.mismatchBody, j.mismatchCount = located, -1, 0
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			if j.mismatchBody < 0 {
				j.mismatchBody = i
			}
			j.mismatchCount++
		}
	}
}
