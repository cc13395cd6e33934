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
// It has a channel of its own. No strategy reads it, and its bytes count for none.
//
// A datagram has the server's tick (32 bits), the index of a body (16) and the poses of all players and of the
// bodies from there on, seven 32-bit floats each.

const (
	ghostBodies    = 10 // per tick, beside the players
	ghostHeader    = 6
	ghostPoseBytes = 28
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
	for _, list := range [2][]sim.Body{bodies[:players], bodies[first:next]} {
		for i := range list {
			p := &list[i].Pose
			for _, v := range [...]float32{p.Pos.X, p.Pos.Y, p.Pos.Z, p.Rot.X, p.Rot.Y, p.Rot.Z, p.Rot.W} {
				dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
			}
		}
	}
	return dst, next
}

// maxGhostPosition bounds the coordinates of a ghost, in metres.
const maxGhostPosition = 1e5

// readGhost moves the bodies of a world to those of a datagram. It changes nothing and returns false if no server sends
// it, or if it is older than the world.
func readGhost(b []byte, w *predict.World) bool {
	players, bodies := w.Scene().Players, w.Bodies()
	poses := (len(b) - ghostHeader) / ghostPoseBytes
	if len(b) < ghostHeader || (len(b)-ghostHeader)%ghostPoseBytes != 0 || poses < players {
		return false
	}
	tick, first := sim.Tick(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint16(b[4:]))
	if tick <= w.Tick() || first < players || first+poses-players > len(bodies) {
		return false
	}
	moved := slices.Clone(bodies)
	for i := range poses {
		var v [7]float32
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[ghostHeader+i*ghostPoseBytes+4*k:]))
			if limit := float32(maxGhostPosition); !(v[k] >= -limit && v[k] <= limit) {
				return false
			}
		}
		body := i
		if i >= players {
			body = first + i - players
		}
		moved[body].Pose = geom.Pose{Pos: geom.Vec3{X: v[0], Y: v[1], Z: v[2]}, Rot: geom.Quat{X: v[3], Y: v[4], Z: v[5], W: v[6]}.Unit()}
	}
	w.SetTick(tick)
	for i := range moved {
		if moved[i].Pose != bodies[i].Pose {
			w.SetBody(i, moved[i])
		}
	}
	return true
}

// receiveGhost moves a world to the newest state that has arrived of the server, and scores it. It returns the number of datagrams.
func receiveGhost(c *channels, now time.Duration, w *predict.World, s *score.Score, body int) (received int) {
	for d, ok := c.pop(ghostChannel, now); ok; d, ok = c.pop(ghostChannel, now) {
		if readGhost(d.Bytes, w) {
			received++
			s.AddServerStep(w, body)
		}
	}
	return received
}
