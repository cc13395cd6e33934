package main

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// tapes are all example tapes. What a description claims, a test holds.
//
// Each but the katamari tape begins with a rest that lasts until all is asleep,
// so the keys find the same world however late a strategy brings them to the
// server. Only a hovering cube knows the tick, it bobs by it, and what a carrier
// carries: it is elsewhere by then, and on a turning table nothing sleeps.
var tapes = []tapeSpec{
	{name: "idle", doc: "nobody touches the keys: what a strategy costs and shows at rest",
		scene: "zen", ticks: 600, autopilots: []autopilot{func(int, []sim.Body) (x, y float32, held sim.Buttons) { return 0, 0, 0 }}},
	{name: "start-stop", doc: "a second of push, a second and a half of nothing, to and fro: overshoot and settling",
		scene: "plain", ticks: 3600, rest: 60, autopilots: []autopilot{startStop}},
	{name: "circle", doc: "round and round at three metres a second, from rest: the usual tape for comparing",
		scene: "zen", ticks: 3660, rest: 60, autopilots: []autopilot{circle}},
	{name: "turns", doc: "full push in another direction every half second to second, often straight back: what guessed inputs get wrong",
		scene: "plain", ticks: 1860, rest: 60, autopilots: []autopilot{turns}},
	{name: "figure-eight", doc: "one key and a heading that turns left, then right, as with a stick: inputs that change all the time",
		scene: "zen", ticks: 1860, rest: 60, useHeading: true, autopilots: []autopilot{figureEight}},
	{name: "jump", doc: "rolls and hops, every second and a quarter, by taps on lift: flight, landing, keys held for four ticks",
		scene: "plain", ticks: 1860, rest: 60, autopilots: []autopilot{jump}},
	{name: "push", doc: "with a run-up into a pile of 270 cubes and through it, from all sides: contacts of many with many",
		scene: "pile:layers=3", ticks: 1920, rest: 240, autopilots: []autopilot{push}},
	{name: "outage", doc: "five seconds in which all packets are lost, and a pile of 270 cubes is run into: what there is to make good after an outage",
		scene: "pile:layers=3", ticks: 900, rest: 306, blackoutTick: 300, autopilots: []autopilot{outage}},
	{name: "katamari", doc: "round the grid, gathering cubes: the ball that the articles show",
		scene: "katamari", ticks: 1800, rest: 90, autopilots: []autopilot{katamari}},
	{name: "katamari-ball", doc: "a ball of cubes rolls on through the grid for longer than the 2,837 frames of the compression challenge",
		scene: "katamari", ticks: 3180, rest: 300, autopilots: []autopilot{katamariBall}},
	{name: "hover", doc: "hovers over the grid and blows cubes away, drops and pulls some in, hovers again: forces without contact",
		scene: "katamari", ticks: 2100, rest: 300, autopilots: []autopilot{hover}},
	{name: "two-players", doc: "two players push through the pile between them, and fight over the large cube",
		scene: "two-players", ticks: 2400, rest: 60, autopilots: []autopilot{twoPlayersFirst, twoPlayersSecond}},
	{name: "same-pile", doc: "two players push into the same pile at the same moment, from both sides, again and again: whose are the cubes?",
		scene: "two-players", ticks: 1800, rest: 60, autopilots: []autopilot{samePileWest, samePileEast}},
	{name: "shots", doc: "one player stands and fires in fixed directions, the other rolls to and fro through them and behind the pile",
		scene: "two-players", ticks: 2400, rest: 60, autopilots: []autopilot{standStill, dodge}, shooter: volley, cameraYaw: "-90"},
	{name: "turntable", doc: "rolls onto the turning table, rides it, rolls off: a floor that moves",
		scene: "turntable", ticks: 1500, rest: 60, autopilots: []autopilot{turntable}},
	{name: "jump-off", doc: "rides a fast table and jumps up from it again and again, each time farther out, until it lands beside it: a floor that is left and met again",
		scene: "turntable:rpm=12:aboard=1", ticks: 1800, rest: 180, autopilots: []autopilot{jumpOff}},
	{name: "ferry", doc: "boards the waiting ship, rides to the other end, leaves: a room that moves",
		scene: "ship", ticks: 1620, rest: 60, autopilots: []autopilot{ferry}},
	{name: "fast-ship", doc: "the same at up to 50 m/s, half a kilometre away: a room that moves faster than anything in it",
		scene: "ship:distance=530", ticks: 2220, rest: 60, autopilots: []autopilot{fastShip}},
	{name: "boarding", doc: "rolls at 48 m/s from a platform through the door of the ship that goes beside it, rides, leaves: from one room that moves into another",
		scene: "ship:distance=530:platform=1", ticks: 2280, autopilots: []autopilot{boarding}},
	{name: "haul", doc: "drives a sled with a cube stowed in it to and fro, stops, waits, drives on: a vehicle with what lies in it",
		scene: "hauler", ticks: 1800, rest: 90, autopilots: []autopilot{haul}},
	{name: "billiards-break", doc: "breaks the triangle of pucks and pushes what is left of it about: one player moves many",
		scene: "billiards", ticks: 1500, rest: 60, autopilots: []autopilot{breakRack}},
	{name: "chain-tow", doc: "rolls round and round at four metres a second with sixteen rods behind: a chain on the ground",
		scene: "train:rods=16", ticks: 1500, rest: chainAsleepTick, autopilots: []autopilot{tow}},
	{name: "chain-swing", doc: "hovers to and fro with sixteen rods below and behind: a chain that swings",
		scene: "train:rods=16", ticks: 1500, rest: chainAsleepTick, autopilots: []autopilot{swing}},
}

// moveToward returns the velocity to a place, at most so many m/s.
func moveToward(b *sim.Body, x, y, most float32) (float32, float32) {
	away := geom.Vec3{X: x - b.Pose.Pos.X, Y: y - b.Pose.Pos.Y}
	if l := away.Len(); l > most {
		away = away.Scale(most / l)
	}
	return away.X, away.Y
}

// followPoint returns the velocity that follows a moving place: its own, and what
// makes up for the distance to it.
func followPoint(b *sim.Body, x, y, vx, vy float32) (float32, float32) {
	return vx + float32(1.5*(x-b.Pose.Pos.X)), vy + float32(1.5*(y-b.Pose.Pos.Y))
}

// followCircle returns the velocity that follows a circle, which begins in the middle of
// the scene and towards +x, after so many ticks.
func followCircle(b *sim.Body, radius, speed float32, ticks int) (float32, float32) {
	a := float32(float32(ticks) / 60 * speed / radius)
	sin, cos := geom.Sin(a), geom.Cos(a)
	return followPoint(b, float32(radius*sin), float32(radius*(1-cos)), float32(speed*cos), float32(speed*sin))
}

func startStop(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	if tick%150 >= 60 {
		return 0, 0, 0
	}
	if tick/150%2 == 0 {
		return 4, 0, 0
	}
	return -4, 0, 0
}

func circle(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const radius, speed, middle = 2.25, 3.0, -0.75
	angle := float32(tick)/60*speed/radius + geom.HalfPi
	sin, cos := geom.Sin(angle), geom.Cos(angle)
	x, y = followPoint(&w[0], float32(radius*cos), float32(radius*sin)+middle, float32(-speed*sin), float32(speed*cos))
	return x, y, 0
}

// leg is a stage of a tape.
type leg struct {
	x, y  float32 // m/s, along the ground
	ticks int
}

// legAt returns the leg at a tick of a round of legs, and whether the first round is over.
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

func turns(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	l, _ := legAt(turnLegs, tick)
	return 8 * l.x, 8 * l.y, 0
}

// figureEight is a Lissajous figure: twice up and down on one way to and fro.
func figureEight(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const wide, high, turn = 3.2, 2.2, geom.TwoPi / 6 // metres, metres, rad/s
	a := float32(float32(tick) / 60 * turn)
	x, y = followPoint(&w[0], float32(wide*geom.Sin(a)), float32(high*geom.Sin(2*a))-0.75,
		float32(wide*turn*geom.Cos(a)), float32(2*high*turn*geom.Cos(2*a)))
	return x, y, 0
}

func jump(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	x, y = followCircle(&w[0], 5, 3, tick)
	if tick%75 >= 71 {
		held = sim.Lift
	}
	return x, y, held
}

// pushWaypoints are the way points of the push tape: across the pile to the other side,
// and round to the next.
var pushWaypoints = [...][2]float32{{0, 8}, {8, 1}, {-8, -1}, {0, -8}, {1, 8}, {8, -1}, {-8, 0}, {-1, -8}}

func push(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	l := pushWaypoints[tick/180%len(pushWaypoints)]
	x, y = moveToward(&w[0], l[0], l[1], 8)
	return x, y, 0
}

// outageLegs are the directions of the outage tape: found by trying, so that much is moved,
// and most of it by less than five metres.
var outageLegs = []leg{{0, 1, 36}, {-1, 0, 36}, {0, 0, 60}, {1, 0, 36}, {0, -1, 24}, {0, 1, 48}, {1, -1, 24}, {1, 1, 6}}

// outage runs into the pile and about before it while the link is dark. It wants
// to be faster than it is, so its keys do not depend on where that brings it.
func outage(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	l, over := legAt(outageLegs, tick)
	if over {
		return 0, 0, 0
	}
	v := &w[0].Linear
	return v.X + l.x, v.Y + l.y, 0
}

// katamariWaypoints are the way points of the katamari tape, one a second.
var katamariWaypoints = [8][2]float32{{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}}

func katamari(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	c := katamariWaypoints[tick/60%len(katamariWaypoints)]
	x, y = moveToward(&w[0], c[0], c[1], 8)
	return x, y, sim.Pull
}

func katamariBall(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const wide, turn = 11, geom.TwoPi / 48
	a := float32(float32(tick) / 60 * turn)
	x, y = followPoint(&w[0], float32(wide*geom.Sin(2*a)), float32(wide*geom.Sin(3*a)),
		float32(2*wide*turn*geom.Cos(2*a)), float32(3*wide*turn*geom.Cos(3*a)))
	return x, y, sim.Pull
}

func hover(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	x, y = followCircle(&w[0], 6, 3, tick)
	if phase := tick % 300; phase >= 150 && phase < 240 {
		return x, y, sim.Pull
	}
	return x, y, sim.Lift
}

// chainAsleepTick is when all of the chain sleeps.
const chainAsleepTick = 180

func tow(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	x, y = followCircle(&w[0], 5, 4, tick)
	return x, y, 0
}

func swing(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	side := float32(8*float32(tick/100%2)) - 4
	x, y = moveToward(&w[0], side, 2, 5)
	return x, y, sim.Lift
}

// The players cross the pile, each to where the other came from. Then there are
// rounds: each pushes the large cube towards the other, one of them sooner, and
// both draw back for long enough that it is nobody's again.
const roundTicks = 480

func twoPlayersFirst(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	if tick < 420 {
		x, y = moveToward(&w[0], 5, 2, 5)
	} else {
		x, y = contestPrize(&w[0], &w[2], 1, tick-420)
	}
	return x, y, 0
}

func twoPlayersSecond(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
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

func samePileWest(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	return samePile(&w[0], -1, tick)
}

func samePileEast(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	return samePile(&w[1], 1, tick)
}

// samePile pushes for three seconds from one side, 1 for that of +x, into where the pile
// was, each time at another place, and backs out for one.
func samePile(b *sim.Body, side float32, tick int) (x, y float32, held sim.Buttons) {
	lane := float32(0.7 * float32(tick/240%4))
	if tick%240 >= 180 {
		x, y = moveToward(b, float32(3*side), lane, 3)
		return x, y, 0
	}
	x, y = moveToward(b, float32(-0.5*side), lane, 3)
	return x, y, 0
}

// contestPrize returns the velocity of a player who pushes the prize from its side,
// 1 for that of +x: sooner than the other in even rounds, later in odd ones.
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

// turntable rolls onto the table from the south, is left alone there for more
// than a turn, and rolls off the nearest way.
func turntable(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
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

// jumpOff is left alone on the table and jumps, every three and a half seconds, each
// time farther out, until it lands beside it. Then it rolls.
func jumpOff(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const round, jumps = 210, 5
	switch {
	case tick < jumps*round:
		if tick%round < 3 {
			held = sim.Lift
		}
	case tick/60%2 == 0:
		p := w[0].Pose.Pos
		p.Z = 0
		p = p.Unit().Scale(4)
		x, y = p.X, p.Y
	}
	return x, y, held
}

// ferry rolls through the door of the ship, which leaves after 8 s and
// arrives after 18.
func ferry(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	return rideShip(tick, 1080, 40, w)
}

// fastShip does the same on the long way, which takes twice as long.
func fastShip(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	return rideShip(tick, 1680, 530, w)
}

// rideShip boards a ship, stands still until it has arrived, and leaves it at the end of
// its way.
func rideShip(tick, arrival int, distance float32, w []sim.Body) (x, y float32, held sim.Buttons) {
	switch {
	case tick < 240:
		x, y = moveToward(&w[0], 0, 6, 4)
	case tick < arrival:
		return 0, 0, 0
	case tick < arrival+360:
		x, y = moveToward(&w[0], distance, -4, 4)
	}
	return x, y, 0
}

// haulLegs are the velocities of the haul tape.
var haulLegs = []leg{{4, 0, 150}, {0, 0, 90}, {0, 3, 90}, {-4, 0, 180}, {0, 0, 180}, {0, -3, 90}, {3, 3, 90}, {0, 0, 120}}

// haul drives and waits, again and again.
func haul(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	l, _ := legAt(haulLegs, tick)
	return l.x, l.y, 0
}

// boarding waits on the tender, which goes along with the ship, rolls through the door
// when both are nearly at their fastest, halfway, and leaves at the other end. The two
// take it along by themselves: its keys roll it across their way, and keep it in the
// middle of the door.
func boarding(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	ship := fastShipPath.Pose(geom.Pose{}, sim.Tick(tick), rate).Pos.X
	speed := float32(rate * (fastShipPath.Pose(geom.Pose{}, sim.Tick(tick)+1, rate).Pos.X - ship))
	switch {
	case tick < 970:
		return 0, 0, 0
	case tick < 1210:
		x, y = followPoint(&w[0], ship, 6, speed, 0)
		return x, min(y, 3), 0
	case tick < 1750:
		return 0, 0, 0
	case tick < 1900:
		x, y = moveToward(&w[0], 530, 5, 3)
	case tick < 2160:
		x, y = moveToward(&w[0], 530, -8, 4)
	}
	return x, y, 0
}

// fastShipPath is the way of the ship that is fast.
var fastShipPath = sim.Path{Travel: geom.Vec3{X: 530}, TravelSeconds: 20, WaitSeconds: 8}

// breakWaypoints are the way points of the break tape.
var breakWaypoints = [...][2]float32{{0, 2}, {3, -2}, {1, 8}, {-3, 8}, {-2, -2}, {2, 6}, {0, -6}}

func breakRack(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const stroke = 180
	if i := tick / stroke; i < len(breakWaypoints) {
		x, y = moveToward(&w[0], breakWaypoints[i][0], breakWaypoints[i][1], 6)
	}
	return x, y, 0
}

func standStill(int, []sim.Body) (x, y float32, held sim.Buttons) { return 0, 0, 0 }

// dodge rolls to and fro across the other player's way, at up to 10 m/s, and at one
// end behind the pile.
func dodge(tick int, w []sim.Body) (x, y float32, held sim.Buttons) {
	const middle, wide, turn = -1.2, 3.3, 1.9 // metres, metres, rad/s
	a := float32(float32(tick) / rate * turn)
	x, y = followPoint(&w[1], 6, middle+float32(wide*geom.Sin(a)), 0, float32(wide*turn*geom.Cos(a)))
	return x, y, 0
}

// shotTargets are the places, of those that the other player rolls along, that are shot at
// in turn, wherever it is.
var shotTargets = [...]float32{-3.6, -1.2, -2.4, 0, -3}

// volley fires every 23 ticks, along the ground.
func volley(tick int) sim.Shot {
	const rest, every, end = 120, 23, 2340
	if tick < rest || tick > end || (tick-rest)%every != 0 {
		return sim.Shot{}
	}
	return sim.Aim(geom.Vec3{X: 12, Y: shotTargets[(tick-rest)/every%len(shotTargets)]})
}
