package predict

import (
	"strconv"
	"time"

	"ghostcube/net/packet"
	"ghostcube/sim"
)

// Correction is one disagreement between the client's past and the server's
// word, and what was done about it.
type Correction struct {
	Packet        packet.Sequence // that brought the news
	Received      time.Duration   // when it arrived, whole, in the session's time
	Tick          sim.Tick        // it speaks of
	Body          int             // the one that was farthest off, of those off by too much
	Field         Field           // of that body: the one that the others follow from
	Amount        float32         // how far off that field was, in its unit
	Cause         Cause
	Shift         float32 // metres by which the player's present position changed
	ReplayedTicks int     // ticks stepped again
}

// Field is a part of a body.
type Field uint8

// The fields of a body.
const (
	Position Field = iota // metres
	Rotation              // radians, of the turn between the two
	Linear                // metres per second
	Angular               // radians per second
	Asleep                // no unit: one of the two sleeps
)

var fieldInfo = [...]struct{ name, unit string }{{"position", "m"}, {"rotation", "rad"}, {"linear", "m/s"}, {"angular", "rad/s"}, {"asleep", ""}}

// String returns the field's name.
func (f Field) String() string { return fieldInfo[f].name }

// Unit returns the unit of the field's differences, empty if they have none.
func (f Field) Unit() string { return fieldInfo[f].unit }

// Cause is what a strategy knows of the cause of a correction.
type Cause uint8

// The causes. The server tells with every state what the players did in the
// tick that made it, so a client sees if it stepped that tick otherwise; what
// happened in a tick before, whose state was lost, it cannot know.
const (
	CauseUnknown Cause = iota
	LocalInput         // the server did not use the player's input of the tick before: it came late or never
	RemoteInput        // another player did otherwise than the client had assumed
	ClockReset         // the client had fallen behind the server, and took its state as it was
)

var causeNames = [...]string{"unknown", "own-input", "others-input", "behind"}

// String returns the cause's name.
func (w Cause) String() string { return causeNames[w] }

// Describe says in a few words what was off, and by how much.
func (c *Correction) Describe() string {
	if c.Field == Asleep {
		return "asleep"
	}
	return c.Field.String() + " by " + strconv.FormatFloat(float64(c.Amount), 'g', 3, 32) + " " + c.Field.Unit()
}

// Difference is how far two states of a body are apart, field by field.
type Difference struct {
	Position, Rotation, Linear, Angular float32 // in the units of the fields

	ServerAsleep bool // the one asked about sleeps, and the other does not
}

// Diff returns how far the server's word of a body is from what the client
// had.
func Diff(word, had *sim.Body) Difference {
	return Difference{
		Position:     word.Pose.Pos.Sub(had.Pose.Pos).Len(),
		Rotation:     word.Pose.Rot.Mul(had.Pose.Rot.Inverse()).Angle(),
		Linear:       word.Linear.Sub(had.Linear).Len(),
		Angular:      word.Angular.Sub(had.Angular).Len(),
		ServerAsleep: word.Asleep && !had.Asleep,
	}
}

// MaxError returns by how many metres the difference sets the farthest point of a
// body apart, which is reach metres from its middle: where it is, or where its
// velocities have brought it in so many seconds.
func (d *Difference) MaxError(reach, seconds float32) float32 {
	return max(d.poseError(reach), d.velocityError(reach, seconds))
}

func (d *Difference) poseError(reach float32) float32 {
	return max(d.Position, float32(d.Rotation*reach))
}

func (d *Difference) velocityError(reach, seconds float32) float32 {
	return float32(max(d.Linear, float32(d.Angular*reach)) * seconds)
}

// RootField returns the field that the others follow from, and how far off it is.
// The two were the same seconds before. A pose that is off by no more than twice
// what the velocities explain in that time is off because of them, and those
// because of sleep if the server's body sleeps; else where it is has changed by
// itself. Of two that qualify it is the one that moves the body more.
func (d *Difference) RootField(reach, seconds float32) (f Field, by float32) {
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
