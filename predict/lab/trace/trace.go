// Package trace records the datagrams of a pane: when each was sent, what the network did with it, and
// its outcome at the receiver. It is for pictures of the traffic: nothing that a session computes
// depends on it.
//
// A Log is bounded in time and memory, however long a session lasts. A session that is run again from a
// copy records the same for the same ticks.
package trace

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Bounds of the records of each flow.
const (
	MaxAge     = 2 * time.Minute // of a datagram, unless memory grew for others
	MaxRecords = 1 << 16         // datagrams, of 56 bytes

	MaxBytes = 2 << 20 // of the newest datagrams, whose bytes are kept, too
)

// lateBy is the time beyond the usual delay from which a datagram counts as late.
const lateBy = 5 * time.Millisecond

// Record describes a datagram. Two runs of a session have equal records.
type Record struct {
	SentAt           time.Duration // session time
	Arrival          time.Duration // of the first copy; of one that is lost, when it would have arrived
	DuplicateArrival time.Duration // of the second copy, if there is one

	Number       uint32 // in order of sending in its direction since the pane's strategy started, from 1
	Size         uint16 // bytes, without the headers of IP and UDP
	Sequence     uint16 // low bits of the packet's sequence number
	FragmentID   uint8
	LastFragment uint8 // of a fragment: fragments of its packet less 1; otherwise 0
	Kind         predict.PacketKind
	Flags        Flags

	Result          packet.Result // outcome of the first copy, if Received
	DuplicateResult packet.Result // outcome of the second copy, if DuplicateReceived
}

// Flags are properties of a datagram.
type Flags uint16

// The flags.
const (
	Lost              Flags = 1 << iota // by its outcome
	Dropped                             // by a full queue, or by a dead connection
	Resent                              // lost on a TCP link, which sent it again
	Late                                // under way for 5 ms more than the network's latency and twice its jitter
	Reordered                           // received after a datagram sent later (RFC 4737)
	Duplicated                          // by the link
	Damaged                             // the first copy
	DuplicateDamaged                    // the second copy
	Foreign                             // a datagram of another program arrives, too
	Received                            // the endpoint has processed the first copy
	DuplicateReceived                   // the endpoint has processed the second copy
	HasMessages                         // messages or slices of blocks beside its contents
)

// Has reports whether all of some flags are set.
func (f Flags) Has(all Flags) bool { return f&all == all }

// Vanishes reports whether the datagram never arrives.
func (r *Record) Vanishes() bool { return r.Flags&(Lost|Dropped) != 0 }

// Refused reports whether the endpoint does not use the first copy: it is damaged, or came too late.
func (r *Record) Refused() bool {
	return r.Flags.Has(Damaged) || r.Flags.Has(Received) && (r.Result == packet.Stale || r.Result == packet.Rejected)
}

// LastArrival returns when the last copy arrives.
func (r *Record) LastArrival() time.Duration { return max(r.Arrival, r.DuplicateArrival) }

// Log has the recorded datagrams of a pane. The zero value is empty. A Flow that was returned stays the
// client's.
type Log struct {
	flows []*Flow // between a client and the server
	peers []*Flow // from a client to another one
}

// Clients returns the number of clients with records.
func (l *Log) Clients() int { return len(l.flows) / 2 }

// Flow returns the datagrams of one client, from 0, in one direction.
func (l *Log) Flow(client int, d link.Direction) *Flow { return flowAt(&l.flows, 2*client+int(d)) }

// PeerFlow returns the datagrams that a client has sent to the client of another player, both from 0.
func (l *Log) PeerFlow(from, to int) *Flow { return flowAt(&l.peers, from*sim.MaxPlayers+to) }

// flowAt returns the flow at an index, and appends empty ones up to it.
func flowAt(flows *[]*Flow, i int) *Flow {
	for len(*flows) <= i {
		*flows = append(*flows, &Flow{})
	}
	return (*flows)[i]
}

// Sent is a datagram that is sent.
type Sent struct {
	link.Sending
	Kind        predict.PacketKind
	HasMessages bool
	Header      *packet.Header
}

// AddSending records a datagram and keeps a copy of its bytes for a while.
func (f *Flow) AddSending(s Sent, datagram []byte) {
	r := Record{
		SentAt: s.SentAt, Arrival: s.Arrival, DuplicateArrival: s.DuplicateArrival,
		Number: uint32(s.Number), Size: uint16(len(datagram)), Sequence: s.Header.Sequence, Kind: s.Kind,
	}
	if s.Header.IsFragment {
		r.FragmentID, r.LastFragment = uint8(s.Header.FragmentID), uint8(s.Header.FragmentCount-1)
	}
	for _, x := range [...]struct {
		set  bool
		flag Flags
	}{
		{s.Lost, Lost}, {s.Dropped, Dropped}, {s.Resent, Resent}, {s.Duplicated, Duplicated}, {s.Damaged, Damaged},
		{s.DuplicateDamaged, DuplicateDamaged}, {s.Foreign, Foreign}, {s.HasMessages, HasMessages},
		{!s.Lost && !s.Dropped && s.Arrival-s.SentAt > s.UsualDelay+lateBy, Late},
	} {
		if x.set {
			r.Flags |= x.flag
		}
	}
	f.add(r, datagram)
}

// AddArrival records the outcome of a datagram at the receiver. One that is not recorded is ignored.
func (f *Flow) AddArrival(x link.Datagram, result packet.Result) {
	i := f.next - int(f.newestNumber) - 1 + int(x.Number)
	if x.Number == 0 || i < f.first || i >= f.next || f.next == f.first {
		return
	}
	r := f.slot(i)
	if r.Number != uint32(x.Number) {
		return // of an earlier run of the strategy
	}
	if x.IsDuplicate {
		r.Flags |= DuplicateReceived
		r.DuplicateResult = result
		return
	}
	r.Flags = r.Flags&^Reordered | Received // another order than in an earlier run
	r.Result = result
	if x.Reordered {
		r.Flags |= Reordered
	}
}

// sameSending reports whether two datagrams were sent alike and have the same outcome, regardless of what is
// recorded of their arrival.
func (r *Record) sameSending(o *Record) bool {
	a, b := *r, *o
	for _, x := range [...]*Record{&a, &b} {
		x.Flags &^= Received | DuplicateReceived | Reordered
		x.Result, x.DuplicateResult = 0, 0
	}
	return a == b
}

// Rewind says that the session goes on at an earlier or later moment. What it sends again is not recorded
// again; from a datagram on that differs, the log forgets what was.
func (l *Log) Rewind(at time.Duration) {
	for _, flows := range [...][]*Flow{l.flows, l.peers} {
		for _, f := range flows {
			f.rewind(at)
		}
	}
}

// Reset forgets all records and keeps their memory.
func (l *Log) Reset() {
	for _, flows := range [...][]*Flow{l.flows, l.peers} {
		for _, f := range flows {
			f.reset()
		}
	}
}

// CopyFrom makes l an equal of o that shares no memory with it.
func (l *Log) CopyFrom(o *Log) {
	l.Reset()
	for i, f := range o.flows {
		flowAt(&l.flows, i).copyFrom(f)
	}
	for i, f := range o.peers {
		flowAt(&l.peers, i).copyFrom(f)
	}
}
