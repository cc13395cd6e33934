// Package measure measures a link: round trip, one-way delay, loss and its bursts, reordering, in each direction.
//
// A Prober sends numbered probes at a regular interval; an Echo answers each with the times of its own clock and with the
// probes that it has received of late. So the losses of the two directions are told apart, and how long an answer waits
// before it is sent does not count. The two clocks may differ in offset and rate: see Result.
//
// It uses neither sockets nor the clock, so that it measures simulated links as well as real ones.
package measure

import (
	"encoding/binary"
	"time"

	"ghostcube/net/link"
)

// Config are the settings of a Prober.
type Config struct {
	Count    int           // probes that are measured
	Interval time.Duration // between two probes
	Size     int           // of a probe and its answer in bytes, MinSize to 1200
}

// MinSize is the size of the smallest probe, in bytes.
const MinSize = 1 + 4 + 3*8 + 4 + 8

// Tail is how long a Prober waits for the last answers. It goes on sending, so that these say which probes have arrived.
const Tail = 2 * time.Second

// Offsets of the fields of a probe and its answer, little endian. The answer repeats those of the probe.
const (
	atNumber  = 1
	atSent    = 5  // ns, by the prober's clock
	atArrived = 13 // ns, by that of the echo, as the next
	atEchoed  = 21
	atCount   = 29 // of answers before this one
	atRecent  = 33 // bit n: the probe n+1 before this one has arrived
)

const (
	kindProbe = 'P'
	kindEcho  = 'E'
)

// record is what is known of a probe.
type record struct {
	sent, arrived, echoed, returned time.Duration // the two in the middle by the clock of the echo
	count                           uint32        // of answers before this one
	isBack                          bool
	up                              fate
}

// fate is the outcome of a probe on its way up.
type fate byte

const (
	unknown fate = iota
	arrived
	missing
)

// Prober is the side that measures.
type Prober struct {
	wire    link.Wire
	config  Config
	records []record
	returns []int // numbers of the probes in the order of their return
	next    time.Duration
	begun   bool
	buffer  []byte
}

// NewProber returns a Prober that sends over a wire.
func NewProber(wire link.Wire, c Config) *Prober {
	return &Prober{wire: wire, config: c, buffer: make([]byte, max(c.Size, MinSize))}
}

// Tick receives answers and sends a probe if one is due. Call it at least once in an interval. The error is that of the
// wire.
func (p *Prober) Tick(now time.Duration) error {
	for d, ok := p.wire.Receive(now); ok; d, ok = p.wire.Receive(now) {
		p.receive(d)
	}
	if !p.begun {
		p.begun, p.next = true, now
	}
	if now < p.next {
		return nil
	}
	if p.next += p.config.Interval; p.next < now { // the caller was late, and a burst would measure itself
		p.next = now
	}
	clear(p.buffer)
	p.buffer[0] = kindProbe
	binary.LittleEndian.PutUint32(p.buffer[atNumber:], uint32(len(p.records)))
	binary.LittleEndian.PutUint64(p.buffer[atSent:], uint64(now))
	p.records = append(p.records, record{sent: now})
	return p.wire.Send(now, p.buffer)
}

// receive takes an answer. Its bytes are untrusted.
func (p *Prober) receive(d link.Datagram) {
	if len(d.Bytes) < MinSize || d.Bytes[0] != kindEcho {
		return
	}
	number := int(binary.LittleEndian.Uint32(d.Bytes[atNumber:]))
	if number >= len(p.records) || p.records[number].isBack {
		return
	}
	r := &p.records[number]
	r.isBack, r.up = true, arrived
	r.returned = d.ReceivedAt
	r.arrived = time.Duration(binary.LittleEndian.Uint64(d.Bytes[atArrived:]))
	r.echoed = time.Duration(binary.LittleEndian.Uint64(d.Bytes[atEchoed:]))
	r.count = binary.LittleEndian.Uint32(d.Bytes[atCount:])
	p.returns = append(p.returns, number)
	recent := binary.LittleEndian.Uint64(d.Bytes[atRecent:])
	for k := 1; k <= min(64, number); k++ {
		switch before := &p.records[number-k]; {
		case recent>>(k-1)&1 != 0:
			before.up = arrived
		case before.up == unknown:
			before.up = missing
		}
	}
}

// Progress returns the share of the time that has passed, in [0, 1]: at 1 the measurement has ended.
func (p *Prober) Progress(now time.Duration) float64 {
	if len(p.records) < p.config.Count {
		return float64(len(p.records)) / float64(p.config.Count+int(Tail/p.config.Interval))
	}
	end := p.records[p.config.Count-1].sent + Tail
	all := end - p.records[0].sent
	return min(1, float64(now-p.records[0].sent)/float64(all))
}

// Echo is the side that answers.
type Echo struct {
	newest  uint32
	recent  uint64 // bit n: newest-1-n has arrived
	begun   bool
	answers uint32
	buffer  [1200]byte
}

// Tick answers all probes that have arrived at a wire. The error is that of the wire.
func (e *Echo) Tick(now time.Duration, wire link.Wire) error {
	for d, ok := wire.Receive(now); ok; d, ok = wire.Receive(now) {
		if len(d.Bytes) < MinSize || len(d.Bytes) > len(e.buffer) || d.Bytes[0] != kindProbe {
			continue
		}
		b := e.buffer[:copy(e.buffer[:], d.Bytes)]
		b[0] = kindEcho
		number := binary.LittleEndian.Uint32(b[atNumber:])
		binary.LittleEndian.PutUint64(b[atArrived:], uint64(d.ReceivedAt))
		binary.LittleEndian.PutUint64(b[atEchoed:], uint64(now))
		binary.LittleEndian.PutUint32(b[atCount:], e.answers)
		binary.LittleEndian.PutUint64(b[atRecent:], e.remember(number))
		e.answers++
		if err := wire.Send(now, b); err != nil {
			return err
		}
	}
	return nil
}

// remember notes that a probe has arrived, and returns which of the 64 before it have.
func (e *Echo) remember(number uint32) (recent uint64) {
	ahead := int64(number) - int64(e.newest)
	switch {
	case !e.begun:
		e.begun, e.newest = true, number
		return 0
	case ahead > 0:
		e.recent = e.recent<<ahead | 1<<(ahead-1) // Go shifts by 64 and more to 0
		e.newest = number
		return e.recent
	case ahead < 0:
		e.recent |= 1 << (-ahead - 1)
		return e.recent >> -ahead
	}
	return e.recent
}
