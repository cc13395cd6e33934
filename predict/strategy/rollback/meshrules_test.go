package rollback

import (
	"strings"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

// newMesh returns the first client of a mesh of four that has run for a while.
func newMesh(t *testing.T) (*rig, *client) {
	r := newRig(t, "katamari:cubes=9:players=4", "latency=30ms", false, "topology", "mesh", "far-peer", "level")
	r.RunPlayers(120, r.input)
	return r, r.c[0]
}

// TestMeshRemembersUnacked checks that a client steps no further than it remembers inputs that the server or a peer
// lacks, and that it sends the server all of them.
func TestMeshRemembersUnacked(t *testing.T) {
	_, c := newMesh(t)
	c.known.confirmed = c.env.World.Tick()
	c.own.next, c.own.first = max(c.own.next, 2*maxUnacked), 0
	for who, lacks := range map[string]*sim.Tick{"the server": &c.peers.server, "a peer": &c.peers.lacks[2]} {
		for _, n := range []sim.Tick{maxUnacked - 1, maxUnacked} {
			c.peers.begin(c.own.next)
			*lacks -= n
			if got := c.mayStep(); got != (n < maxUnacked) {
				t.Errorf("%s lacks %d inputs: it may step: %v", who, n, got)
			}
		}
	}
	c.peers.server, c.known.confirmed = c.own.next-20, c.own.next
	if got := c.firstUnconfirmed(); got != c.own.next-20 {
		t.Errorf("the server lacks the inputs from tick %d on and gets those from %d on", c.own.next-20, got)
	}
	m := downMessage{runs: resizeRuns(nil, 4), end: c.own.next}
	for p := range m.runs {
		m.runs[p].asSent = true
	}
	before := c.peers.server
	if m.end++; c.readWatcher(&m) || c.peers.server != before {
		t.Error("the server has an input that was not sampled yet")
	}
	if m.end--; !c.readWatcher(&m) || c.peers.server != c.own.next {
		t.Error("a server that has all inputs is not believed")
	}
}

// TestMeshTakesInputsWithinMemory checks that a client takes in no inputs of a peer that are further ahead than it
// remembers: they would overwrite those of ticks not stepped yet.
func TestMeshTakesInputsWithinMemory(t *testing.T) {
	_, c := newMesh(t)
	now := c.env.World.Tick()
	for range 2 * maxUnacked / 8 {
		c.scratch.coder.BeginWrite(make([]byte, 512))
		m := peerMessage{tick: now, lacks: now, next: c.known.end[1] + 8, inputs: make([]sim.Input, 8)}
		m.code(&c.scratch.coder, now)
		if !c.readPeer(1, finishWrite(&c.scratch.coder)) {
			t.Fatal("refused")
		}
	}
	if got := c.known.end[1]; got != now+maxUnacked {
		t.Errorf("it knows inputs for %d ticks ahead, want %d", got-now, maxUnacked)
	}
}

// TestMeshSilentPeer checks that a client expects a peer of whom nothing arrives to go on as before, and says by its number
// whom it waits for.
func TestMeshSilentPeer(t *testing.T) {
	_, c := newMesh(t)
	last := sim.Input{Buttons: sim.Right}
	c.known.last[2], c.known.silent[2] = last, 10_000
	if got := c.predict(c.env.World.Tick()+30, 2); got != last {
		t.Errorf("a silent peer is expected to do %+v", got)
	}
	for p := range c.known.end {
		c.known.end[p] = c.known.confirmed + 1
	}
	c.known.end[2], c.state.skipping = c.known.confirmed, true
	var v predict.View
	if c.View(&v); !strings.HasSuffix(v.Note, "waits for player 3") {
		t.Errorf("the note is %q", v.Note)
	}
}

// TestMeshLeads checks which peer a client follows, how long the path to it is, and that it counts a jump at once.
func TestMeshLeads(t *testing.T) {
	r, c := newMesh(t)
	const tick = sim.MomentsPerTick
	leads := func(lead ...sim.Moment) {
		for p := range lead {
			c.peers.timing[p+1] = timing{known: true, lead: lead[p] * tick, ahead: lead[p] * tick, path: sim.Moment(2+p) * tick}
		}
	}
	leads(3, 7, -2)
	if most, follows := c.compareLeads(); most != 7*tick || follows {
		t.Errorf("it is ahead of a peer by %v ticks, want 7", most.Ticks())
	}
	if d := c.distance(); d != 2*tick {
		t.Errorf("the nearest peer is %v ticks away, want 2", d.Ticks())
	}
	leads(-40, -50, -60)
	if jump := c.followPeers(); jump != 40 {
		t.Errorf("it jumps by %d ticks, want 40", jump)
	}
	if most, _ := c.compareLeads(); most != 0 {
		t.Errorf("after the jump it is behind by %v ticks", -most.Ticks())
	}

	from, at := c.env.Peers[1], packet.Packet{ReceivedAt: r.Now()}
	measure := func(early sim.Moment) sim.Moment {
		c.peers.timing[1], c.env.TickEarly = timing{}, early
		c.scratch.peer = peerMessage{tick: c.env.World.Tick()}
		c.measureLead(1, from, &at)
		return c.peers.timing[1].ahead
	}
	path := sim.MomentOf(from.Stats.RTT/2, 60)
	if got := measure(0); got != -path || path == 0 {
		t.Errorf("a peer that was in the same tick half a round trip ago is ahead by %v ticks, want %v", got.Ticks(), path.Ticks())
	}
	if got := measure(tick / 2); got != -path-tick/2 {
		t.Errorf("a tick that runs half a tick early: ahead by %v ticks", got.Ticks())
	}
}
