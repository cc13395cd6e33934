package gamelog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"ghostcube/net/link"
	"ghostcube/sim"
)

// Bounds of a recording. The text of a trace has a limit.
const (
	maxRecordedKeys    = 100_000
	maxRecordedSamples = 2000 // datagrams, or times of lines c, in each direction
)

// Recording has what a session needs to repeat the beginning of a log: its key presses, and the outcomes of its datagrams.
// The zero value is ready.
type Recording struct {
	Film *Film // also what the log shows; nil: not

	started bool
	began   int64 // microseconds, of the first line with a time
	end     int64 // until when everything is recorded
	full    bool  // the log goes on after that
	rate    int
	keys    []keyChange
	ways    [2][]datagram // up, down
	clocks  []datagram    // half the round trip, at the times of lines c
	half    int64         // the newest of them
}

type keyChange struct {
	at   int64 // microseconds
	held sim.Buttons
}

type datagram struct {
	at, delay int64 // microseconds
	lost      bool
}

// add takes a line of the client.
func (r *Recording) add(l *Line) {
	if !r.started {
		r.started, r.began = true, l.Time
		if r.Film != nil {
			r.Film.start = l.Time
		}
	}
	if r.full {
		return
	}
	r.Film.add(l)
	r.end = max(r.end, l.Time)
	switch l.Kind {
	case 'i':
		r.keys = append(r.keys, keyChange{l.Time, l.Keys})
	case 'p':
		way := 1
		if l.Up {
			way = 0
		}
		delay := l.Delay
		if !l.HasDelay {
			delay = r.half
		}
		if delay > 0 || l.HasDelay || l.Lost {
			r.addSample(&r.ways[way], datagram{l.Time, delay, l.Lost})
		}
	case 'c':
		if l.RoundTrip > 0 {
			r.half = l.RoundTrip / 2
			r.addSample(&r.clocks, datagram{l.Time, r.half, false})
		}
	}
	r.full = r.Film.isFull() || len(r.keys) == maxRecordedKeys || max(len(r.ways[0]), len(r.ways[1]), len(r.clocks)) == maxRecordedSamples
}

// addSample appends a sample. Of several at one time, or late ones, the first counts.
func (r *Recording) addSample(list *[]datagram, d datagram) {
	if n := len(*list); n == 0 || d.at > (*list)[n-1].at {
		*list = append(*list, d)
	}
}

// Inputs returns the keys that are held in each tick, and whether the log continues after the last one.
func (r *Recording) Inputs() (held []sim.Buttons, more bool) {
	next, now := 0, sim.Buttons(0)
	for t := int64(0); r.began+t*1e6/int64(max(r.rate, 1)) <= r.end && r.started; t++ {
		at := r.began + (t+1)*1e6/int64(r.rate)
		for ; next < len(r.keys) && r.keys[next].at < at; next++ {
			now = r.keys[next].held
		}
		held = append(held, now)
	}
	return held, r.full
}

// Network returns the network of the log: the delays and losses of its datagrams. A datagram without a delay has half the newest
// round trip of the clock, and a direction without datagrams is like the other one.
func (r *Recording) Network() (n link.Network, err error) {
	lists := r.ways
	known := func(list []datagram) bool {
		return slices.ContainsFunc(list, func(d datagram) bool { return !d.lost })
	}
	switch up, down := known(lists[0]), known(lists[1]); {
	case up && !down:
		lists[1] = lists[0]
	case down && !up:
		lists[0] = lists[1]
	case !up && len(r.clocks) == 0:
		return n, errors.New("the log has no delays: want field delay in lines p, or rtt in lines c")
	case !up:
		lists = [2][]datagram{r.clocks, r.clocks}
	}
	for i, c := range []*link.Conditions{&n.Up, &n.Down} {
		if c.Trace, err = r.trace(lists[i]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// trace returns samples as a trace.
func (r *Recording) trace(list []datagram) (*link.Trace, error) {
	b := bytes.NewBufferString("time_us,delay_us,lost\n")
	for len(list) > 1 && list[1].at <= r.began {
		list = list[1:] // other threads may have written datagrams from before the first line
	}
	list = slices.Clone(list)
	list[0].at = r.began // the first sample also counts for the time before it
	for _, d := range list {
		lost := 0
		if d.lost {
			lost = 1
		}
		fmt.Fprintf(b, "%d,%d,%d\n", d.at-r.began, d.delay, lost)
	}
	return link.ReadTrace(b)
}
