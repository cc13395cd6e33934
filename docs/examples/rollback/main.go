// Rollback is the technique of GGPO, as in docs/guides/rollback.md: two clients and a relay over UDP, 75 ms each way.
//
//	go run ./docs/examples/rollback
//	go run ./docs/examples/rollback -input-delay 4
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"log"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	tick     = time.Second / 60
	ticks    = 330                   // of the demonstration
	latency  = 75 * time.Millisecond // one way
	farthest = 60                    // ticks that a client steps beyond the last confirmed one
	history  = 128                   // ticks that are remembered
)

var inputDelay = flag.Uint("input-delay", 0, "ticks between a key and its use, at most 32")
var start = time.Now().Add(time.Second / 4) // all sides are ready by then

// world is two cubes on a plane, one of each player, in integers: equal inputs give equal bits on every machine.
type world struct{ Pos, Vel [2][2]int32 } // by player and axis; micrometres, micrometres a tick

// step is the physics. An input has two bits an axis: forwards and backwards.
func (w *world) step(inputs [2]byte) {
	var approach int64
	for axis := range w.Pos[0] {
		for player, in := range inputs {
			push := int32(in>>(2*axis)&1) - int32(in>>(2*axis+1)&1)
			w.Vel[player][axis] = w.Vel[player][axis]/2 + 12_000*push
			w.Pos[player][axis] += w.Vel[player][axis]
		}
		approach -= int64(w.Pos[1][axis]-w.Pos[0][axis]) * int64(w.Vel[1][axis]-w.Vel[0][axis])
	}
	if x, y := w.Pos[1][0]-w.Pos[0][0], w.Pos[1][1]-w.Pos[0][1]; max(x, -x, y, -y) < 1_000_000 && approach > 0 {
		w.Vel[0], w.Vel[1] = w.Vel[1], w.Vel[0] // they hit each other
	}
}

// header begins a datagram. The inputs from tick First on follow it, one byte each.
type header struct {
	Player, First uint32 // who sends, and what
	Known         uint32 // ticks of the receiver's inputs that the sender has
	Tick, Sum     uint32 // a tick with all inputs known, and the checksum of the world before it
}

// relay passes each player's datagrams to the other one.
func relay(l *link, players []net.Addr) {
	for t := range uint32(ticks) {
		for _, b := range l.receive(t) {
			if len(b) > 4 && binary.BigEndian.Uint32(b) < 2 {
				l.send(t, b, players[1-binary.BigEndian.Uint32(b)])
			}
		}
	}
}

// client steps at once, with the inputs that it knows and with guesses.
type client struct {
	player  uint32
	now     uint32           // tick that is stepped next
	inputs  [2][history]byte // of each player and tick
	known   [2]uint32        // first tick of each player without an input
	lacks   uint32           // first tick of this player that the other one does not know
	guessed [history]byte    // input of the other player with which each tick was stepped
	worlds  [history]world   // before each tick
}

// receive takes a datagram, and returns the first tick that was stepped with a wrong guess, if it is before wrong.
func (c *client) receive(b []byte, h *header, wrong uint32) uint32 {
	n, err := binary.Decode(b, binary.BigEndian, h)
	if other := 1 - c.player; err == nil && h.Known <= c.known[c.player] && h.First <= c.known[other] {
		c.lacks = max(c.lacks, h.Known)
		for t := c.known[other]; t < h.First+uint32(len(b)-n) && t-c.now+farthest < history; t++ {
			in := b[n+int(t-h.First)]
			c.inputs[other][t%history], c.known[other] = in, t+1
			if t < c.now && c.guessed[t%history] != in {
				wrong = min(wrong, t)
			}
		}
	}
	return wrong
}

// step steps a tick, perhaps not for the first time. An input that is not known is guessed: the last one again.
func (c *client) step(t uint32) {
	other, next := 1-c.player, &c.worlds[(t+1)%history]
	c.guessed[t%history] = c.inputs[other][(min(t+1, c.known[other])-1)%history]
	var inputs [2]byte
	inputs[c.player], inputs[other] = c.inputs[c.player][t%history], c.guessed[t%history]
	*next = c.worlds[t%history]
	next.step(inputs)
}

// sum returns the checksum of the world before a tick.
func (c *client) sum(t uint32) uint32 {
	b, _ := binary.Append(nil, binary.BigEndian, c.worlds[t%history])
	return crc32.ChecksumIEEE(b)
}

// play makes a frame a tick: receive, roll back, compare, step, send, draw. A game smooths what is drawn.
func (c *client) play(l *link, relay net.Addr) (result string) {
	var rollbacks, deepest, compared, pressed, waited, keys uint32 // pressed: the frame of a key until it is on the screen
	c.worlds[0].Pos[1][0], c.known[c.player] = 2_600_000, min(uint32(*inputDelay), 32)
	for frame := range uint32(ticks) {
		var h header
		wrong, datagrams := c.now, l.receive(frame)
		for _, b := range datagrams {
			wrong = c.receive(b, &h, wrong)
		}
		rollbacks, deepest = rollbacks+min(c.now-wrong, 1), max(deepest, c.now-wrong)
		for t := wrong; t < c.now; t++ {
			c.step(t) // without the sounds and effects that have begun
		}
		known, last := min(c.now, c.known[1-c.player]), c.worlds[c.now%history].Pos[c.player][1]
		if len(datagrams) > 0 && h.Tick <= known {
			if compared++; h.Sum != c.sum(h.Tick) {
				log.Fatalf("the worlds differ before tick %d", h.Tick)
			}
		}
		if (c.now > 0 || len(datagrams) > 0) && c.now-known < farthest { // a game also follows the other one's clock
			input := [2]byte{byte(c.now%40/30) << (2 + c.now/40%2), byte(c.now%30/20) * 2}[c.player]
			c.inputs[c.player][c.known[c.player]%history], c.known[c.player] = input, c.known[c.player]+1
			c.step(c.now)
			if c.now++; c.now%40 == 31 {
				pressed = frame
			}
		}
		b, _ := binary.Append(nil, binary.BigEndian, header{c.player, c.lacks, c.known[1-c.player], known, c.sum(known)})
		for t := c.lacks; t < c.known[c.player]; t++ {
			b = append(b, c.inputs[c.player][t%history]) // all that the other one may lack
		}
		l.send(frame, b, relay)
		if pressed > 0 && c.worlds[c.now%history].Pos[c.player][1] != last {
			waited, keys, pressed = waited+frame-pressed, keys+1, 0
		}
	}
	return fmt.Sprintf("key to screen %.0f ms, rollbacks %d, deepest %d ticks, checksums compared %d",
		float64(waited)/float64(keys)*1000/60, rollbacks, deepest, compared)
}

// link is an end of the network. A datagram begins with the tick in which it is to be read, and the receiver keeps it
// until then, so that no figure depends on when the machine wakes the program.
type link struct {
	net.PacketConn
	held [][]byte // for later ticks
}

// send sends a datagram in a tick.
func (l *link) send(t uint32, b []byte, to net.Addr) {
	due := t + uint32((latency*60+time.Second-1)/time.Second) // rounded up to a tick
	l.WriteTo(append(binary.BigEndian.AppendUint32(nil, due), b...), to)
}

// receive waits for a tick, a quarter of one if it is late, and returns the datagrams that have arrived.
func (l *link) receive(t uint32) (list [][]byte) {
	l.SetReadDeadline(time.Now().Add(max(time.Until(start.Add(time.Duration(t)*tick)), tick/4)))
	b := make([]byte, 1500)
	for n, _, err := l.ReadFrom(b); err == nil; n, _, err = l.ReadFrom(b) {
		l.held = append(l.held, append([]byte(nil), b[:n]...))
	}
	slices.SortStableFunc(l.held, func(a, b []byte) int { return bytes.Compare(a[:4], b[:4]) }) // several send
	for len(l.held) > 0 && binary.BigEndian.Uint32(l.held[0]) <= t {
		if binary.BigEndian.Uint32(l.held[0]) < t {
			log.Fatal("this machine is too busy: a datagram was read too late")
		}
		list, l.held = append(list, l.held[0][4:]), l.held[1:]
	}
	return list
}

func main() {
	flag.Parse()
	var ends [3]link // of the players, and of the relay
	var at [3]net.Addr
	for i := range ends {
		conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		defer conn.Close()
		ends[i].PacketConn, at[i] = conn, conn.LocalAddr()
	}
	var others sync.WaitGroup
	others.Go(func() { relay(&ends[2], at[:2]) })
	others.Go(func() { (&client{player: 1}).play(&ends[1], at[2]) })
	fmt.Println((&client{player: 0}).play(&ends[0], at[2]))
	others.Wait()
}
