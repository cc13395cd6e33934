package main

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// tapes are all built-in tapes. Tests check the claims of their descriptions.
//
// All tapes but katamari begin with a rest until all bodies sleep, so the input meets the
// same world however late it reaches the server. Two things depend on the tick: a hovering
// cube, whose height oscillates, and moving carriers with their passengers.
var tapes = []tapeSpec{
	{name: "idle", doc: "no input: cost and behaviour of a strategy at rest",
		spec: "zen", ticks: 600, autopilots: []autopilot{func(int, []sim.Body) (x, y float32, buttons sim.Buttons) { return 0, 0, 0 }}},
	{name: "start-stop", doc: "one second of input, 1.5 s without, back and forth: overshoot and settling",
		spec: "plain", ticks: 3600, rest: 60, autopilots: []autopilot{startStop}},
	{name: "circle", doc: "circles at 3 m/s, from rest: the default tape for comparisons",
		spec: "zen", ticks: 3660, rest: 60, autopilots: []autopilot{circle}},
	{name: "turns", doc: "full input in another direction every 0.5 to 1 s, often the opposite one: hard to predict for others",
		spec: "plain", ticks: 1860, rest: 60, autopilots: []autopilot{turns}},
	{name: "figure-eight", doc: "one button and a heading that turns left, then right, as with a stick: input that keeps changing",
		spec: "zen", ticks: 1860, rest: 60, useHeading: true, autopilots: []autopilot{figureEight}},
	{name: "jump", doc: "rolls and hops every 1.25 s: flight, landing, and lift for four ticks at a time",
		spec: "plain", ticks: 1860, rest: 60, autopilots: []autopilot{jump}},
	{name: "push", doc: "rolls through a pile of 270 cubes from all sides: many contacts",
		spec: "pile:layers=3", ticks: 1920, rest: 240, autopilots: []autopilot{push}},
	{name: "outage", doc: "all packets are lost for 5 s while the player rolls into a pile of 270 cubes: recovery after an outage",
		spec: "pile:layers=3", ticks: 900, rest: 306, blackoutTick: 300, autopilots: []autopilot{outage}},
	{name: "katamari", doc: "rolls around the grid and gathers cubes, as in Fiedler's articles",
		spec: "katamari", ticks: 1800, rest: 90, autopilots: []autopilot{katamari}},
	{name: "katamari-ball", doc: "a ball of cubes rolls through the grid for longer than the 2,837 snapshots of the compression challenge",
		spec: "katamari", ticks: 3180, rest: 300, autopilots: []autopilot{katamariBall}},
	{name: "hover", doc: "hovers over the grid and blows cubes away, or pulls them in: forces without contact",
		spec: "katamari", ticks: 2100, rest: 300, autopilots: []autopilot{hover}},
	{name: "two-players", doc: "two players roll through the pile between them and contest the large cube",
		spec: "two-players", ticks: 2400, rest: 60, autopilots: []autopilot{twoPlayersFirst, twoPlayersSecond}},
	{name: "four-players", doc: "four players push their way through 200 cubes, in circles that cross: a cooperative game",
		spec: "katamari:cubes=200:players=4", ticks: 1800, rest: 300, autopilots: []autopilot{crossing(0), crossing(1), crossing(2), crossing(3)}},
	{name: "eight-players", doc: "eight players push their way through 200 cubes, in circles that cross: as many as there can be",
		spec: "katamari:cubes=200:players=8", ticks: 1800, rest: 300, autopilots: []autopilot{
			crossing(0), crossing(1), crossing(2), crossing(3), crossing(4), crossing(5), crossing(6), crossing(7)}},
	{name: "same-pile", doc: "two players push one pile at the same time from both sides: contested ownership",
		spec: "two-players", ticks: 1800, rest: 60, autopilots: []autopilot{samePileWest, samePileEast}},
	{name: "shots", doc: "one player rests and fires in fixed directions; the other rolls through them and behind the pile",
		spec: "two-players", ticks: 2400, rest: 60, autopilots: []autopilot{standStill, dodge}, shooter: volley, cameraYaw: "-90"},
	{name: "firefight", doc: "one player pushes through the pile and fires at fixed places; the other rolls through them and behind the pile",
		spec: "two-players", ticks: 1800, rest: 60, autopilots: []autopilot{pushThroughPile, dodge}, shooter: fireAcross},
	{name: "turntable", doc: "rolls onto a turntable, rides it, rolls off: a moving floor",
		spec: "turntable", ticks: 1500, rest: 60, autopilots: []autopilot{turntable}},
	{name: "jump-off", doc: "rides a fast turntable and jumps further out each time until it lands beside it: contact lost and regained",
		spec: "turntable:rpm=12:aboard=1", ticks: 1800, rest: 180, autopilots: []autopilot{jumpOff}},
	{name: "ferry", doc: "boards a waiting ship, rides to the other end, leaves: a moving reference frame",
		spec: "ship", ticks: 1620, rest: 60, autopilots: []autopilot{ferry}},
	{name: "fast-ship", doc: "as ferry, but 530 m at up to 50 m/s: a reference frame faster than anything in it",
		spec: "ship:distance=530", ticks: 2220, rest: 60, autopilots: []autopilot{fastShip}},
	{name: "boarding", doc: "rolls at 48 m/s from a moving platform through the door of a ship: from one reference frame into another",
		spec: "ship:distance=530:platform=1", ticks: 2280, autopilots: []autopilot{boarding}},
	{name: "boarding-flight", doc: "takes off from a moving platform at 50 m/s, flies free, lands in a ship, rides and takes off: frames, and none",
		spec: "ship:distance=530:platform=1:jetpack=1", ticks: 1740, autopilots: []autopilot{boardingFlight}},
	{name: "boarding-pilot", doc: "one flies a ship and turns; the other boards it in flight, stands, walks, leaves: a frame that nobody can predict",
		spec: "ship:players=2", ticks: 2160, rest: 60, autopilots: []autopilot{boardPilotedShip, pilot}},
	{name: "haul", doc: "drives a sled with a cube in it, stops, waits, drives on: a vehicle with cargo",
		spec: "hauler", ticks: 1800, rest: 90, autopilots: []autopilot{haul}},
	{name: "billiards-break", doc: "breaks the triangle of pucks and pushes the pucks around: one player moves many bodies",
		spec: "billiards", ticks: 1500, rest: 60, autopilots: []autopilot{breakRack}},
	{name: "rover", doc: "enters a rover, tows three wagons, uncouples them, drives on, leaves the rover and walks: one body after another is driven",
		spec: "convoy", ticks: 1500, rest: 60, autopilots: []autopilot{rover}},
	{name: "chain-tow", doc: "circles at 4 m/s with sixteen rods behind: a chain that drags along the ground",
		spec: "train:rods=16", ticks: 1500, rest: chainAsleepTick, autopilots: []autopilot{tow}},
	{name: "chain-swing", doc: "hovers back and forth with sixteen rods below: a chain that swings",
		spec: "train:rods=16", ticks: 1500, rest: chainAsleepTick, autopilots: []autopilot{swing}},
}

// moveToward returns a velocity towards a place, with a maximum in m/s.
func moveToward(b *sim.Body, x, y, maxSpeed float32) (float32, float32) {
	offset := geom.Vec3{X: x - b.Pose.Pos.X, Y: y - b.Pose.Pos.Y}
	if l := offset.Len(); l > maxSpeed {
		offset = offset.Scale(maxSpeed / l)
	}
	return offset.X, offset.Y
}

// followPoint returns the velocity that follows a moving point: the point's velocity and a
// correction of the distance to it.
func followPoint(b *sim.Body, x, y, vx, vy float32) (float32, float32) {
	return vx + float32(1.5*(x-b.Pose.Pos.X)), vy + float32(1.5*(y-b.Pose.Pos.Y))
}

// followCircle returns the velocity that follows a circle after a number of ticks. The circle
// begins in the middle of the scene, towards +x.
func followCircle(b *sim.Body, radius, speed float32, ticks int) (float32, float32) {
	a := float32(float32(ticks) / 60 * speed / radius)
	sin, cos := geom.Sin(a), geom.Cos(a)
	return followPoint(b, float32(radius*sin), float32(radius*(1-cos)), float32(speed*cos), float32(speed*sin))
}

func startStop(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	if tick%150 >= 60 {
		return 0, 0, 0
	}
	if tick/150%2 == 0 {
		return 4, 0, 0
	}
	return -4, 0, 0
}

func circle(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const radius, speed, middle = 2.25, 3.0, -0.75
	angle := float32(tick)/60*speed/radius + geom.HalfPi
	sin, cos := geom.Sin(angle), geom.Cos(angle)
	x, y = followPoint(&w[0], float32(radius*cos), float32(radius*sin)+middle, float32(-speed*sin), float32(speed*cos))
	return x, y, 0
}

// leg is a direction or velocity for a number of ticks.
type leg struct {
	x, y  float32 // along the ground
	ticks int
}

// legAt returns the leg at a tick. The legs repeat; again is set after the first round.
func legAt(legs []leg, tick int) (l leg, again bool) {
	for i := 0; ; i++ {
		if l = legs[i%len(legs)]; tick < l.ticks {
			return l, i >= len(legs)
		}
		tick -= l.ticks
	}
}

// turnLegs are the directions of the turns tape.
var turnLegs = []leg{{1, 0, 48}, {-1, 0, 60}, {0, 1, 36}, {0, -1, 48}, {1, 1, 30}, {-1, 1, 36}, {1, -1, 60}, {-1, -1, 30}, {1, 0, 36}, {0, 1, 36}, {-1, 0, 30}}

func turns(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	l, _ := legAt(turnLegs, tick)
	return 8 * l.x, 8 * l.y, 0
}

// figureEight follows a Lissajous figure with frequencies 1 and 2.
func figureEight(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const wide, high, turn = 3.2, 2.2, geom.TwoPi / 6 // metres, metres, rad/s
	a := float32(float32(tick) / 60 * turn)
	x, y = followPoint(&w[0], float32(wide*geom.Sin(a)), float32(high*geom.Sin(2*a))-0.75,
		float32(wide*turn*geom.Cos(a)), float32(2*high*turn*geom.Cos(2*a)))
	return x, y, 0
}

func jump(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	x, y = followCircle(&w[0], 5, 3, tick)
	if tick%75 >= 71 {
		buttons = sim.Lift
	}
	return x, y, buttons
}

// pushWaypoints are the waypoints of the push tape: through the pile to the other side, and
// around it to the next side.
var pushWaypoints = [...][2]float32{{0, 8}, {8, 1}, {-8, -1}, {0, -8}, {1, 8}, {8, -1}, {-8, 0}, {-1, -8}}

func push(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	l := pushWaypoints[tick/180%len(pushWaypoints)]
	x, y = moveToward(&w[0], l[0], l[1], 8)
	return x, y, 0
}

// outageLegs are the directions of the outage tape. They were found by trial, so that many
// cubes move, most of them by less than five metres.
var outageLegs = []leg{{0, 1, 36}, {-1, 0, 36}, {0, 0, 60}, {1, 0, 36}, {0, -1, 24}, {0, 1, 48}, {1, -1, 24}, {1, 1, 6}}

// outage rolls into the pile and in front of it during the blackout. It always asks for more
// speed than it has, so the input does not depend on the cube's position.
func outage(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	l, over := legAt(outageLegs, tick)
	if over {
		return 0, 0, 0
	}
	v := &w[0].Linear
	return v.X + l.x, v.Y + l.y, 0
}

// katamariWaypoints are the waypoints of the katamari tape, one per second.
var katamariWaypoints = [8][2]float32{{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}}

func katamari(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	c := katamariWaypoints[tick/60%len(katamariWaypoints)]
	x, y = moveToward(&w[0], c[0], c[1], 8)
	return x, y, sim.Pull
}

func katamariBall(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const wide, turn = 11, geom.TwoPi / 48
	a := float32(float32(tick) / 60 * turn)
	x, y = followPoint(&w[0], float32(wide*geom.Sin(2*a)), float32(wide*geom.Sin(3*a)),
		float32(2*wide*turn*geom.Cos(2*a)), float32(3*wide*turn*geom.Cos(3*a)))
	return x, y, sim.Pull
}

func hover(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	x, y = followCircle(&w[0], 6, 3, tick)
	if phase := tick % 300; phase >= 150 && phase < 240 {
		return x, y, sim.Pull
	}
	return x, y, sim.Lift
}

// chainAsleepTick is the tick at which the whole chain sleeps.
const chainAsleepTick = 180

func tow(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	x, y = followCircle(&w[0], 5, 4, tick)
	return x, y, 0
}

func swing(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	side := float32(8*float32(tick/100%2)) - 4
	x, y = moveToward(&w[0], side, 2, 5)
	return x, y, sim.Lift
}

// roverLegs are the velocities of the rover tape.
var roverLegs = []leg{{0, 0, 30}, {5, 0, 240}, {3, 4, 180}, {-4, 3, 150}, {0, 0, 90}, {4, 4, 150}, {-5, -3, 150}, {0, 0, 120}, {-2, -4, 120}, {4, 0, 210}}

// rover enters the rover, drives it with its wagons, uncouples them in a stop, drives on alone, and leaves it
// in the next stop.
func rover(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	l, _ := legAt(roverLegs, tick)
	switch {
	case tick < 6, tick >= 1090 && tick < 1096:
		buttons = sim.Use
	case tick >= 660 && tick < 666:
		buttons = sim.Couple
	}
	return l.x, l.y, buttons
}

// The players roll through the pile to the other's start. Then they contest the large cube in
// rounds: each pushes it towards the other, one of them earlier, and both draw back until
// nobody owns it.
const roundTicks = 480

func twoPlayersFirst(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	if tick < 420 {
		x, y = moveToward(&w[0], 5, 2, 5)
	} else {
		x, y = contestPrize(&w[0], &w[2], 1, tick-420)
	}
	return x, y, 0
}

func twoPlayersSecond(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	switch {
	case tick < 60:
		return 0, 0, 0
	case tick < 420:
		x, y = moveToward(&w[1], -5, 2, 5)
	default:
		x, y = contestPrize(&w[1], &w[2], -1, tick-420+roundTicks)
	}
	return x, y, 0
}

func samePileWest(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	return samePile(&w[0], -1, tick)
}

func samePileEast(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	return samePile(&w[1], 1, tick)
}

// crossing returns the autopilot of one of eight players, who circle about places a quarter of a turn apart that go round the
// middle, the last four farther out. Neighbours turn the other way round, and their circles cross.
func crossing(player int) autopilot {
	const radius, speed, drift = 4.5, 4, 0.25 // metres, m/s, rad/s
	distance, start := float32(4.5), float32(float32(player)*geom.HalfPi)
	if player >= 4 {
		distance, start = 8.5, start+geom.HalfPi/2
	}
	way := float32(1 - player%2*2)
	return func(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
		side := start + float32(float32(tick)/60*drift)
		centerX, centerY := float32(distance*geom.Cos(side)), float32(distance*geom.Sin(side))
		angle := start + float32(way*float32(float32(tick)/60*speed/radius))
		sin, cos := geom.Sin(angle), geom.Cos(angle)
		x, y = followPoint(&w[player], centerX+float32(radius*cos), centerY+float32(radius*sin), float32(-way*speed*sin), float32(way*speed*cos))
		return x, y, 0
	}
}

// samePile pushes into the pile for three seconds, each time in another lane, and backs out
// for one second. side is 1 for the player at +x, -1 for the other.
func samePile(b *sim.Body, side float32, tick int) (x, y float32, buttons sim.Buttons) {
	lane := float32(0.7 * float32(tick/240%4))
	if tick%240 >= 180 {
		x, y = moveToward(b, float32(3*side), lane, 3)
		return x, y, 0
	}
	x, y = moveToward(b, float32(-0.5*side), lane, 3)
	return x, y, 0
}

// contestPrize returns the velocity of a player who pushes the large cube from its side, 1
// for +x: earlier than the other player in even rounds, later in odd ones.
func contestPrize(b, prize *sim.Body, side float32, tick int) (x, y float32) {
	begin := 0
	if tick/roundTicks%2 != 0 {
		begin = 80
	}
	p := prize.Pose.Pos
	if phase := tick%roundTicks - begin; phase >= 0 && phase < 200 {
		x, y = moveToward(b, p.X, p.Y, 5)
		return 4 * x, 4 * y
	}
	return moveToward(b, p.X+float32(3*side), p.Y, 5)
}

// turntable rolls onto the turntable from the south, rests there for more than a turn, and
// rolls off by the shortest path.
func turntable(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	switch {
	case tick < 180:
		x, y = moveToward(&w[0], 0, 0, 3)
	case tick < 1020:
		return 0, 0, 0
	case tick < 1260:
		p := w[0].Pose.Pos
		p.Z = 0
		p = p.Unit().Scale(12)
		x, y = moveToward(&w[0], p.X, p.Y, 5)
	}
	return x, y, 0
}

// jumpOff rests on the turntable and jumps every 3.5 s, each time further out, until it lands
// beside the turntable. Then it rolls.
func jumpOff(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const round, jumps = 210, 5
	switch {
	case tick < jumps*round:
		if tick%round < 3 {
			buttons = sim.Lift
		}
	case tick/60%2 == 0:
		p := w[0].Pose.Pos
		p.Z = 0
		p = p.Unit().Scale(4)
		x, y = p.X, p.Y
	}
	return x, y, buttons
}

// haulLegs are the velocities of the haul tape.
var haulLegs = []leg{{4, 0, 150}, {0, 0, 90}, {0, 3, 90}, {-4, 0, 180}, {0, 0, 180}, {0, -3, 90}, {3, 3, 90}, {0, 0, 120}}

// haul drives and waits repeatedly.
func haul(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	l, _ := legAt(haulLegs, tick)
	return l.x, l.y, 0
}

// breakWaypoints are the waypoints of the billiards-break tape.
var breakWaypoints = [...][2]float32{{0, 2}, {3, -2}, {1, 8}, {-3, 8}, {-2, -2}, {2, 6}, {0, -6}}

func breakRack(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const stroke = 180
	if i := tick / stroke; i < len(breakWaypoints) {
		x, y = moveToward(&w[0], breakWaypoints[i][0], breakWaypoints[i][1], 6)
	}
	return x, y, 0
}

func standStill(int, []sim.Body) (x, y float32, buttons sim.Buttons) { return 0, 0, 0 }

// dodge rolls back and forth across the other player's line of fire, at up to 10 m/s, and
// behind the pile at one end.
func dodge(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const middle, wide, turn = -1.2, 3.3, 1.9 // metres, metres, rad/s
	a := float32(float32(tick) / rate * turn)
	x, y = followPoint(&w[1], 6, middle+float32(wide*geom.Sin(a)), 0, float32(wide*turn*geom.Cos(a)))
	return x, y, 0
}

// shotTargets are the points on the other player's path that are shot at in turn, wherever
// that player is.
var shotTargets = [...]float32{-3.6, -1.2, -2.4, 0, -3}

// volley fires every 23 ticks, horizontally.
func volley(tick int, _ []sim.Body) sim.Shot {
	if y, ok := shotTarget(tick); ok {
		return sim.Aim(geom.Vec3{X: 12, Y: y})
	}
	return sim.Shot{}
}

// fireAcross fires as volley does, at the same places from wherever the shooter is.
func fireAcross(tick int, w []sim.Body) sim.Shot {
	if y, ok := shotTarget(tick); ok {
		return sim.Aim(geom.Vec3{X: 6, Y: y}.Sub(geom.Vec3{X: w[0].Pose.Pos.X, Y: w[0].Pose.Pos.Y}))
	}
	return sim.Shot{}
}

// shotTarget returns the place on the other player's path that is shot at in a tick, if one is.
func shotTarget(tick int) (y float32, ok bool) {
	const rest, every, end = 120, 23, 2340
	if tick < rest || tick > end || (tick-rest)%every != 0 {
		return 0, false
	}
	return shotTargets[(tick-rest)/every%len(shotTargets)], true
}

// pushThroughPile rolls back and forth along the other player's line and pushes the boxes between them.
func pushThroughPile(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const middle, wide, turn, low, high, drift = -1, 1.8, 1.1, 0.5, 2, 0.37 // metres, metres, rad/s, metres, metres, rad/s
	a, b := float32(float32(tick)/rate*turn), float32(float32(tick)/rate*drift)
	x, y = followPoint(&w[0], middle-float32(wide*geom.Cos(a)), low+float32(high*geom.Sin(b)),
		float32(wide*turn*geom.Sin(a)), float32(high*drift*geom.Cos(b)))
	return x, y, 0
}
