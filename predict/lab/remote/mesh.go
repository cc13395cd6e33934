package remote

import (
	"bytes"
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict/lab/capture"
	"ghostcube/sim"
)

// In a mesh, clients send to each other. They all begin together, with the server's world of one tick, since a client that
// came later could get the inputs that the others have already stepped from nobody: the server waits until all seats are
// taken. If a player leaves, the session ends, and the next one begins with the server's world when all are taken again.
//
// The server introduces the clients to each other, and they look for a direct path. Until one opens, and where none does,
// as between a browser and another client, the server forwards what they send to each other. So a path that breaks later
// stops nobody.

// Path is a direct path to another client.
type Path interface {
	link.Wire
	IsOpen(now time.Duration) bool
	Close() error
}

// pathTime is how long clients may look for a direct path before the log says that there is none.
const pathTime = 3 * time.Second

// mesh is the server's state of a mesh.
type mesh struct {
	begun   bool // this session has; otherwise it waits
	begunAt time.Duration
	missing int                                  // how many players it waits for, as last logged
	left    string                               // player whose leaving ended the last session; empty: none
	said    [sim.MaxPlayers][sim.MaxPlayers]bool // by sender and receiver: it was logged that the server forwards
}

// IsMesh reports whether the clients of the session send to each other.
func (s *Server) IsMesh() bool { return s.Lab.Panes[0].CannotJoin() != nil }

// updateMesh begins a session in a mesh when all seats are taken, and ends it when one is not any more.
func (s *Server) updateMesh(now time.Duration) {
	missing, busy, gone := 0, false, -1
	for i := range s.seats {
		g := s.seats[i].guest
		if g == nil {
			missing++
		}
		busy = busy || g != nil && g.control.isBusy()
		if g == nil || g.session != s.session { // a player who came back is not in the session
			gone = i
		}
	}
	switch {
	case !s.mesh.begun && missing > 0:
		s.tellWaiting(missing)
	case !s.mesh.begun && !busy:
		s.beginMesh(now)
	case s.mesh.begun && gone >= 0:
		left := s.seats[gone].name
		s.config.Log("the mesh has ended", "left", left)
		if err := s.switchTo(s.config.Session, s.config.Spec); err != nil {
			panic("remote: " + err.Error()) // it is what runs already
		}
		s.mesh.left = left
	}
}

// tellWaiting tells the players who wait how many are missing.
func (s *Server) tellWaiting(missing int) {
	if s.mesh.missing != missing {
		s.mesh.missing = missing
		s.config.Log("waiting: a mesh begins when all seats are taken", "players", missing)
	}
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil && g.toldMissing != missing {
			if g.control.send(waitMessage, append([]byte{byte(missing)}, s.mesh.left...)) {
				g.toldMissing = missing
			}
		}
	}
}

// beginMesh begins the session for all, and introduces them to each other.
func (s *Server) beginMesh(now time.Duration) {
	s.mesh.begun, s.mesh.begunAt = true, now
	for i := range s.seats {
		for k := range i {
			s.introduce(i, k)
		}
	}
	for i := range s.seats {
		s.begin(i)
	}
}

// introduce tells the clients of two players of each other.
func (s *Server) introduce(a, b int) {
	x, y := s.seats[a].guest, s.seats[b].guest
	if s.config.Introduce == nil || !x.meets || !y.meets {
		return
	}
	toX, toY := s.config.Introduce(x.address, y.address, x.local, y.local)
	if len(toX) > 0 && max(len(toX), len(toY)) < maxPart {
		x.control.send(introduceMessage, append([]byte{byte(b)}, toX...))
		y.control.send(introduceMessage, append([]byte{byte(a)}, toY...))
	}
}

// forward forwards the datagrams of a player's client to the clients of others.
func (s *Server) forward(from int, now time.Duration) {
	p := &s.seats[from]
	for d, ok := p.guest.pop(peerChannel, now); ok; d, ok = p.guest.pop(peerChannel, now) {
		to := int(d.Bytes[0])
		if !s.mesh.begun || to >= len(s.seats) || to == from || s.seats[to].guest == nil || s.seats[to].guest.session != s.session {
			continue
		}
		s.buffer = append(append(s.buffer[:0], peerTag, s.session, byte(from)), d.Bytes[1:]...)
		_ = s.seats[to].guest.wire.Send(now, s.buffer) // otherwise it is lost
		p.forwardedAt = now
		if said := &s.mesh.said[from][to]; now-s.mesh.begunAt > pathTime && !*said {
			*said = true
			s.config.Log("no direct path: the server forwards", "from", from+1, "to", to+1)
		}
	}
}

// pathText says how a player's client sends to the others of a mesh; empty: it does not.
func (s *Server) pathText(i int, now time.Duration) string {
	switch {
	case !s.IsMesh():
		return ""
	case !s.mesh.begun:
		return "waits"
	case s.seats[i].forwardedAt > 0 && now-s.seats[i].forwardedAt < time.Second:
		return "by the server"
	}
	return "direct"
}

// peerWire is a client's wire to the client of another player. Without a direct path it leads through the server.
type peerWire struct {
	client    *Client
	player    int
	path      Path            // nil: none
	forwarded []link.Datagram // received through the server
	buffer    []byte
	state     pathState
	since     time.Duration // of the session
}

// pathState is how a peer is reached, as last logged.
type pathState byte

const (
	looking pathState = iota
	direct
	throughServer
)

// isOpen reports whether datagrams go by the direct path now.
func (w *peerWire) isOpen(now time.Duration) bool { return w.path != nil && w.path.IsOpen(now) }

// Send implements link.Wire. The server forwards two bytes less than the largest datagram.
func (w *peerWire) Send(now time.Duration, b []byte) error {
	now += w.client.game.start
	if w.isOpen(now) {
		return w.path.Send(now, b)
	}
	w.buffer = append(append(w.buffer[:0], peerTag, w.client.session, byte(w.player)), b...)
	return w.client.wire.Send(now, w.buffer)
}

// Receive implements link.Wire.
func (w *peerWire) Receive(now time.Duration) (link.Datagram, bool) {
	now += w.client.game.start
	d, ok := w.receive(now)
	d.ReceivedAt = max(d.ReceivedAt-w.client.game.start, 0)
	return d, ok
}

func (w *peerWire) receive(now time.Duration) (link.Datagram, bool) {
	if len(w.forwarded) > 0 && w.forwarded[0].ReceivedAt <= now {
		d := w.forwarded[0]
		w.forwarded = w.forwarded[1:]
		return d, true
	}
	for w.path != nil {
		d, ok := w.path.Receive(now)
		if !ok || len(d.Bytes) <= packet.MaxDatagram {
			return d, ok
		}
	}
	return link.Datagram{}, false
}

// sortForwarded hands forwarded datagrams to the wires of their senders. The queues are bounded.
func (c *Client) sortForwarded(now time.Duration) {
	for d, ok := c.pop(peerChannel, now); ok; d, ok = c.pop(peerChannel, now) {
		if p := int(d.Bytes[0]); p < len(c.peers) && len(c.peers[p].forwarded) < maxQueued {
			d.Bytes = d.Bytes[1:]
			c.peers[p].forwarded = append(c.peers[p].forwarded, d)
		}
	}
}

// meet begins to look for the direct paths of a session.
func (c *Client) meet(now time.Duration) {
	c.closePaths()
	for p := range c.peers {
		c.peers[p] = peerWire{client: c, player: p, since: now}
	}
	for _, told := range c.introduced {
		player := int(told[0])
		w := &c.peers[player]
		if w.path != nil {
			continue
		}
		path, err := c.config.Introduce(player, told[1:])
		if err != nil {
			c.config.Log("no direct path", "player", player+1, "why", err)
			continue
		}
		w.path = path
	}
	c.introduced = nil
}

func (c *Client) closePaths() {
	for p := range c.peers {
		if w := &c.peers[p]; w.path != nil {
			w.path.Close()
			w.path = nil
		}
	}
}

// peerWires are the wires of the client to those of other players, by player, as the capture records them.
func (c *Client) peerWires() (list []link.Wire) {
	for p := range c.peers {
		list = append(list, c.config.Recording.Wire(capture.PeerWire(p), &c.peers[p]))
	}
	return list
}

// hearIntroduction keeps an introduction until the session begins.
func (c *Client) hearIntroduction(text []byte) {
	c.supersede()
	if len(text) > 0 && int(text[0]) < len(c.peers) && c.config.Introduce != nil && len(c.introduced) < len(c.peers) {
		c.introduced = append(c.introduced, bytes.Clone(text))
	}
}

// hearWaiting reports how many players the server waits for.
func (c *Client) hearWaiting(text []byte) {
	if len(text) == 0 {
		return
	}
	who, left := "for 1 more player", printableText(text[1:min(len(text), 1+MaxName)])
	if n := text[0]; n > 1 {
		who = fmt.Sprintf("for %d more players", n)
	}
	c.config.Log("waiting", "players", int(text[0]), "left", left)
	if left != "" {
		left += " has left: "
	}
	c.tell(left + "the server waits " + who + ", since all begin a mesh at once")
}

// watchPaths logs how the other players are reached, when that changes.
func (c *Client) watchPaths(now time.Duration) {
	if c.Lab.Panes[0].CannotJoin() == nil {
		return
	}
	for p := range c.Lab.Players() {
		switch w := &c.peers[p]; {
		case p == c.Player:
		case w.isOpen(now) && w.state != direct:
			w.state = direct
			c.config.Log("a direct path", "player", p+1)
		case !w.isOpen(now) && w.state != throughServer && (w.state == direct || now-w.since > pathTime):
			w.state = throughServer
			c.config.Log("no direct path: through the server", "player", p+1)
		}
	}
}

// Peer is another player of a mesh, as a client knows it.
type Peer struct {
	Player   int
	IsDirect bool // datagrams to it do not go through the server
	Stats    *packet.Stats
}

// Peers returns the other players of a mesh. There are none before the session begins, and in no other session.
func (c *Client) Peers(now time.Duration) (list []Peer) {
	if c.Lab == nil || c.Lab.Panes[0].CannotJoin() == nil {
		return nil
	}
	for p := range c.Lab.Players() {
		if s := c.Lab.Panes[0].Clients[0].PeerStats(p); s != nil {
			list = append(list, Peer{p, c.peers[p].isOpen(now), s})
		}
	}
	return list
}
