// Package remote runs a session in several processes: a Server in one, a Client in each of the others. Each has a lab
// and runs one side of it (lab.NewServer, lab.NewClient). Over their connection they also exchange what the sides do not:
// the players, and the session's settings.
//
// A client sends its name. The server gives it a seat and describes the session; the client makes the same world, asks
// the server for its present state as any client that rejoins does, and plays. A name keeps its seat: a player who comes
// back gets the same one. When the server switches to another scene or strategy, it describes the new session to all, and
// each client continues as if it had rejoined.
//
// The package reads no clock and opens no socket. Times are those of the process; the caller passes them, and wires.
package remote

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
	"ghostcube/sim"
)

// ServerConfig configures a Server.
type ServerConfig struct {
	Session   lab.Config // without a network: it is real
	Spec      string     // of the pane
	Version   string     // of the program
	Ordered   bool       // every wire delivers everything, once and in order, as TCP does
	Seed      uint64     // of the networks laid over connections
	Recording *capture.Recording
	Log       func(event string, values ...any) // names and values in turn; may be nil

	// Introduce returns what to tell two clients about each other, from the addresses of their connections and the Local that
	// each has sent; nil: nothing.
	Introduce func(first, second string, localOfFirst, localOfSecond []byte) (toFirst, toSecond []byte)
}

// Server is the server of a session.
type Server struct {
	Lab *lab.Lab

	config    ServerConfig
	clock     clock
	startHash uint64 // of the scene
	session   byte   // its number, from 1
	begins    sim.Tick
	commands  []lab.Command // applied since the last tick
	seats     []seat        // of the scene
	watchers  []*guest
	guests    []*guest // connections without a seat
	mesh      mesh
	buffer    []byte
	recordErr error
}

// seat is the place of a player.
type seat struct {
	wire  seatWire
	guest *guest        // in the seat; nil: nobody
	name  string        // of the guest, or of the last one
	freed time.Duration // when the seat became free
	last  Seat          // at that moment

	forwardedAt time.Duration // when the server last forwarded a datagram of the player; 0: never
}

// guest is a connection from a client.
type guest struct {
	channels
	control *control
	address string
	since   time.Duration

	name       string // empty: it has not said hello
	watches    bool
	wantsGhost bool
	meets      bool   // it can open direct paths
	local      []byte // its address in its own network, for them
	nextGhost  int    // body with which its next ghost begins
	micrometre uint32 // path error that it has reported, of the session
	hasScore   bool
	roundTrip  time.Duration // that it has reported
	reportedAt time.Duration // when it did; 0: never
	shots      int           // that the server has resolved, of the session
	hits       int
	said       chatLimit
	conditions *Conditions   // over the connection
	refusedAt  time.Duration // when it was refused; 0: it was not

	toldMissing int // how many players a mesh waits for, as it was last told
}

// MaxWatchers is the number of clients that watch at the same time.
const MaxWatchers = 8

const (
	maxGuests = 32

	// A guest without a name, or one that was refused, is disconnected after this time.
	helloTime = 5 * time.Second

	// A guest with the name of a player gets that player's seat if the player's connection has been silent for this time.
	silenceOfGone = 2 * time.Second
)

// NewServer returns a server at time now, which makes its first tick then.
func NewServer(config ServerConfig, now time.Duration) (*Server, error) {
	s := &Server{config: config, clock: clock{rate: config.Session.Rate, start: now}, session: 1}
	if s.config.Log == nil {
		s.config.Log = func(string, ...any) {}
	}
	var err error
	if s.config.Spec, err = withTransport(config.Spec, config.Ordered); err != nil {
		return nil, err
	}
	s.config.Session.Network = link.Network{}
	s.seats = make([]seat, sim.MaxPlayers)
	wires := make([]link.Wire, len(s.seats))
	for i := range wires {
		s.seats[i].wire.Wire = lab.CutWire{}
		wires[i] = config.Recording.Wire(i, &s.seats[i].wire)
	}
	if s.Lab, err = lab.NewServer(s.config.Session, s.config.Spec, wires); err != nil {
		return nil, err
	}
	if s.startHash, err = lab.StartHash(&s.config.Session); err != nil {
		return nil, err
	}
	s.seats = s.seats[:s.Lab.Players()]
	s.Lab.OnHit = s.sendHit
	config.Recording.Start(s.Lab, config.Version, capture.Server, s.config.Spec)
	return s, nil
}

// Connect adds a connection from an address, for display.
func (s *Server) Connect(wire Wire, address string, now time.Duration) {
	if len(s.guests) == maxGuests {
		wire.Close()
		return
	}
	over := &Conditions{Wire: wire, ordered: s.config.Ordered}
	g := &guest{channels: channels{wire: over}, conditions: over, address: address, since: now}
	g.control = newControl(&g.channels)
	s.guests = append(s.guests, g)
}

// Next returns the time of the next tick.
func (s *Server) Next() time.Duration { return s.clock.next(s.Lab.Ticks()) }

// Advance runs the ticks that are due by now. After a pause of the process, session time continues where it stopped: the
// clients see a server that was silent.
func (s *Server) Advance(now time.Duration) {
	if late := now - s.Next(); late > longestPause {
		s.clock.start += late
		s.config.Log("the server stood still", "seconds", late.Seconds())
	}
	for s.Next() <= now {
		s.tick(s.Next())
	}
}

// tick runs a tick of the session at time now.
func (s *Server) tick(now time.Duration) {
	if s.Lab.Ticks() > s.begins { // its sides know their peers from the first tick on
		s.updateGuests(now)
		s.updateSeats(now)
		s.updateWatchers(now)
	}
	if err := s.Lab.Tick(lab.Entry{}); err != nil {
		panic("remote: " + err.Error()) // there is no command to be refused
	}
	e := lab.Entry{Commands: s.commands}
	s.commands = nil
	if err := s.config.Recording.Ticked(e); err != nil && s.recordErr == nil {
		s.recordErr = err
		s.config.Log("the capture ends here", "error", err)
	}
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil && g.wantsGhost {
			s.sendGhost(g, now)
		}
	}
	for _, g := range s.watchers {
		s.sendGhost(g, now)
	}
}

// sendGhost sends the ghost of the last tick, once the guest knows the session.
func (s *Server) sendGhost(g *guest, now time.Duration) {
	if g.session != s.session {
		return
	}
	s.buffer = append(s.buffer[:0], ghostTag+g.session)
	s.buffer, g.nextGhost = appendGhost(s.buffer, s.Lab.Panes[0].ServerWorld, g.nextGhost)
	_ = g.wire.Send(now, s.buffer) // otherwise it is lost
}

// updateGuests gives seats to the guests that ask for one.
func (s *Server) updateGuests(now time.Duration) {
	kept := s.guests[:0]
	for _, g := range s.guests {
		s.listen(g, now)
		if g.name != "" && g.refusedAt == 0 && s.admit(g, now) {
			continue
		}
		waits := now-g.since < helloTime
		if g.refusedAt > 0 {
			waits = now-g.refusedAt < helloTime
		}
		if g.wire.Err() == nil && (waits || g.name != "" && g.refusedAt == 0) {
			kept = append(kept, g)
			continue
		}
		g.wire.Close()
	}
	clear(s.guests[len(kept):])
	s.guests = kept
}

// listen handles the messages of a guest.
func (s *Server) listen(g *guest, now time.Duration) {
	g.channels.update(now)
	g.control.update(now, func(kind byte, text []byte) {
		switch {
		case kind == helloMessage && len(text) > 1 && len(text) <= 1+MaxName && g.name == "":
			g.wantsGhost, g.watches, g.meets = text[0]&wantsGhost != 0, text[0]&watches != 0, text[0]&meets != 0
			g.name = printable(string(text[1:]))
		case kind == localMessage && len(text) <= maxLocal:
			g.local = bytes.Clone(text)
		case kind == chatMessage:
			s.hear(g, string(text), now)
		case kind == scoreMessage && len(text) == scoreBytes && text[0] == g.session:
			g.hearScore(text, now)
		}
	})
}

// hearScore takes what a client has measured.
func (g *guest) hearScore(text []byte, now time.Duration) {
	if micrometre := binary.LittleEndian.Uint32(text[1:]); micrometre != unknown {
		g.micrometre, g.hasScore = micrometre, true
	}
	if us := binary.LittleEndian.Uint32(text[5:]); us != unknown {
		g.roundTrip, g.reportedAt = time.Duration(us)*time.Microsecond, now
	}
}

// reportLifetime is how long a report counts. They come every second.
const reportLifetime = 3 * time.Second

// printable returns a name with a dot for each byte that is no printable ASCII.
func printable(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c <= ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}

// admit lets a guest watch or play. It reports false if the guest has to wait, or is refused.
func (s *Server) admit(g *guest, now time.Duration) bool {
	switch {
	case !g.watches:
		return s.seatGuest(g, now)
	case len(s.watchers) == MaxWatchers:
		s.refuse(g, now, fmt.Sprintf("%d watch already, and no more can", MaxWatchers))
		return false
	}
	s.watchers = append(s.watchers, g)
	s.describe(g, -1)
	s.config.Log("watches", "name", g.name, "address", g.address)
	return true
}

// updateWatchers receives from the watchers, announces a new session to them, and removes disconnected ones.
func (s *Server) updateWatchers(now time.Duration) {
	s.watchers = slices.DeleteFunc(s.watchers, func(g *guest) bool {
		s.listen(g, now)
		if err := g.wire.Err(); err != nil {
			g.wire.Close()
			s.config.Log("left", "name", g.name, "why", err)
			return true
		}
		if g.session != s.session && !g.control.isBusy() {
			s.describe(g, -1)
		}
		return false
	})
}

// seatGuest gives a guest its seat. It reports false if the guest has to wait, or is refused.
func (s *Server) seatGuest(g *guest, now time.Duration) bool {
	i := s.seatFor(g.name)
	if i < 0 {
		s.refuse(g, now, fmt.Sprintf("the session is full: it takes %s", playersText(len(s.seats))))
		return false
	}
	p := &s.seats[i]
	if old := p.guest; old != nil {
		if old.receivedAt > g.since+silenceOfGone/2 {
			s.refuse(g, now, g.name+" is playing already")
			return false
		}
		if now-old.receivedAt < silenceOfGone {
			return false
		}
		old.wire.Close()
	}
	p.guest, p.name, p.wire.Wire = g, g.name, lab.CutWire{}
	if !s.IsMesh() {
		s.begin(i)
	}
	s.config.Log("joined", "player", i+1, "name", g.name, "address", g.address)
	return true
}

// begin begins the session with the guest of a seat.
func (s *Server) begin(i int) {
	p := &s.seats[i]
	g := p.guest
	p.forwardedAt = 0
	p.wire.Wire = &channel{channels: &g.channels, kind: game, start: s.clock.start}
	s.reset(i)
	s.describe(g, i)
}

// describe sends a guest the description of the session, in which it is a player; -1: it watches.
func (s *Server) describe(g *guest, player int) {
	g.enter(s.session)
	g.hasScore, g.nextGhost, g.shots, g.hits, g.toldMissing, g.reportedAt = false, 0, 0, 0, 0, 0
	text := describe(s.config.Session, s.config.Spec, s.config.Version, player, s.startHash)
	for ; len(text) > 0; text = text[min(maxPart, len(text)):] {
		g.control.send(sessionMessage, text[:min(maxPart, len(text))])
	}
	g.control.send(beginMessage, []byte{s.session})
}

// seatFor returns the seat for a name: its own, or else one that was never taken, or else the one that has been free for
// the longest time; -1: none is free.
func (s *Server) seatFor(name string) int {
	best := -1
	for i := range s.seats {
		p := &s.seats[i]
		if p.name == name {
			return i
		}
		if p.guest == nil && (best < 0 || s.seats[best].name != "" && (p.name == "" || p.freed < s.seats[best].freed)) {
			best = i
		}
	}
	return best
}

func (s *Server) refuse(g *guest, now time.Duration, why string) {
	g.control.send(refuseMessage, []byte(why[:min(len(why), maxPart)]))
	g.refusedAt = now
	s.config.Log("refused", "name", g.name, "address", g.address, "why", why)
}

// updateSeats receives from the players, starts the present session for those still in an earlier one, and frees the
// seats of disconnected players.
func (s *Server) updateSeats(now time.Duration) {
	for i := range s.seats {
		p := &s.seats[i]
		g := p.guest
		if g == nil {
			if s.Lab.Ticks()%sim.Tick(s.config.Session.Rate) == 1 || s.Lab.Ticks() == s.begins+1 {
				s.reset(i) // so that the queue for the client of an empty seat does not grow
			}
			continue
		}
		s.listen(g, now)
		s.forward(i, now)
		if c, ok := p.wire.Wire.(*channel); ok {
			c.start = s.clock.start
		}
		switch err := g.wire.Err(); {
		case err != nil:
			g.wire.Close()
			p.last = s.seatNow(i)
			p.last.Address, p.last.Path = "", ""
			p.guest, p.freed, p.wire.Wire = nil, now, lab.CutWire{}
			s.reset(i)
			s.config.Log("left", "player", i+1, "name", p.name, "why", err)
		case g.session != s.session && !g.control.isBusy() && !s.IsMesh():
			s.begin(i)
		}
	}
	if s.IsMesh() {
		s.updateMesh(now)
	}
}

func (s *Server) reset(player int) {
	s.config.Recording.Reset(player)
	s.Lab.Reset(player)
}

// Close ends the connections and the capture.
func (s *Server) Close() error {
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil {
			g.wire.Close()
		}
	}
	for _, g := range slices.Concat(s.watchers, s.guests) {
		g.wire.Close()
	}
	return s.config.Recording.Close()
}

// Seat is a player's seat, as the server knows it.
type Seat struct {
	Name, Address string       // of the player in the seat, or of the last one; an empty address: the seat is free
	Stats         packet.Stats // of the server's endpoint, until the last one left
	PathError     float64      // metres, RMS, as the client has reported; HasScore: it has
	HasScore      bool
	RoundTrip     time.Duration // as the client measures it, and shows it (Client.RoundTrip); 0: it has not said so for seconds
	Shots, Hits   int           // as the server has resolved them, in this session
	Conditions    string        // laid over the connection; empty: none
	Path          string        // to the other players of a mesh; empty: none
}

// Seats returns all seats, by player.
func (s *Server) Seats() (list []Seat) {
	for i := range s.seats {
		if s.seats[i].guest == nil {
			list = append(list, s.seats[i].last)
			continue
		}
		list = append(list, s.seatNow(i))
	}
	return list
}

// Watchers returns the watchers. Their statistics cover the control channel.
func (s *Server) Watchers() (list []Seat) {
	for _, g := range s.watchers {
		stats := g.control.endpoint.Stats
		list = append(list, Seat{Name: g.name, Address: g.address, Stats: stats, RoundTrip: stats.RTT})
	}
	return list
}

// seatNow returns the present state of a seat that is taken.
func (s *Server) seatNow(i int) Seat {
	g, roundTrip := s.seats[i].guest, time.Duration(0)
	if g.reportedAt > 0 && s.Next()-g.reportedAt <= reportLifetime {
		roundTrip = g.roundTrip
	}
	return Seat{
		s.seats[i].name, g.address, *s.Lab.Panes[0].PeerStats(i), float64(g.micrometre) / 1e6, g.hasScore, roundTrip, g.shots, g.hits,
		g.conditions.String(), s.pathText(i, s.Next()),
	}
}
