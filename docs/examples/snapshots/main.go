// Snapshots is snapshot interpolation, as in docs/guides/snapshot-interpolation.md: a server and a client over UDP on
// the loopback, 50 ms each way, with 5 % loss. The player sits at the server. The client knows no physics and draws
// the past.
//
//	go run ./docs/examples/snapshots -rate 60 -log game.jsonl
package main

import (
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"time"
)

const (
	tick    = time.Second / 60
	ticks   = 330                   // of the demonstration
	latency = 50 * time.Millisecond // one way
	loss    = 0.05
	period  = 54 // ticks from one key to the next
)

var rate = flag.Int("rate", 10, "snapshots a second, a divisor of 60")
var gamelog = log.New(io.Discard, "", 0)    // as in docs/gamelog.md
var start = time.Now().Add(time.Second / 4) // both sides are ready by then

// snapshot is all of the server's state that is visible, before a tick: a cube on a plane.
type snapshot struct {
	Tick     uint32
	Pos, Vel [2]int32 // micrometres, micrometres a tick
}

// step is the physics, which only the server has. An input has two bits an axis: forwards and backwards.
func (s *snapshot) step(input byte) {
	for axis := range s.Pos {
		push := int32(input>>(2*axis)&1) - int32(input>>(2*axis+1)&1)
		s.Vel[axis] = s.Vel[axis]/2 + 12_000*push
		s.Pos[axis] += s.Vel[axis]
	}
	s.Tick++
}

// serve simulates, sends snapshots, and returns the world before each tick.
func serve(l *link) (path []snapshot) {
	var world snapshot
	for t := range uint32(ticks) {
		l.receive(t) // only the time: the client has nothing to say
		path = append(path, world)
		var input byte
		// Keys go down in the tick after a snapshot. The curve to the next snapshot shows any other key too early.
		if t%period >= 1 && t%period <= 6 {
			input = 0b0101 << (t / period % 2) // forwards or backwards, on both axes
		}
		gamelog.Printf(`{"t":"i","us":%d,"id":%d,"keys":%q}`, t*1e6/60, t, map[byte]string{0b0101: "WD", 0b1010: "SA"}[input])
		world.step(input)
		gamelog.Printf(`{"t":"s","k":%d,"b":[[1,%d,%d,0]]}`, world.Tick, world.Pos[0], world.Pos[1])
		if t%uint32(60 / *rate) == 0 {
			b, _ := binary.Append(nil, binary.BigEndian, world)
			gamelog.Printf(`{"t":"p","us":%d,"dir":"down","bytes":%d,"delay":50000,"lost":%t}`, t*1e6/60, len(b)+4, l.send(t, b))
		}
	}
	return path
}

// frame is a picture of the client.
type frame struct {
	moment float64    // of the server that it shows, in ticks
	pos    [2]float64 // micrometres
}

// watch is the client: it makes a frame a tick, between two snapshots of the past. It returns the frames, and how many
// of them lacked the later snapshot.
func watch(l *link) (frames [ticks]frame, starved int) {
	every := 60 / float64(*rate)
	delay := 3*every + min(2*every, 3) // ticks: two snapshots may be lost, and there is a margin for jitter
	behind := math.Inf(1)              // ticks that the fastest snapshot was on its way; a game forgets it after a while
	var buffer []snapshot              // by tick, from the last one before the moment shown
	for f := range frames {
		for _, b := range l.receive(uint32(f)) {
			var s snapshot
			if _, err := binary.Decode(b, binary.BigEndian, &s); err == nil {
				buffer = append(buffer, s)
				behind = min(behind, float64(f)-float64(s.Tick))
			}
		}
		slices.SortFunc(buffer, func(a, b snapshot) int { return cmp.Compare(a.Tick, b.Tick) })
		moment := float64(f) - behind - delay
		for len(buffer) > 1 && float64(buffer[1].Tick) <= moment {
			buffer = buffer[1:]
		}
		switch {
		case len(buffer) == 0 || moment < float64(buffer[0].Tick): // nothing to draw yet
		case len(buffer) == 1:
			frames[f] = frame{moment, [2]float64{float64(buffer[0].Pos[0]), float64(buffer[0].Pos[1])}}
			starved++ // the picture stops
		default:
			frames[f] = frame{moment, hermite(&buffer[0], &buffer[1], moment)}
		}
		x, y := frames[f].pos[0], frames[f].pos[1]
		gamelog.Printf(`{"t":"v","us":%d,"k":%f,"b":[[1,%f,%f,0]]}`, f*1e6/60, frames[f].moment, x, y)
	}
	return frames, starved
}

// hermite returns the position at a moment on the curve that has the positions and velocities of two snapshots.
func hermite(a, b *snapshot, moment float64) (pos [2]float64) {
	span := float64(b.Tick - a.Tick)
	u := (moment - float64(a.Tick)) / span
	for axis := range pos {
		p, v, q, w := float64(a.Pos[axis]), float64(a.Vel[axis]), float64(b.Pos[axis]), float64(b.Vel[axis])
		pos[axis] = p + (q-p)*u*u*(3-2*u) + span*u*(1-u)*(v*(1-u)-w*u)
	}
	return pos
}

// report compares the frames with the keys and with the server's path. On a key the first frame that moves counts.
func report(path []snapshot, frames []frame, starved int) {
	var waits []int
	for press := period + 1; press+period < ticks; press += period {
		f := press
		for f < ticks-1 && frames[f].pos == frames[f-1].pos {
			f++
		}
		waits = append(waits, f-press)
	}
	slices.Sort(waits)
	var sum, n float64
	for _, f := range frames {
		if f.moment > 0 {
			truth := path[int(f.moment)].Pos
			miss := math.Hypot(f.pos[0]-float64(truth[0]), f.pos[1]-float64(truth[1])) / 1e6
			sum, n = sum+miss*miss, n+1
		}
	}
	fmt.Printf("key to screen %.0f ms, path error RMS %.4f m, frames without a later snapshot %d\n",
		float64(waits[len(waits)/2])*1000/60, math.Sqrt(sum/n), starved)
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
	gamelog.Print(`{"t":"h","v":1,"role":"both","hz":60,"unit":1e-6,"body":1,"game":"snapshots"}`)
	if *rate < 1 || *rate > 60 || 60%*rate != 0 {
		log.Fatal("rate: want a divisor of 60")
	}
	var ends [2]link // server, client
	for i := range ends {
		conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		ends[i].PacketConn, ends[i].random = conn, rand.New(rand.NewPCG(2, uint64(i+1)))
		ends[1-i].peer = conn.LocalAddr()
	}
	path := make(chan []snapshot)
	go func() { path <- serve(&ends[0]) }()
	frames, starved := watch(&ends[1])
	report(<-path, frames[:], starved)
}
