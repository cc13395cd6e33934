package capture

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Merged is a session of which the server and some clients have left captures.
type Merged struct {
	Config lab.Config
	Panes  []string // specs, by client
	Ticks  int      // in which all sides were there

	server  lab.Side
	clients []lab.Side
}

// NewLab returns the session before its first tick.
func (m *Merged) NewLab() *lab.Lab {
	server, clients := m.server, slices.Clone(m.clients)
	server.Lab = server.Lab.Fork()
	for i := range clients {
		clients[i].Lab = clients[i].Lab.Fork()
	}
	return lab.NewMerged(server, clients)
}

// Merge returns the session of captures: that of the server, and those of 1 to lab.MaxPanes clients of other players. It
// runs each to its end, and so finds out what a side sent, when that arrived at the other, and how their clocks differ.
func Merge(list []*Capture) (*Merged, error) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *Capture) int { return a.Player - b.Player })
	switch n := len(list); {
	case n < 2 || list[0].Player != Server || list[1].Player == Server:
		return nil, errors.New("want the capture of one server, and those of its clients")
	case n > 1+lab.MaxPanes:
		return nil, fmt.Errorf("%d captures of clients: want 1 to %d", n-1, lab.MaxPanes)
	}
	var err error
	if list[0], err = list[0].untilMeshEnds(); err != nil {
		return nil, err
	}
	for i, c := range list[1:] {
		switch a, b := &list[0].Tape.Config, &c.Tape.Config; {
		case c.Player == list[i].Player:
			return nil, fmt.Errorf("two captures of player %d", c.Player+1)
		case a.Scene != b.Scene || a.Rate != b.Rate || list[0].Tape.Panes[0] != c.Tape.Panes[0]:
			return nil, fmt.Errorf("player %d: not a client of this server: its session has another scene, rate or strategy", c.Player+1)
		}
	}
	server, err := run(list[0])
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	var clients []*client
	for _, c := range list[1:] {
		r, err := run(c)
		if err == nil {
			clients = append(clients, &client{Capture: c})
			err = clients[len(clients)-1].meet(server, r)
		}
		if err != nil {
			return nil, fmt.Errorf("player %d: %w", c.Player+1, err)
		}
	}
	return server.merge(clients)
}

// untilMeshEnds returns the capture of a server until a mesh has ended there, because a player has left. Other sessions have to
// be of one scene and strategy.
func (c *Capture) untilMeshEnds() (*Capture, error) {
	i := slices.IndexFunc(c.Tape.Entries, func(e lab.Entry) bool {
		return slices.ContainsFunc(e.Commands, func(c lab.Command) bool { return c.Verb == "scene" || c.Verb == "switch" })
	})
	if i < 0 {
		return c, nil
	}
	r, err := c.Replay()
	if err != nil {
		return nil, err
	}
	if r.Lab.Panes[0].CannotJoin() == nil {
		return nil, fmt.Errorf("tick %d: the server went on with another scene or strategy: only captures of a session with one run together", i)
	}
	cut, t := *c, *c.Tape
	t.Entries = t.Entries[:i]
	n := sort.Search(len(t.HashChecks), func(k int) bool { return t.HashChecks[k].Ticks > i })
	t.HashChecks, cut.Tape = t.HashChecks[:n], &t
	return &cut, nil
}

// sending is a datagram that a side sent, and when it arrived at the other.
type sending struct {
	at       time.Duration // on the sender's clock
	bytes    []byte
	arrivals []time.Duration // on the receiver's
}

// ran is what a side did.
type ran struct {
	*Capture
	sent [maxWires][]sending // by wire
}

// run runs a capture to its end and checks its hashes.
func run(c *Capture) (*ran, error) {
	x := &ran{Capture: c}
	r, err := c.replay(func(wire int, at time.Duration, b []byte) {
		x.sent[wire] = append(x.sent[wire], sending{at: at, bytes: slices.Clone(b)})
	})
	if err != nil {
		return nil, err
	}
	next := 0
	for i := range c.Tape.Entries {
		_ = c.tick(r.Lab) // commands refused here were also refused in the original run
		if next < len(c.Tape.HashChecks) && c.Tape.HashChecks[next].Ticks == i+1 {
			if err := c.Tape.Verify(r.Lab, next); err != nil {
				return nil, err
			}
			next++
		}
	}
	return x, nil
}

// tick makes the next tick of a lab that runs from the capture.
func (c *Capture) tick(l *lab.Lab) error {
	c.beforeTick(l)
	return l.Tick(c.Tape.Entries[l.Ticks()])
}

// lasts returns the time of the session of a number of its ticks.
func (c *Capture) lasts(ticks int) time.Duration {
	return time.Duration(ticks) * time.Second / time.Duration(c.Tape.Config.Rate)
}

// client is a client beside its server.
type client struct {
	*Capture
	own     *ran
	ways    [2][]sending    // by direction
	offsets []time.Duration // to add to the client's clock for the server's, by fitEvery of it
}

// fitEvery is how often clocks are compared. An offset is changed by no less than fitStep.
const (
	fitEvery = 5 * time.Second
	fitStep  = 2 * time.Millisecond
)

// meet finds the datagrams between a client and the server, and compares their clocks by them.
func (c *client) meet(server, own *ran) error {
	c.own = own
	c.ways = [2][]sending{link.Up: own.sent[0], link.Down: server.sent[c.Player]}
	found := match(c.ways[link.Up], server.byWire[c.Player])
	found = min(found, match(c.ways[link.Down], c.byWire[0]))
	if len(c.Tape.Entries) == 0 || found < len(c.Tape.Entries)/100+1 {
		return errors.New("not a client of this server: nearly nothing of what it sent has arrived there")
	}
	c.fit()
	return nil
}

// match finds the arrivals of datagrams by their bytes, and tells the events which they are. It returns how many have arrived.
func match(sent []sending, events []*event) (found int) {
	known := map[string][]int{} // those that have not arrived, and the last one that has
	for i := range sent {
		b := string(sent[i].bytes)
		known[b] = append(known[b], i)
	}
	newest := -1
	for _, e := range events {
		list := known[string(e.datagram.Bytes)]
		if len(list) == 0 {
			continue // damaged, or of somebody else in the seat
		}
		s := &sent[list[0]]
		if len(s.arrivals) > 0 && len(list) > 1 {
			list = list[1:]
			known[string(e.datagram.Bytes)] = list
			s = &sent[list[0]]
		}
		d := &e.datagram
		d.Number, d.IsDuplicate = uint64(list[0])+1, len(s.arrivals) > 0
		d.Reordered = !d.IsDuplicate && list[0] < newest
		newest = max(newest, list[0])
		if !d.IsDuplicate {
			found++
		}
		s.arrivals = append(s.arrivals, d.ReceivedAt)
	}
	return found
}

// fit compares the clocks: of each time the fastest datagrams of both directions are taken to have been under way equally
// long. Two clocks cannot show more.
func (c *client) fit() {
	n := int(c.lasts(len(c.Tape.Entries))/fitEvery) + 1
	const none = time.Duration(1) << 62
	least := [2][]time.Duration{slices.Repeat([]time.Duration{none}, n), slices.Repeat([]time.Duration{none}, n)}
	for d, list := range c.ways {
		for _, s := range list {
			if len(s.arrivals) == 0 {
				continue
			}
			at := s.at // on the client's clock
			if link.Direction(d) == link.Down {
				at = s.arrivals[0]
			}
			if i := int(at / fitEvery); i < n {
				least[d][i] = min(least[d][i], s.arrivals[0]-s.at)
			}
		}
	}
	c.offsets = make([]time.Duration, n)
	known := -1
	for i := range c.offsets {
		up, down := least[link.Up][i], least[link.Down][i]
		if i > 0 {
			c.offsets[i] = c.offsets[i-1]
		}
		if up == none || down == none {
			continue
		}
		if x := (up - down) / 2; known < 0 || (x-c.offsets[i]).Abs() >= fitStep {
			c.offsets[i] = x
		}
		if known < 0 {
			for k := range i {
				c.offsets[k] = c.offsets[i]
			}
			known = i
		}
	}
}

// onServer returns a time of the client's clock on that of the server.
func (c *client) onServer(at time.Duration) time.Duration {
	return at + c.offsets[min(int(at/fitEvery), len(c.offsets)-1)]
}

// merge returns the session from when all clients have begun until one side ends.
func (r *ran) merge(clients []*client) (*Merged, error) {
	tick := r.lasts(1)
	first := 0
	for _, c := range clients {
		first = max(first, int((c.onServer(0)+tick-1)/tick))
	}
	n := len(r.Tape.Entries) - first
	made := make([][]sim.Tick, len(clients)) // by client and tick of the session
	for i, c := range clients {
		t := 0
		for k := 0; k <= n && t < len(c.Tape.Entries); k++ {
			for t < len(c.Tape.Entries) && c.onServer(c.lasts(t)) < r.lasts(first+k) {
				t++
			}
			made[i] = append(made[i], sim.Tick(t))
		}
		n = min(n, len(made[i])-1)
	}
	if n < r.Tape.Config.Rate {
		return nil, errors.New("the captures have no second in common")
	}
	start := r.lasts(first)
	m := &Merged{Config: r.Tape.Config, Ticks: n}
	var err error
	m.server.Tick, m.server.Made = r.tick, func(t sim.Tick) sim.Tick { return sim.Tick(first + min(int(t), n)) }
	if m.server.Lab, err = r.labAt(sim.Tick(first)); err != nil {
		return nil, err
	}
	for i, c := range clients {
		s := lab.Side{Tick: c.tick, Made: func(t sim.Tick) sim.Tick { return made[i][min(int(t), n)] }}
		if s.Lab, err = c.labAt(made[i][0]); err != nil {
			return nil, err
		}
		onServer := func(c *client) timeOf { return func(at time.Duration) time.Duration { return c.onServer(at) - start } }
		server := func(at time.Duration) time.Duration { return at - start }
		s.Datagrams[link.Up] = datagrams(c.ways[link.Up], onServer(c), server, r.lasts(n))
		s.Datagrams[link.Down] = datagrams(c.ways[link.Down], server, onServer(c), r.lasts(n))
		for _, other := range clients {
			if other != c {
				sent := c.own.sent[PeerWire(other.Player)]
				match(sent, other.byWire[PeerWire(c.Player)])
				s.Peers[other.Player] = datagrams(sent, onServer(c), onServer(other), r.lasts(n))
			}
		}
		m.clients = append(m.clients, s)
		m.Panes = append(m.Panes, fmt.Sprintf("player-%d=%s", c.Player+1, c.Tape.Panes[0]))
	}
	return m, nil
}

// labAt returns a lab that has run from the capture.
func (c *Capture) labAt(ticks sim.Tick) (*lab.Lab, error) {
	r, err := c.Replay()
	for err == nil && r.Lab.Ticks() < ticks {
		_ = c.tick(r.Lab)
	}
	return r.Lab, err
}

// timeOf returns a time of a side's clock in the time of the session.
type timeOf func(at time.Duration) time.Duration

// datagrams returns the datagrams of one way in the time of the session, which has a length, by the clocks of the sender and
// the receiver. Datagrams still in flight at the end do not count as lost.
func datagrams(sent []sending, sentAt, arrived timeOf, length time.Duration) (list []lab.Datagram) {
	var delays []time.Duration
	for i, s := range sent {
		x := lab.Datagram{Sending: link.Sending{Number: uint64(i) + 1, SentAt: sentAt(s.at)}, Bytes: s.bytes}
		switch n := len(s.arrivals); {
		case n > 1:
			x.Duplicated, x.DuplicateArrival = true, max(arrived(s.arrivals[1]), x.SentAt)
			fallthrough
		case n > 0:
			x.Arrival = max(arrived(s.arrivals[0]), x.SentAt)
			delays = append(delays, x.Arrival-x.SentAt)
		default:
			x.Lost = true
		}
		list = append(list, x)
	}
	if len(delays) == 0 {
		return nil
	}
	slices.Sort(delays)
	usual, slow := delays[len(delays)/2], delays[len(delays)*9/10]
	for i := range list {
		x := &list[i]
		if x.UsualDelay = slow; x.Lost {
			x.Arrival = x.SentAt + usual
			x.Lost = x.SentAt+slow < length
		}
	}
	slices.SortStableFunc(list, func(a, b lab.Datagram) int { return cmp.Compare(a.SentAt, b.SentAt) })
	return list
}
