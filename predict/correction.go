package predict

import (
	"strconv"
	"time"

	"ghostcube/net/packet"
	"ghostcube/sim"
)

// Correction is one difference between a client's past and the server's state that the client
// applied.
type Correction struct {
	Packet        packet.Sequence // the packet that carried the server's state
	Received      time.Duration   // session time at which it arrived completely
	Tick          sim.Tick        // tick of the server's state
	Body          int             // the body with the largest error, of those beyond the tolerance
	Field         Field           // of that body: the field that explains the others
	Amount        float32         // error of that field, in the field's unit
	Cause         Cause
	Shift         float32 // metres by which the player's present position moved
	ReplayedTicks int     // ticks
	Gradual       bool    // the player's body follows over the next ticks instead of at once
}

// Field is a field of a body's state.
type Field uint8

// The fields of a body.
const (
	Position Field = iota // metres
	Rotation              // radians, angle between the two orientations
	Linear                // metres per second
	Angular               // radians per second
	Asleep                // no unit: the server's body sleeps and the client's does not
)

var fieldInfo = [...]struct{ name, words, unit string }{
	{"position", "position", "m"}, {"rotation", "rotation", "rad"}, {"linear", "velocity", "m/s"}, {"angular", "spin", "rad/s"}, {"asleep", "", ""},
}

// String returns the field's name in files and tables.
func (f Field) String() string { return fieldInfo[f].name }

// Words returns the field's name in sentences, empty for Asleep.
func (f Field) Words() string { return fieldInfo[f].words }

// Unit returns the unit of the field's differences, empty if it has none.
func (f Field) Unit() string { return fieldInfo[f].unit }

// Cause is the cause of a correction, as far as the client can know it.
type Cause uint8

// The causes. The server sends with every state the inputs that the tick was stepped with, so a
// client sees whether it stepped that tick with other inputs. It cannot see what differed in an
// earlier tick whose state was lost.
const (
	CauseUnknown Cause = iota
	LocalInput         // the server stepped without the player's input: it arrived late or never
	RemoteInput        // another player's input was not the one that the client had assumed
	Again              // less than a second after another with the same inputs: contacts, which states lack, or physics differ
	ClockReset         // the client's clock was behind the server's, and it took over the server's state
	Logged             // read from a game's log, which gives neither the error nor the cause
)

var causeNames = [...]string{"unknown", "local-input", "remote-input", "again", "clock-reset", "logged"}

// String returns the cause's name.
func (c Cause) String() string { return causeNames[c] }

// Describe returns the field and its error as text, such as "position by 0.02 m".
func (c *Correction) Describe() string {
	switch {
	case c.Cause == Logged:
		return strconv.Itoa(c.ReplayedTicks) + " ticks resimulated"
	case c.Field == Asleep:
		return "asleep"
	}
	return c.Field.Words() + " by " + strconv.FormatFloat(float64(c.Amount), 'g', 3, 32) + " " + c.Field.Unit()
}

// Difference is the difference between two states of a body, by field.
type Difference struct {
	Position, Rotation, Linear, Angular float32 // in the fields' units

	ServerAsleep bool // the server's body sleeps and the client's does not
}

// Diff returns the difference between the server's state of a body and the client's.
func Diff(server, client *sim.Body) Difference {
	return Difference{
		Position:     server.Pose.Pos.Sub(client.Pose.Pos).Len(),
		Rotation:     server.Pose.Rot.Mul(client.Pose.Rot.Inverse()).Angle(),
		Linear:       server.Linear.Sub(client.Linear).Len(),
		Angular:      server.Angular.Sub(client.Angular).Len(),
		ServerAsleep: server.Asleep && !client.Asleep,
	}
}

// MaxError returns by how many metres the difference displaces the farthest point of a body, at a
// distance of reach metres from its centre: by its pose, or by its velocities after a number of
// seconds.
func (d *Difference) MaxError(reach, seconds float32) float32 {
	return max(d.poseError(reach), d.velocityError(reach, seconds))
}

func (d *Difference) poseError(reach float32) float32 {
	return max(d.Position, float32(d.Rotation*reach))
}

func (d *Difference) velocityError(reach, seconds float32) float32 {
	return float32(max(d.Linear, float32(d.Angular*reach)) * seconds)
}

// RootField returns the field that explains the others, and its error. The two states agreed the
// given number of seconds earlier. If the pose error is at most twice what the velocity errors make
// in that time, the velocities explain it, and sleep explains those if the server's body sleeps;
// otherwise the pose changed by itself. Of two fields that qualify it is the one that moves the
// body more.
func (d *Difference) RootField(reach, seconds float32) (f Field, amount float32) {
	switch {
	case d.poseError(reach) > 2*d.velocityError(reach, seconds):
		if d.Position >= float32(d.Rotation*reach) {
			return Position, d.Position
		}
		return Rotation, d.Rotation
	case d.ServerAsleep:
		return Asleep, 1
	case d.Linear >= float32(d.Angular*reach):
		return Linear, d.Linear
	}
	return Angular, d.Angular
}
