package remote

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The ghost is the server's world as a client sees it for comparison: to draw it, and to measure its own path error.
// It has a channel of its own. No strategy reads it, and its bytes are counted for none.
//
// A datagram has the server's tick (32 bits) and the index of a body (16 bits). For all players and for the bodies from that
// index on follow the pose, seven 32-bit floats, and a byte: its lower half is the player who touches the body, its upper half
// the owner, each as the number of a player from 1 on, or 0 for nobody.

const (
	ghostBodies    = 10 // per tick, beside the players
	ghostHeader    = 6
	ghostPoseBytes = 28
	ghostBodyBytes = ghostPoseBytes + 1
)

// appendGhost appends the datagram of a tick, which begins with body first, to dst. It returns the first body of the
// next one.
func appendGhost(dst []byte, w *predict.World, first int) (b []byte, next int) {
	players, bodies := w.Scene().Players, w.Bodies()
	if first < players || first >= len(bodies) {
		first = players
	}
	next = min(first+ghostBodies, len(bodies))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(w.Tick()))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(first))
	for _, span := range [2][2]int{{0, players}, {first, next}} {
		for i := span[0]; i < span[1]; i++ {
			p := &bodies[i].Pose
			for _, v := range [...]float32{p.Pos.X, p.Pos.Y, p.Pos.Z, p.Rot.X, p.Rot.Y, p.Rot.Z, p.Rot.W} {
				dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
			}
			dst = append(dst, byte(w.TouchedBy()[i]+1)|byte(w.Owners()[i]+1)<<4)
		}
	}
	return dst, next
}

// maxGhostPosition bounds the coordinates of a ghost, in metres.
const maxGhostPosition = 1e5

// readGhost moves the bodies of a world to the poses of a datagram. It changes nothing and returns false if the datagram is
// malformed, or older than the world.
func readGhost(b []byte, w *predict.World) bool {
	players, bodies := w.Scene().Players, w.Bodies()
	n := (len(b) - ghostHeader) / ghostBodyBytes
	if len(b) < ghostHeader || (len(b)-ghostHeader)%ghostBodyBytes != 0 || n < players {
		return false
	}
	tick, first := sim.Tick(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint16(b[4:]))
	if tick <= w.Tick() || first < players || first+n-players > len(bodies) {
		return false
	}
	moved := slices.Clone(bodies)
	for i := range n {
		at := b[ghostHeader+i*ghostBodyBytes:]
		var v [7]float32
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(at[4*k:]))
			if limit := float32(maxGhostPosition); !(v[k] >= -limit && v[k] <= limit) {
				return false
			}
		}
		body := i
		if i >= players {
			body = first + i - players
		}
		if who := at[ghostPoseBytes]; int(who&15) > players || int(who>>4) > players {
			return false
		}
		moved[body].Pose = geom.Pose{Pos: geom.Vec3{X: v[0], Y: v[1], Z: v[2]}, Rot: geom.Quat{X: v[3], Y: v[4], Z: v[5], W: v[6]}.Unit()}
	}
	w.SetTick(tick)
	for i := range moved {
		if moved[i].Pose != bodies[i].Pose {
			w.SetBody(i, moved[i])
		}
	}
	for i := range n {
		body, who := i, b[ghostHeader+i*ghostBodyBytes+ghostPoseBytes]
		if i >= players {
			body = first + i - players
		}
		w.SetTouchedBy(body, int8(who&15)-1)
		w.SetOwner(body, int8(who>>4)-1)
	}
	return true
}

// receiveGhost moves a world to the newest state received from the server, and scores it. It returns the number of datagrams.
func receiveGhost(c *channels, now time.Duration, w *predict.World, s *score.Score, body int) (received int) {
	for d, ok := c.pop(ghostChannel, now); ok; d, ok = c.pop(ghostChannel, now) {
		if readGhost(d.Bytes, w) {
			received++
			s.AddServerStep(w, body)
		}
	}
	return received
}
