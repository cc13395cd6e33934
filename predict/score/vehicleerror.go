package score

import (
	"math"

	"ghostcube/predict"
)

var vehiclePathErrorDefinition = Definition{
	Group: "Joints and parents", Title: "Path error of the vehicle",
	Measures: []Entry{
		{
			Measure{Name: "path_error_vehicle_rms_m", Title: "path error of the vehicle, RMS, m", Digits: 4, Better: Lower,
				Help: "path error of the vehicle that the player drives, while it does, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.VehiclePathError() },
		},
	},
	Text: `
The path error of the vehicle that the player drives at the server. A pose that shows a moment before the player entered
it, or one that the server reaches after the player has left it, does not count.`,
	Formula:   "sqrt(mean of |r(t) - s(m)|^2)",
	Undefined: "until the player has driven for a second",
	Blind:     "how late or early the vehicle is drawn, and the driver, who may be drawn outside of it",
}

// vehiclePathError measures the path error of the vehicle that the player drives.
type vehiclePathError struct {
	playerPathError
	body int // vehicle, or the player's own body, which is not measured
}

// addServer remembers the server's pose of the vehicle at a tick.
func (e *vehiclePathError) addServer(server *predict.World, player int) {
	if body := server.Operated(player); body != e.body {
		e.body, e.history, e.pending = body, nil, e.pending[:0]
	}
	if e.body != player {
		e.playerPathError.addServer(server.Bodies()[e.body].Pose, server.Tick(), server.Rate())
	}
}

// add adds a tick.
func (e *vehiclePathError) add(server *predict.World, v *predict.View, player int, scored bool) {
	if e.body != player && e.body < len(v.Bodies) {
		e.playerPathError.add(v.Bodies[e.body], v.MomentOf(e.body), 0, server.Tick(), server.Rate(), scored)
	}
}

// VehiclePathError returns the root mean square path error, in metres, of the vehicle that the player drives. ok is
// false until poses of a second have been compared.
func (s *Score) VehiclePathError() (rms float64, ok bool) {
	e := &s.vehicleError
	if e.count < pathEvidenceSeconds*max(s.rate, 1) {
		return 0, false
	}
	return math.Sqrt(e.square / float64(e.count)), true
}
