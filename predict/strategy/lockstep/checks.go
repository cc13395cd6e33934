package lockstep

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	hashesKept = 1024 // ticks of which the world's checksum is remembered
	bodiesKept = 512  // ticks of which those of the bodies are
	askEvery   = 10   // ticks from a question to its repetition
)

// record is what a side's world was, tick by tick, in checksums.
type record struct {
	hashes [hashesKept]check
	ticks  [bodiesKept]sim.Tick // of the rows of bodies
	bodies []uint16             // a row for each tick; ticks says of which
	n      int                  // bodies in a row
}

// check is the checksum of a world at a tick: 0 is none.
type check struct {
	tick sim.Tick
	hash uint32
}

func newRecord(bodies int) record {
	return record{n: bodies, bodies: make([]uint16, bodies*bodiesKept)}
}

// note takes in the world as it is now.
func (r *record) note(w *sim.World) {
	t := w.Tick()
	row := r.bodies[int(t%bodiesKept)*r.n:][:r.n]
	r.ticks[t%bodiesKept] = t
	h := uint64(t) + 1
	for i := range row {
		b := w.BodyHash(i)
		row[i] = uint16(b >> 16)
		h = (h ^ uint64(b)) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h = (h ^ w.ContactHash()) * 0x9E3779B97F4A7C15
	r.hashes[t%hashesKept] = check{t, uint32(h>>32) | 1}
}

// at returns the checksum at a tick, or 0.
func (r *record) at(t sim.Tick) uint32 {
	if c := &r.hashes[t%hashesKept]; c.tick == t {
		return c.hash
	}
	return 0
}

// row returns the checksums of the bodies at a tick, or nil.
func (r *record) row(t sim.Tick) []uint16 {
	if r.at(t) == 0 || r.ticks[t%bodiesKept] != t {
		return nil
	}
	return r.bodies[int(t%bodiesKept)*r.n:][:r.n]
}

// reply answers a question from what is remembered. It reports false if it has
// no answer.
func (r *record) reply(q *question, a *answer) bool {
	a.question = *q
	if q.bodies {
		row := r.row(q.first)
		a.body = append(a.body[:0], row...)
		return row != nil
	}
	a.hashes = a.hashes[:0]
	for i := range q.n {
		a.hashes = append(a.hashes, r.at(q.first+sim.Tick(i)))
	}
	return true
}

func (r *record) copyFrom(o *record) {
	r.hashes, r.ticks, r.n = o.hashes, o.ticks, o.n
	r.bodies = append(r.bodies[:0], o.bodies...)
}

// The stages of finding out where two worlds parted.
const (
	agreeing   = iota
	whichTick  // some tick differs, the first may be earlier
	whichBody  // the tick is known
	parted     // all is known
	partedLong // what would say more is no longer remembered
)

// judge compares a client's world with the server's checksums and finds the
// first tick and body that differ.
type judge struct {
	theirs [hashesKept]check
	stage  int
	good   sim.Tick // the newest tick known to agree
	bad    sim.Tick // the oldest known to differ
	body   int      // the first that differs; -1: none of them, but the contacts
	many   int      // bodies that differ
	wait   int      // ticks until the question is put again
	note   string
}

// hear takes in a checksum of the server.
func (j *judge) hear(t sim.Tick, hash uint32, ours *record, m *predict.Counters) {
	s := &j.theirs[t%hashesKept]
	if t <= j.good || s.tick >= t {
		return
	}
	*s = check{t, hash}
	j.compare(t, ours, m)
}

// compare looks at a tick that both sides may know by now.
func (j *judge) compare(t sim.Tick, ours *record, m *predict.Counters) {
	s := &j.theirs[t%hashesKept]
	mine := ours.at(t)
	if s.tick != t || s.hash == 0 || mine == 0 || j.stage != agreeing {
		return
	}
	m.Add("checksums", 1)
	if s.hash == mine {
		j.good = max(j.good, t)
		return
	}
	j.bad, j.stage, j.wait = t, whichTick, 0
	if t == j.good+1 {
		j.stage = whichBody
	}
	m.Add("desyncs", 1)
	j.tell(m)
}

// tell says what is known of where the worlds parted.
func (j *judge) tell(m *predict.Counters) {
	m.Set("desync_tick", float64(j.bad))
	j.note = "worlds differ since tick " + strconv.Itoa(int(j.bad))
	if j.stage != parted {
		return
	}
	m.Set("desync_body", float64(j.body))
	m.Set("desync_bodies", float64(j.many))
	if j.body < 0 {
		j.note += ": the contacts"
		return
	}
	j.note += ": body " + strconv.Itoa(j.body)
	if j.many > 1 {
		j.note += " and " + strconv.Itoa(j.many-1) + " more"
	}
}

// ask returns the question to put in this tick, if there is one.
func (j *judge) ask(ours *record) (q question, ok bool) {
	switch {
	case j.stage != whichTick && j.stage != whichBody:
		return q, false
	case ours.row(j.bad) == nil:
		j.stage = partedLong // forgotten before it was answered
		return q, false
	}
	if j.wait--; j.wait >= 0 {
		return q, false
	}
	j.wait = askEvery
	if j.stage == whichBody {
		return question{first: j.bad, n: 1, bodies: true}, true
	}
	n := min(int(j.bad-j.good)-1, mostList)
	return question{first: j.bad - sim.Tick(n), n: n}, true
}

// learn takes in an answer.
func (j *judge) learn(a *answer, ours *record, m *predict.Counters) {
	switch {
	case a.bodies && j.stage == whichBody && a.first == j.bad:
		j.bodies(a.body, ours.row(j.bad))
	case !a.bodies && j.stage == whichTick && a.first > j.good && a.first+sim.Tick(a.n) == j.bad:
		j.ticks(a, ours)
	default:
		return // of a question that is answered
	}
	j.wait = 0
	j.tell(m)
}

// ticks takes in the checksums of the ticks before the one that differs. What
// one side does not know is passed over.
func (j *judge) ticks(a *answer, ours *record) {
	all := a.first == j.good+1
	for i, h := range a.hashes {
		t := a.first + sim.Tick(i)
		mine := ours.at(t)
		if h == 0 || mine == 0 {
			continue
		}
		if h != mine {
			j.bad = t
			break
		}
		j.good, all = t, true
	}
	if all {
		j.stage = whichBody
	}
}

// bodies takes in the checksums of the bodies at the tick.
func (j *judge) bodies(theirs, ours []uint16) {
	j.stage, j.body, j.many = parted, -1, 0
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			if j.body < 0 {
				j.body = i
			}
			j.many++
		}
	}
}
