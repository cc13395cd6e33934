package main

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// ferry rides the ship, which departs after 8 s and arrives after 18 s.
func ferry(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	return rideShip(tick, 1080, 40, w)
}

// fastShip rides the ship on the long path, which takes 20 s.
func fastShip(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	return rideShip(tick, 1680, 530, w)
}

// rideShip rolls through the door of a ship, rests until its arrival and leaves it at the end
// of its path.
func rideShip(tick, arrival int, distance float32, w []sim.Body) (x, y float32, buttons sim.Buttons) {
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

// boardingFlight rests on the platform, takes off at 50 m/s, and climbs so high that neither platform nor ship is
// near. It flies over the ship, descends into it and stands there. While the ship still moves it takes off again
// and flies away. In the middle of the path the speed of the ship hardly changes, so an input that acts late
// leads to the same place in the ship.
func boardingFlight(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	ship := fastShipPath.Pose(geom.Pose{}, sim.Tick(tick), rate).Pos.X
	speed := float32(rate * (fastShipPath.Pose(geom.Pose{}, sim.Tick(tick)+1, rate).Pos.X - ship))
	b := &w[0]
	height, side := float32(6.5), float32(-0.35) // of the avatar's centre, and across the path
	switch {
	case tick < 990:
		return 0, 0, 0
	case tick < 1020:
	case tick < 1110:
		side = 5.5
	case tick < 1190:
		height, side = 0.8, 5.5
	case tick < 1340:
		return 0, 0, 0
	case tick < 1420:
		side = 5.5
	default:
		side, ship, speed = -9, b.Pose.Pos.X, 0
	}
	x, y = followPoint(b, ship, side, speed, 0)
	switch climb := float32(3*(height-b.Pose.Pos.Z)) - b.Linear.Z; {
	case climb > 0.5 && (height > 1 || b.Pose.Pos.Z > 2): // on the deck it would jump
		buttons = sim.Lift
	case climb < -0.5:
		buttons = sim.Pull
	}
	return x, min(max(y, -6), 6), buttons
}

// pilotCourses are the directions in which the pilot pushes the ship, in turn.
var pilotCourses = []leg{
	{1, 0, 600}, {1, 1, 150}, {1, 0, 150}, {1, 1, 180}, {0, 1, 150}, {1, 1, 120},
	{0, 1, 180}, {-1, 1, 180}, {0, 1, 150}, {-1, 1, 150}, {-1, 0, 240},
}

// pilot takes the helm and flies at full thrust.
func pilot(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	if tick < 6 {
		return 0, 0, sim.Use
	}
	if tick < 60 {
		return 0, 0, 0
	}
	l, _ := legAt(pilotCourses, tick-60)
	v := &w[2].Linear
	return v.X + float32(9*l.x), v.Y + float32(9*l.y), 0
}

// deckPlaces are the places in the ship between which the player walks, in its frame.
var deckPlaces = [...][2]float32{{-3, 1.5}, {2, -2}, {1, 2}, {-3, -2}, {0, 0}}

// boardPilotedShip takes off, flies beside the ship until it is at full speed, boards it from above, stands while it
// turns, walks about in it, takes off and flies away.
func boardPilotedShip(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
	const deck = 2.65 // height of the avatar's centre
	b, ship := &w[0], &w[2]
	height, aside := float32(9), geom.Vec3{Y: -24}
	switch {
	case tick < 60:
		return 0, 0, 0
	case tick < 600:
	case tick < 900:
		aside = geom.Vec3{}
	case tick < 990:
		height, aside = deck, geom.Vec3{}
	case tick < 1260:
		return 0, 0, 0
	case tick < 1680:
		p := deckPlaces[(tick-1260)/90%len(deckPlaces)]
		height, aside = deck, ship.Pose.Rot.Rotate(geom.Vec3{X: p[0], Y: p[1]})
	case tick < 1740:
		aside = geom.Vec3{}
	default:
		aside = geom.Vec3{Y: -30}
	}
	way := clampLen(ship.Pose.Pos.Add(aside).Sub(b.Pose.Pos), 3)
	x, y = ship.Linear.X+float32(2.5*way.X), ship.Linear.Y+float32(2.5*way.Y)
	switch climb := float32(3*(height-b.Pose.Pos.Z)) - b.Linear.Z; {
	case climb > 0.5 && (height > deck || b.Pose.Pos.Z > deck+1):
		buttons = sim.Lift
	case climb < -0.5:
		buttons = sim.Pull
	}
	return x, y, buttons
}

// clampLen returns v along the ground, at most limit long.
func clampLen(v geom.Vec3, limit float32) geom.Vec3 {
	if v.Z = 0; v.Len() > limit {
		return v.Unit().Scale(limit)
	}
	return v
}

// boarding rests on the platform, which moves beside the ship, rolls through the door when
// both are nearly at full speed, and leaves at the other end. Platform and ship carry the
// cube; its input rolls it across their path and keeps it in the middle of the door.
func boarding(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons) {
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

// fastShipPath is the path of the fast ship.
var fastShipPath = sim.Path{Travel: geom.Vec3{X: 530}, TravelSeconds: 20, WaitSeconds: 8}
