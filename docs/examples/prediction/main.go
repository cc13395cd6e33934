// Prediction is client-side prediction with rewind and replay, as in docs/guides/prediction.md: a server and a client
// over UDP on the loopback, 75 ms each way, with 5 % loss.
//
//	go run ./docs/examples/prediction -predict=false -log game.jsonl
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"time"
)

const (
	tick    = time.Second / 60
	ticks   = 300                   // of the demonstration
	latency = 75 * time.Millisecond // one way
	loss    = 0.05
	lead    = 3   // ticks by which inputs arrive early
	history = 128 // ticks that are remembered, about two seconds
)

var predict = flag.Bool("predict", true, "predict; otherwise draw the newest state of the server")
var gamelog = log.New(io.Discard, "", 0)    // as in docs/gamelog.md
var start = time.Now().Add(time.Second / 4) // both sides are ready by then

// world is the state before a tick: a cube on a plane. Integers are equal or not; floats would need a tolerance.
type world struct {
	Tick     uint32
	Pos, Vel [2]int32 // micrometres, micrometres a tick
}

// step is the physics of both sides. An input has two bits an axis: forwards and backwards.
func (w *world) step(input byte) {
	for axis := range w.Pos {
		push := int32(input>>(2*axis)&1) - int32(input>>(2*axis+1)&1)
		w.Vel[axis] = w.Vel[axis]/2 + 12_000*push
		w.Pos[axis] += w.Vel[axis]
	}
	w.Tick++
}

// serve steps the world that decides. It waits for no input.
func serve(l *link) {
	var inputs [history]byte                       // of each tick
	w, input, known := world{}, byte(0), uint32(0) // known: first tick without an input
	for t, heard := uint32(0), false; t < ticks; t++ {
		for _, b := range l.receive(t) {
			heard = true
			for i := 4; i < len(b); i++ {
				if n := binary.BigEndian.Uint32(b) + uint32(i-4); n-t < history { // neither late nor absurd
					inputs[n%history], known = b[i], max(known, n+1)
				}
			}
		}
		if t < known {
			input = inputs[t%history] // else the last one again; a game releases the keys after a while
		}
		if w.step(input); t == 110 || t == 190 {
			w.Pos[1] += 300_000 // something pushes the cube sideways, and no client knows
		}
		gamelog.Printf(`{"t":"s","k":%d,"b":[[1,%d,%d,0]]}`, w.Tick, w.Pos[0], w.Pos[1])
		if heard {
			b, _ := binary.Append(nil, binary.BigEndian, w)
			gamelog.Printf(`{"t":"p","us":%d,"dir":"down","bytes":%d,"delay":75000,"lost":%t}`, t*1e6/60, len(b)+4, l.send(t, b))
		}
	}
}

// client is ahead of the server by the latency and the lead, so that its inputs arrive in time.
type client struct {
	world       world          // before the tick that is stepped next
	newest      world          // received
	inputs      [history]byte  // of each tick
	worlds      [history]world // before each tick
	offset      [2]int32       // drawn minus simulated position
	corrections int
}

// receive takes a state, and corrects the client if it has predicted another one.
func (c *client) receive(s world, frame uint32) {
	now, drawn := c.world.Tick, c.world.Pos
	switch {
	case s.Tick <= c.newest.Tick:
		return // a newer one has overtaken it
	case c.newest.Tick == 0: // sent since frame 0, so frame is the round trip; a game goes on to follow the clock
		if now = s.Tick + frame - 1; *predict {
			now += lead
		}
	case c.worlds[s.Tick%history] == s:
		c.newest = s
		return // as predicted
	default:
		c.corrections++
	}
	for c.newest, c.world = s, s; c.world.Tick < now; { // rewind and replay, without sounds and effects
		c.worlds[c.world.Tick%history] = c.world
		c.world.step(c.inputs[c.world.Tick%history])
	}
	for axis := range drawn {
		c.offset[axis] += drawn[axis] - c.world.Pos[axis] // what is drawn stays where it is
	}
}

// play makes a frame a tick: receive and correct, step, send, draw.
func play(l *link) {
	var c client
	var last, pop = [2]int32{}, int32(0) // position drawn; largest jump sideways, where no key pushes
	var pressed, waited, keys uint32     // frame of a key that is not on the screen yet; sum and number of those that are
	for frame := range uint32(ticks) {
		for _, b := range l.receive(frame) {
			var s world
			binary.Decode(b, binary.BigEndian, &s) // stays 0, which is old, if b is too short
			c.receive(s, frame)
		}
		if i := c.world.Tick % history; c.newest.Tick > 0 {
			c.inputs[i] = byte(frame%40/30) << (frame / 40 % 2) // a key for 10 of 40 frames, forwards or backwards
			c.worlds[i] = c.world
			gamelog.Printf(`{"t":"i","us":%d,"id":%d,"keys":%q}`, frame*1e6/60, c.world.Tick, []string{"", "D", "A"}[c.inputs[i]])
			c.world.step(c.inputs[i])
		}
		b := binary.BigEndian.AppendUint32(nil, c.newest.Tick)
		for t := c.newest.Tick; t < c.world.Tick; t++ {
			b = append(b, c.inputs[t%history]) // all that the server may lack: a lost datagram costs nothing
		}
		gamelog.Printf(`{"t":"p","us":%d,"dir":"up","bytes":%d,"delay":75000,"lost":%t}`, frame*1e6/60, len(b)+4, l.send(frame, b))
		drawn, shown := c.newest.Pos, c.newest.Tick
		for axis := range drawn {
			if c.offset[axis] = c.offset[axis] * 9 / 10; *predict {
				drawn[axis], shown = c.world.Pos[axis]+c.offset[axis], c.world.Tick
			}
		}
		gamelog.Printf(`{"t":"v","us":%d,"k":%d,"in":%d,"b":[[1,%d,%d,0]]}`, frame*1e6/60, shown, max(shown, 1)-1, drawn[0], drawn[1])
		pop = max(pop, drawn[1]-last[1], last[1]-drawn[1])
		if frame%40 == 30 {
			pressed = frame
		}
		if pressed > 0 && drawn[0] != last[0] {
			waited, keys, pressed = waited+frame-pressed, keys+1, 0
		}
		last = drawn
	}
	fmt.Printf("key to screen %.0f ms, corrections %d, largest pop %.2f m\n",
		float64(waited)/float64(keys)*1000/60, c.corrections, float64(pop)/1e6)
}

// link is an end of the network. A datagram begins with the tick in which it is read: no figure depends on the machine.
type link struct {
	net.PacketConn
	peer   net.Addr
	random *rand.Rand
	held   [][]byte // for later ticks
}

// send sends a datagram in a tick, or loses it.
func (l *link) send(t uint32, b []byte) (lost bool) {
	if lost = l.random.Float64() < loss; !lost {
		due := t + uint32((latency*60+time.Second-1)/time.Second) // rounded up to a tick
		l.WriteTo(append(binary.BigEndian.AppendUint32(nil, due), b...), l.peer)
	}
	return lost
}

// receive waits for a tick, a quarter of one if it is late, and returns the datagrams that have arrived.
func (l *link) receive(t uint32) (list [][]byte) {
	l.SetReadDeadline(time.Now().Add(max(time.Until(start.Add(time.Duration(t)*tick)), tick/4)))
	b := make([]byte, 1500)
	for n, _, err := l.ReadFrom(b); err == nil; n, _, err = l.ReadFrom(b) {
		l.held = append(l.held, append([]byte(nil), b[:n]...))
	}
	for len(l.held) > 0 && binary.BigEndian.Uint32(l.held[0]) <= t {
		if binary.BigEndian.Uint32(l.held[0]) < t {
			log.Fatal("this machine is too busy: a datagram was read too late")
		}
		list, l.held = append(list, l.held[0][4:]), l.held[1:]
	}
	return list
}

func main() {
	flag.Func("log", "write a game log", func(name string) error { f, err := os.Create(name); gamelog.SetOutput(f); return err })
	flag.Parse()
	gamelog.Print(`{"t":"h","v":1,"role":"both","hz":60,"unit":1e-6,"body":1,"game":"prediction"}`)
	var ends [2]link // server, client
	for i := range ends {
		conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		ends[i].PacketConn, ends[i].random = conn, rand.New(rand.NewPCG(2, uint64(i+1)))
		ends[1-i].peer = conn.LocalAddr()
	}
	go serve(&ends[0])
	play(&ends[1])
}
