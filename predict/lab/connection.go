package lab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/lab/reliable"
	"ghostcube/sim"
)

// connection is what the two programs of a client and the server exchange besides the packets of the
// strategy: results of shots, and a client's wish to join and the world for it. It travels in the
// sideband of the endpoints. Nothing of it depends on the strategy.
type connection struct {
	client, server *reliable.Connection
	blockAt        sim.Tick // session tick of the command block
	join           joinState
}

// connectionSettings are the knobs of a pane's connections.
type connectionSettings struct {
	mode      int // index in messageModes
	blockRate int // kbit/s
}

// The modes of messages.
const (
	messagesOff = iota
	messagesReliable
	messagesUnreliable
)

var messageModes = []string{"off", "reliable", "unreliable"}

// Bounds of the rate of blocks, in kbit/s. At the largest one no scene is limited.
const (
	minBlockRate = 16
	maxBlockRate = 1_000_000
)

// declare declares the knobs.
func (s *connectionSettings) declare(k *predict.Knobs) {
	group := k.In(predict.ConnectionKnobs)
	group.Choice(&s.mode, "messages", messagesOff, messageModes,
		"results of shots, and joining clients: messages repeated until they arrive, or sent once")
	group.Int(&s.blockRate, "block-rate", 256, minBlockRate, maxBlockRate, "send rate of the world to a joining client, kbit/s; 1000000: unlimited")
}

// connectionCounters are what connections count. They are declared with the first one.
type connectionCounters struct {
	sent, resent, unacked, received, malformed                        predict.Counter
	slices, slicesResent, sliceAcks, joins, joinTime, sidebandPercent predict.Counter
	blocks, blockTime, joinBlockTime, hitResults, hitResultTime       predict.Counter
}

func declareConnectionCounters(m *predict.Counters) (c connectionCounters) {
	c.sent = m.New("messages_sent", "messages sent, repetitions included")
	c.resent = m.New("messages_resent", "repetitions of messages")
	c.unacked = m.New("messages_unacked", "unacknowledged reliable messages, now")
	c.received = m.New("messages_received", "messages received, without duplicates")
	c.malformed = m.New("messages_malformed", "malformed sidebands")
	c.slices = m.New("block_slices", "slices of blocks sent, repetitions included")
	c.slicesResent = m.New("block_slices_resent", "repetitions of slices")
	c.sliceAcks = m.New("block_acks", "acknowledgements of slices sent")
	c.joins = m.New("joins", "downloads of the world")
	c.joinBlockTime = m.New("join_block_ms", "time of the last rejoin until the world was downloaded, ms")
	c.joinTime = m.New("join_time_ms", "time of the last rejoin until the client showed the world, ms")
	c.blocks = m.New("blocks", "blocks of the command block that have arrived")
	c.blockTime = m.New("block_time_ms", "time that the last block took, ms")
	c.sidebandPercent = m.New("sideband_percent", "share of messages and blocks in all bytes, %")
	c.hitResults = m.New("hit_results", "results of shots received")
	c.hitResultTime = m.New("hit_result_ms", "mean time from a shot to its result, ms")
	return c
}

// The first byte of a message.
const (
	joinMessage = 1 // from a client: it wants the world; see joinState
	hitMessage  = 2 // to a client: number of the shot, or its digest if the server runs elsewhere, 32 bits; its result, 16 bits
)

// hitMessageBytes is the size of a result.
const hitMessageBytes = 7

// missed stands for sim.NoBody in a result.
const missed = 1<<16 - 1

// updateConnections attaches sidebands to the endpoints or removes them, as the knobs say.
func (p *Pane) updateConnections() {
	on := p.connectionSettings.mode != messagesOff
	for i := range p.connections {
		c := &p.connections[i]
		if on == (c.client != nil) || c.join.active() {
			if on {
				p.setConnection(c)
			}
			continue
		}
		p.connect(i, on)
	}
}

// connect attaches new sidebands to the endpoints of client i, or removes them.
func (p *Pane) connect(i int, on bool) {
	c, client, server := &p.connections[i], p.Clients[i].Endpoint, p.peers[i].Endpoint
	if !on {
		*c = connection{}
		client.SetSideband(nil, server.Next())
		server.SetSideband(nil, client.Next())
		return
	}
	c.client, c.server = reliable.New(), reliable.New()
	client.SetSideband(c.client, server.Next())
	server.SetSideband(c.server, client.Next())
	p.setConnection(c)
}

// setConnection passes the knobs to a connection.
func (p *Pane) setConnection(c *connection) {
	for _, end := range []*reliable.Connection{c.client, c.server} {
		end.Unreliable = p.connectionSettings.mode == messagesUnreliable
	}
	c.server.SetBlockRate(p.connectionSettings.blockRate * reliable.BytesPerKbit)
}

// sendHitResult tells the shooter the result of a shot, by its number or digest.
func (p *Pane) sendHitResult(shot uint32, player, body int) {
	for i := range p.connections {
		if c := &p.connections[i]; c.server != nil && p.peers[i].Player == player {
			var m [hitMessageBytes]byte
			m[0] = hitMessage
			binary.LittleEndian.PutUint32(m[1:], shot)
			binary.LittleEndian.PutUint16(m[5:], uint16(missed))
			if body != sim.NoBody {
				binary.LittleEndian.PutUint16(m[5:], uint16(body))
			}
			c.server.Send(m[:])
		}
	}
}

// receiveAtServer processes what clients have sent, and continues to send the world.
func (p *Pane) receiveAtServer() {
	for i := range p.connections {
		c := &p.connections[i]
		if c.server == nil {
			continue
		}
		e := p.peers[i].Endpoint
		for m, ok := c.server.Receive(); ok; m, ok = c.server.Receive() {
			c.receiveRequest(m, e)
		}
		p.serve(i)
	}
}

// flushAtServer sends what is queued in addition to the packets of the tick. It comes after them, so that their outcomes do not
// depend on it.
func (p *Pane) flushAtServer(now time.Duration) {
	for i := range p.connections {
		if c := &p.connections[i]; c.server != nil {
			c.server.Flush(p.peers[i].Endpoint, now)
		}
	}
	if p.lab.remote == nil {
		p.countConnections()
	}
}

// flushAtClient is flushAtServer for a client.
func (p *Pane) flushAtClient(i int, now time.Duration) {
	if c := p.connections[i].client; c != nil {
		c.Flush(p.Clients[i].Endpoint, now)
	}
}

// receiveAtClient processes what the server has sent to a client.
func (p *Pane) receiveAtClient(i int) {
	c := &p.connections[i]
	if c.client == nil {
		return
	}
	for m, ok := c.client.Receive(); ok; m, ok = c.client.Receive() {
		if len(m) == hitMessageBytes && m[0] == hitMessage {
			body := int(binary.LittleEndian.Uint16(m[5:]))
			if body == missed {
				body = sim.NoBody
			}
			if shot := binary.LittleEndian.Uint32(m[1:]); p.lab.remote == nil {
				p.Shots.Learn(int(shot), body, p.lab.tick)
			} else {
				p.Shots.LearnDigest(shot, body, p.lab.tick)
			}
		}
	}
	if b, ok := c.client.ReceiveBlock(); ok {
		if isWorld(b) {
			p.receiveWorld(i, b)
		} else {
			p.finishBlock(c, b)
		}
	}
	c.ask()
}

// The sizes of blocks, in kB.
const (
	minBlockSize = 1
	maxBlockSize = 4000
)

// sendBlock makes the server send every client a block of a size in kB, as a game sends the map of
// the next level while this one goes on.
func (p *Pane) sendBlock(kB int) error {
	p.updateConnections()
	for i := range p.connections {
		c := &p.connections[i]
		if c.server == nil {
			return fmt.Errorf("a block needs a connection: set messages=reliable in %s", p.Strategy.Name)
		}
		if !c.server.SendBlock(blockContents(kB * 1000)) {
			return fmt.Errorf("an earlier block of %s is still on its way", p.Strategy.Name)
		}
		c.blockAt = p.lab.tick
	}
	return nil
}

// blockContents returns the bytes of a block.
func blockContents(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// finishBlock counts a block that has arrived.
func (p *Pane) finishBlock(c *connection, b []byte) {
	m := declareConnectionCounters(p.Counters)
	if !bytes.Equal(b, blockContents(len(b))) {
		p.malformedBlocks++
		return
	}
	m.blocks.Inc()
	m.blockTime.Set(float64(p.lab.tick-c.blockAt) * 1000 / float64(p.lab.config.Rate))
}

// countConnections sums the statistics of all connections.
func (p *Pane) countConnections() {
	if p.connections[0].client == nil { // all of them have sidebands, or none
		return
	}
	m := declareConnectionCounters(p.Counters)
	for _, c := range []predict.Counter{m.sent, m.resent, m.unacked, m.received, m.slices, m.slicesResent, m.sliceAcks} {
		c.Set(0)
	}
	m.malformed.Set(float64(p.malformedBlocks))
	bytes, all := 0.0, 0.0
	for i := range p.connections {
		c := &p.connections[i]
		for _, end := range []*reliable.Connection{c.client, c.server} {
			s := end.Stats()
			m.sent.Add(float64(s.Messages.Sent + s.Messages.UnreliableSent))
			m.resent.Add(float64(s.Messages.Resent))
			m.unacked.Add(float64(s.Unacked))
			m.received.Add(float64(s.Messages.Received + s.Messages.UnreliableReceived))
			m.malformed.Add(float64(s.Malformed))
			m.slices.Add(float64(s.Sent.Slices))
			m.slicesResent.Add(float64(s.Sent.Resent))
			m.sliceAcks.Add(float64(s.Received.Acks))
			bytes += float64(s.Bytes)
		}
		all += float64(p.Clients[i].Endpoint.Stats.BytesSent + p.peers[i].Endpoint.Stats.BytesSent)
	}
	m.sidebandPercent.Set(100 * bytes / max(all, 1))
	results, ticks := p.Shots.Learned()
	m.hitResults.Set(float64(results))
	m.hitResultTime.Set(float64(ticks) * 1000 / float64(p.lab.config.Rate) / float64(max(results, 1)))
}

// copyConnections copies the connections of o, before the endpoints are copied.
func (p *Pane) copyConnections(o *Pane) {
	for i := range p.connections {
		c, from := &p.connections[i], &o.connections[i]
		if on := from.client != nil; on != (c.client != nil) {
			p.connect(i, on)
		} else if on {
			p.setConnection(c)
		}
		c.blockAt, c.join = from.blockAt, from.join
		if c.client != nil {
			c.client.CopyFrom(from.client)
			c.server.CopyFrom(from.server)
		}
	}
}

// inspectSideband fills s with the state of the first client's connection at the server.
func (p *Pane) inspectSideband(s *predict.Sideband) {
	c, e := &p.connections[0], p.peers[0].Endpoint
	if s.Present = c.server != nil; !s.Present {
		return
	}
	stats := c.server.Stats()
	s.Slices = c.server.AppendSlices(s.Slices[:0])
	s.Resent, s.Messages = stats.Sent.Resent, stats.Messages.Sent+stats.Messages.UnreliableSent
	s.Share = float64(stats.Bytes) / float64(max(e.Stats.BytesSent, 1))
	_, s.AckedBits = e.AckedBits()
	s.UnackedCount = e.UnackedCount()
}

// Fields decodes a payload that was sent in a direction, as Strategy.Fields does, and the data of the
// sideband after it, if the pane has one.
func (p *Pane) Fields(d link.Direction, payload []byte, see func(quant.Field)) error {
	if p.connections[0].client == nil {
		return p.Strategy.Fields(d == link.Up, payload, p.ServerWorld.Scene(), see)
	}
	payload, side, ok := packet.SplitSideband(payload)
	if !ok {
		return predict.ErrMalformed
	}
	if err := p.Strategy.Fields(d == link.Up, payload, p.ServerWorld.Scene(), see); err != nil {
		return err
	}
	at := len(payload) * 8
	if len(side) > 0 {
		if err := reliable.Fields(side, func(f quant.Field) {
			f.BitOffset += at
			see(f)
		}); err != nil {
			return err
		}
	}
	see(quant.Field{Group: "sideband", Name: "size", Kind: "Bits", BitOffset: at + 8*len(side), Bits: 16, Raw: uint32(len(side) & 0xffff)})
	return nil
}

// startBlock applies the command block.
func (l *Lab) startBlock(c Command) error {
	n, err := strconv.Atoi(c.Value)
	if err != nil || n < minBlockSize || n > maxBlockSize {
		return fmt.Errorf("block=%s: want %d to %d kB", c.Value, minBlockSize, maxBlockSize)
	}
	return l.anyPane(c.Pane, func(p *Pane) error { return p.sendBlock(n) })
}

// anyPane applies f to one pane, or to all panes that it can be applied to. It returns an error only
// if there is none.
func (l *Lab) anyPane(pane int, f func(*Pane) error) (failed error) {
	if pane >= 0 {
		return f(l.Panes[pane])
	}
	done := 0
	for _, p := range l.Panes {
		if err := f(p); err == nil {
			done++
		} else if failed == nil {
			failed = err
		}
	}
	if done > 0 {
		return nil
	}
	return failed
}
