package measure

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"ghostcube/net/link"
)

// Result is a measurement. One-way delays need a common clock, which two machines do not have: the rate of the other clock
// is fitted to the fastest probes of both directions, and its offset so that the fastest took equally long both ways. An
// error of that offset, at most half the smallest round trip, moves all delays of a direction alike. Round trips, the
// spread of the delays, losses and reordering do not depend on it.
type Result struct {
	RoundTrip Distribution // without the time that the echo took
	Drift     float64      // by how much the other clock is faster, 1e-6 is a second in 11.6 days
	Up, Down  Direction    // to the echo and back
}

// Direction is what one direction did.
type Direction struct {
	Sent, Lost   int
	Bursts       int // runs of losses
	LongestBurst int // losses
	Reordered    int // arrived after one that was sent later (RFC 4737)
	Delay        Distribution

	samples []sample
}

// sample is a probe, or its answer.
type sample struct {
	due    time.Duration // when the probe was to be sent, since the first
	delay  time.Duration
	isLost bool
}

// Distribution summarises durations. All are 0 if there is none.
type Distribution struct {
	Mean, Deviation, Min, P50, P95, P99, Max time.Duration
}

// newDistribution returns the summary of durations, which it sorts.
func newDistribution(all []time.Duration) (d Distribution) {
	if len(all) == 0 {
		return d
	}
	slices.Sort(all)
	sum, squares := 0.0, 0.0
	for _, x := range all {
		sum += float64(x)
	}
	mean := sum / float64(len(all))
	for _, x := range all {
		distance := float64(x) - mean
		squares += float64(distance * distance)
	}
	quantile := func(percent int) time.Duration { return all[(len(all)-1)*percent/100] }
	return Distribution{
		Mean: time.Duration(mean), Deviation: time.Duration(math.Sqrt(squares / float64(len(all)))),
		Min: all[0], P50: quantile(50), P95: quantile(95), P99: quantile(99), Max: all[len(all)-1],
	}
}

// Result returns what has been measured so far, of at most Count probes.
func (p *Prober) Result() *Result {
	r := &Result{}
	records := p.records[:min(len(p.records), p.config.Count)]
	var up, down []point
	for i := range records {
		if x := &records[i]; x.isBack {
			up = append(up, point{x.sent, x.arrived - x.sent})
			down = append(down, point{x.returned, x.returned - x.echoed})
		}
	}
	if len(up) == 0 {
		return r
	}
	slices.SortStableFunc(down, func(a, b point) int { return int(a.at - b.at) })
	r.Drift = (slope(up) - slope(down)) / 2
	start := records[0].sent
	drifted := func(at time.Duration) time.Duration { return time.Duration(r.Drift * float64(at-start)) }
	upDelay := func(x *record) time.Duration { return x.arrived - x.sent - drifted(x.sent) }
	downDelay := func(x *record) time.Duration { return x.returned - x.echoed + drifted(x.returned) }
	fastestUp, fastestDown := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var trips []time.Duration
	for i := range records {
		if x := &records[i]; x.isBack {
			fastestUp, fastestDown = min(fastestUp, upDelay(x)), min(fastestDown, downDelay(x))
			trips = append(trips, upDelay(x)+downDelay(x))
		}
	}
	r.RoundTrip = newDistribution(trips)
	offset := (fastestUp - fastestDown) / 2
	upDelays, downDelays := make([]time.Duration, len(records)), make([]time.Duration, len(records))
	for i := range records {
		upDelays[i], downDelays[i] = upDelay(&records[i])-offset, downDelay(&records[i])+offset
	}
	r.Up.add(p, records, upDelays, func(x *record) (bool, bool) { return x.up == missing, x.isBack })
	r.Down.add(p, records, downDelays, func(x *record) (bool, bool) { return x.up == arrived && !x.isBack, x.isBack })
	r.countReordered(p)
	return r
}

// add adds the samples of all records that have arrived or are lost. A probe whose answer is lost has arrived, but its
// delay is not known: the sample takes that of the one before.
func (d *Direction) add(p *Prober, records []record, delays []time.Duration, of func(*record) (isLost, hasDelay bool)) {
	var known []time.Duration
	run := 0
	for i := range records {
		isLost, hasDelay := of(&records[i])
		hasArrived := records[i].up == arrived && !isLost
		if !isLost && !hasArrived {
			continue
		}
		s := sample{due: time.Duration(i) * p.config.Interval, isLost: isLost}
		if hasDelay {
			known = append(known, delays[i])
		}
		if len(known) > 0 {
			s.delay = known[len(known)-1]
		}
		d.samples = append(d.samples, s)
		d.Sent++
		if hasArrived {
			run = 0
			continue
		}
		d.Lost++
		if run++; run == 1 {
			d.Bursts++
		}
		d.LongestBurst = max(d.LongestBurst, run)
	}
	d.Delay = newDistribution(known)
}

// countReordered counts the probes that arrived at the echo after a later one, and the answers that came back so.
func (r *Result) countReordered(p *Prober) {
	newest := int64(-1)
	for _, number := range p.returns {
		x := &p.records[number]
		if number < p.config.Count && int64(x.count) < newest {
			r.Down.Reordered++
		}
		newest = max(newest, int64(x.count))
	}
	arrivals := slices.Clone(p.returns)
	slices.SortStableFunc(arrivals, func(a, b int) int { return int(int64(p.records[a].count) - int64(p.records[b].count)) })
	latest := -1
	for _, number := range arrivals {
		if number < latest && number < p.config.Count {
			r.Up.Reordered++
		}
		latest = max(latest, number)
	}
}

// LossRatio returns the share of what was sent that did not arrive.
func (d *Direction) LossRatio() float64 { return float64(d.Lost) / float64(max(d.Sent, 1)) }

// MeanBurst returns the mean length of a run of losses, 0 without any.
func (d *Direction) MeanBurst() float64 { return float64(d.Lost) / float64(max(d.Bursts, 1)) }

// WriteTrace writes the direction as a file that link.ReadTrace reads. Samples have the times at which probes were due. A
// measurement too long for a trace is thinned out to every second probe, or third, and so on, which keeps the share of
// losses. Each line of the comment becomes a comment of the file.
func (d *Direction) WriteTrace(w io.Writer, comment string) error {
	head := ""
	for line := range strings.SplitSeq(comment, "\n") {
		head += "# " + line + "\n"
	}
	for every := 1; ; every++ {
		text := d.trace(every)
		_, err := link.ReadTrace(strings.NewReader(text))
		if err != nil && every < len(d.samples) { // too long
			continue
		}
		if err == nil {
			_, err = io.WriteString(w, head+text)
		}
		return err
	}
}

// trace returns the text of a trace, with one of every so many samples.
func (d *Direction) trace(every int) string {
	var b strings.Builder
	b.WriteString("time_ms,delay_ms,lost\n")
	for i := 0; i < len(d.samples); i += every {
		s := &d.samples[i]
		if s.isLost {
			fmt.Fprintf(&b, "%s,,1\n", milliseconds(s.due))
		} else {
			fmt.Fprintf(&b, "%s,%s,0\n", milliseconds(s.due), milliseconds(max(s.delay, 0)))
		}
	}
	return b.String()
}

// milliseconds returns a duration in milliseconds, to the microsecond.
func milliseconds(d time.Duration) string {
	us := d.Microseconds()
	return fmt.Sprintf("%d.%03d", us/1000, us%1000)
}
