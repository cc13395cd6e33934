package remote

import (
	"encoding/binary"
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The server's result of a shot belongs to the ghost: the client shows it, no strategy reads it, and its bytes are counted for
// none. It travels in two messages of the control channel, which arrive in order, to a client that asks for the ghost:
// the shot with its result, and the rays with the pose of the body that was hit.
//
// The first has yaw, pitch, view time, lead (16 bits each), tick (32), age and largest age in subticks (32 each), and
// flags. The second has the origin, the distance (32-bit floats) and the body (16 bits, 65535: none) of the rewound ray and of
// the present one, and the pose of the body in the past: its position, and its rotation in four times 16 bits.

const (
	shotBytes = 1 + 8 + 12 + 1
	raysBytes = 1 + 2*(4*4+2) + 3*4 + 4*2

	noBody = 1<<16 - 1

	// The flags. The reason of a refusal is in the bits above.
	hasViewTime  = 1
	usesRewound  = 2
	refusedShift = 2
)

// appendHit appends the two messages of a result, after the session's number.
func appendHit(session byte, h *predict.HitResult) (shot, rays []byte) {
	s, order := &h.Shot, binary.LittleEndian
	shot = []byte{session}
	for _, v := range [...]uint16{s.Yaw, uint16(s.Pitch), s.ViewTime, s.Ahead} {
		shot = order.AppendUint16(shot, v)
	}
	for _, v := range [...]uint32{uint32(h.Tick), uint32(clampAge(h.Age)), uint32(clampAge(h.MaxAge))} {
		shot = order.AppendUint32(shot, v)
	}
	flags := byte(h.Refused) << refusedShift
	if s.HasViewTime {
		flags |= hasViewTime
	}
	if h.UseRewound {
		flags |= usesRewound
	}
	shot = append(shot, flags)
	rays = []byte{session}
	for _, r := range [...]*predict.Ray{&h.Rewound, &h.Now} {
		rays = appendFloats(rays, r.Origin.X, r.Origin.Y, r.Origin.Z, r.Hit.Distance)
		body := uint16(noBody)
		if r.Hit.Body != sim.NoBody {
			body = uint16(r.Hit.Body)
		}
		rays = order.AppendUint16(rays, body)
	}
	p := &h.TargetThen
	rays = appendFloats(rays, p.Pos.X, p.Pos.Y, p.Pos.Z)
	for _, v := range [...]float32{p.Rot.X, p.Rot.Y, p.Rot.Z, p.Rot.W} {
		rays = order.AppendUint16(rays, uint16(int16(v*math.MaxInt16)))
	}
	return shot, rays
}

func clampAge(subticks int64) int32 { return int32(min(max(subticks, math.MinInt32), math.MaxInt32)) }

func appendFloats(b []byte, list ...float32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// readFloats reads numbers. It returns false if one is larger than the coordinates of a ghost may be.
func readFloats(b []byte, list ...*float32) bool {
	for i, v := range list {
		*v = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if limit := float32(maxGhostPosition); !(*v >= -limit && *v <= limit) {
			return false
		}
	}
	return true
}

// readShot reads the first message of a result for a player. It returns false if the message is malformed.
func readShot(b []byte, player int) (h predict.HitResult, ok bool) {
	if len(b) != shotBytes {
		return h, false
	}
	order := binary.LittleEndian
	flags := b[shotBytes-1]
	h = predict.HitResult{
		Player: player,
		Shot: sim.Shot{
			Fired: true, Yaw: order.Uint16(b[1:]), Pitch: int16(order.Uint16(b[3:])),
			HasViewTime: flags&hasViewTime != 0, ViewTime: order.Uint16(b[5:]), Ahead: order.Uint16(b[7:]),
		},
		Tick: sim.Tick(order.Uint32(b[9:])), Age: int64(int32(order.Uint32(b[13:]))), MaxAge: int64(int32(order.Uint32(b[17:]))),
		Refused: predict.RewindRefusal(flags >> refusedShift), UseRewound: flags&usesRewound != 0,
	}
	return h, h.Refused <= predict.TooNew
}

// readRays reads the second message into the result of the first, in a scene with a number of bodies.
func readRays(b []byte, h *predict.HitResult, bodies int) bool {
	if len(b) != raysBytes {
		return false
	}
	at := b[1:]
	for _, r := range [...]*predict.Ray{&h.Rewound, &h.Now} {
		body := int(binary.LittleEndian.Uint16(at[16:]))
		if !readFloats(at, &r.Origin.X, &r.Origin.Y, &r.Origin.Z, &r.Hit.Distance) || r.Hit.Distance < 0 || body >= bodies && body != noBody {
			return false
		}
		if r.Hit.Body = body; body == noBody {
			r.Hit.Body = sim.NoBody
		}
		r.Direction = h.Shot.Direction()
		at = at[18:]
	}
	p := geom.Pose{}
	if !readFloats(at, &p.Pos.X, &p.Pos.Y, &p.Pos.Z) {
		return false
	}
	for i, v := range [...]*float32{&p.Rot.X, &p.Rot.Y, &p.Rot.Z, &p.Rot.W} {
		*v = float32(int16(binary.LittleEndian.Uint16(at[12+2*i:]))) / math.MaxInt16
	}
	p.Rot = p.Rot.Unit()
	h.TargetThen = p
	return true
}

// sendHit counts a shot that the server has resolved, and sends its player the result.
func (s *Server) sendHit(h *predict.HitResult) {
	if h.Player < 0 || h.Player >= len(s.seats) {
		return
	}
	g := s.seats[h.Player].guest
	if g == nil || g.session != s.session {
		return
	}
	if g.shots++; h.Body() != sim.NoBody {
		g.hits++
	}
	if g.wantsGhost && !g.control.isBusy() {
		shot, rays := appendHit(g.session, h)
		g.control.send(hitMessage, shot)
		g.control.send(hitMessage, rays)
	}
}

// receiveHit handles one of the two messages of a result.
func (c *Client) receiveHit(b []byte) {
	if c.Lab == nil || c.Player < 0 || len(b) == 0 || b[0] != c.session {
		return
	}
	if h, ok := readShot(b, c.Player); ok {
		c.shot = h
		return
	}
	if c.shot.Shot.Fired && readRays(b, &c.shot, len(c.Lab.Panes[0].ServerWorld.Bodies())) {
		c.Lab.ShowHit(&c.shot)
	}
	c.shot = predict.HitResult{}
}
