package hud

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/trace"
)

// laneGroup are datagrams that are drawn as one: those of one tick, or of several where there is no room.
type laneGroup struct {
	direction            link.Direction
	count, lost, dropped int
	arriving             int // datagrams without those that vanish
	refused              int // damaged or too old at the receiver
	kinds                [predict.PacketKindCount]int
	resent               bool

	firstSent, lastSent       time.Duration
	firstArrival, lastArrival time.Duration // of those that arrive; otherwise of those that would have

	sentSum, arrivalSum   int64 // of those that arrive, nanoseconds after firstSent
	lostSent, lostArrival int64 // of the others

	late, reordered bool
	markAt          time.Duration // arrival of one that is late or reordered
}

// add adds a datagram to the group.
func (g *laneGroup) add(r *trace.Record) {
	if g.count == 0 {
		*g = laneGroup{direction: g.direction, firstSent: r.SentAt}
	}
	g.count++
	g.kinds[r.Kind]++
	g.lastSent = r.SentAt
	if r.Vanishes() {
		if g.lost++; r.Flags.Has(trace.Dropped) {
			g.dropped++
		}
		g.lostSent += int64(r.SentAt - g.firstSent)
		g.lostArrival += int64(r.Arrival - g.firstSent)
		return
	}
	if g.arriving == 0 {
		g.firstArrival, g.lastArrival = r.Arrival, r.Arrival
	}
	g.arriving++
	g.firstArrival, g.lastArrival = min(g.firstArrival, r.Arrival), max(g.lastArrival, r.Arrival)
	g.sentSum += int64(r.SentAt - g.firstSent)
	g.arrivalSum += int64(r.Arrival - g.firstSent)
	g.resent = g.resent || r.Flags.Has(trace.Resent)
	if r.Refused() {
		g.refused++
	}
	if r.Flags&(trace.Late|trace.Reordered) != 0 {
		g.late, g.reordered, g.markAt = g.late || r.Flags.Has(trace.Late), g.reordered || r.Flags.Has(trace.Reordered), r.Arrival
	}
}

// flights returns the mean path of those that arrive, and of those that do not.
func (g *laneGroup) flights() (arriving, lost flight) {
	d := g.direction
	n, m := int64(max(g.arriving, 1)), int64(max(g.lost, 1))
	arriving = flight{d, g.firstSent + time.Duration(g.sentSum/n), g.firstSent + time.Duration(g.arrivalSum/n)}
	lost = flight{d, g.firstSent + time.Duration(g.lostSent/m), g.firstSent + time.Duration(g.lostArrival/m)}
	return arriving, lost
}

// kind returns the most frequent kind.
func (g *laneGroup) kind() (most predict.PacketKind) {
	for k, n := range g.kinds {
		if n > g.kinds[most] {
			most = predict.PacketKind(k)
		}
	}
	return most
}

// laneLegend is what the packets of a lane need explained.
type laneLegend struct {
	kinds                                     [predict.PacketKindCount]bool
	lost, refused, late, reordered, duplicate bool
	correction                                bool
}
