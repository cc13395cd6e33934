package stage

import (
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// bodyErrors finds the newest known path error of each body of a pane: the distance from its drawn position to
// the server's at the moment that the view claims to show. A body that is drawn ahead of the server waits until the
// server is there.
type bodyErrors struct {
	rows     []drawnRow // a ring, by tick
	count    int        // rows so far
	compared [2]int     // count at the newest row that was compared, for the bodies of View.Others and of View.Own
	metres   []float32  // by body; negative: not compared yet
}

// drawnRow is what a client drew in a tick.
type drawnRow struct {
	moments   [2]sim.Moment // View.Others and View.Own
	predicted []bool        // by body; empty if there are none
	positions []geom.Vec3   // metres, by body
}

// bodyErrorSeconds is how far ahead of the server a body can be drawn and still be compared.
const bodyErrorSeconds = 2

// notCompared is the error of a body that could not be compared yet.
const notCompared = -1

// add adds what the client draws and compares the newest rows whose moments the server has reached.
func (e *bodyErrors) add(p *pane) {
	v, world := &p.source.Clients[p.client].View, p.source.ServerWorld
	if len(e.rows) == 0 {
		e.start(bodyErrorSeconds*world.Rate(), len(world.Bodies()))
	}
	if len(v.Bodies) == 0 || v.Others <= 0 { // the client has received no state
		return
	}
	row := &e.rows[e.count%len(e.rows)]
	row.moments = [2]sim.Moment{v.Others, v.Own}
	row.predicted, row.positions = append(row.predicted[:0], v.Predicted...), row.positions[:0]
	for i := range v.Bodies {
		row.positions = append(row.positions, v.Bodies[i].Pos)
	}
	e.count++
	for group := range e.compared {
		for n := e.count; n > max(e.compared[group], e.count-len(e.rows)); n-- {
			if row := &e.rows[(n-1)%len(e.rows)]; row.moments[group] <= world.Tick().Moment() {
				e.compare(p, row, group)
				e.compared[group] = n
				break
			}
		}
	}
}

// start allocates the memory of all rows at once.
func (e *bodyErrors) start(rows, bodies int) {
	*e = bodyErrors{rows: make([]drawnRow, rows), metres: make([]float32, bodies)}
	predicted, positions := make([]bool, rows*bodies), make([]geom.Vec3, rows*bodies)
	for i := range e.rows {
		e.rows[i].predicted, e.rows[i].positions = predicted[i*bodies:i*bodies:(i+1)*bodies], positions[i*bodies:i*bodies:(i+1)*bodies]
	}
	for i := range e.metres {
		e.metres[i] = notCompared
	}
}

// compare compares the bodies of a row that are predicted, for group 1, or those that are not. A moment that the
// score has forgotten leaves their errors as they are.
func (e *bodyErrors) compare(p *pane, row *drawnRow, group int) {
	server, ok := p.source.Score.ServerPositions(row.moments[group])
	if !ok {
		return
	}
	for i := range min(len(row.positions), len(e.metres), server.Len()) {
		if predicted := i < len(row.predicted) && row.predicted[i]; predicted == (group == 1) {
			e.metres[i] = row.positions[i].Sub(server.Of(i)).Len()
		}
	}
}

// clone returns a copy that shares nothing with e.
func (e *bodyErrors) clone() bodyErrors {
	c := *e
	c.rows, c.metres = append([]drawnRow(nil), e.rows...), append([]float32(nil), e.metres...)
	for i := range c.rows {
		r := &c.rows[i]
		r.predicted, r.positions = append([]bool(nil), r.predicted...), append([]geom.Vec3(nil), r.positions...)
	}
	return c
}

// Errors at the stops of the ramp between none and the last, in micrometres.
const (
	firstErrorStop = 10_000
	lastErrorStop  = 1_000_000
)

// errorFraction returns the share of the ramp for a path error in metres: linear up to 1 cm, the first third, and
// logarithmic from there to 1 m.
func errorFraction(metres float32) float32 {
	um := int64(min(metres, 1) * lastErrorStop)
	if um < firstErrorStop {
		return float32(um) / (3 * firstErrorStop)
	}
	from := log2(firstErrorStop)
	return 1./3 + float32(2./3*(log2(um)-from)/(log2(lastErrorStop)-from))
}

// errorColor returns the colour of a path error in metres; negative: not compared yet.
func errorColor(metres float32) (c render.Color) {
	if metres < 0 {
		return UnknownColor
	}
	return MixRamp(ErrorRamp[:], errorFraction(metres))
}
