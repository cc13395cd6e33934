package link

import (
	"math"
	"time"
)

// Expected is the expected outcome of a datagram, one way. It leaves out effects of the
// traffic itself: a bandwidth limit and its queue.
type Expected struct {
	Lost       float64       // share of all
	Duplicated float64       // share of those delivered
	Delayed    float64       // share of those delivered that are reordered
	Corrupted  float64       // share of those delivered that are damaged
	Foreign    float64       // datagrams of other programs per datagram sent
	Mean       time.Duration // mean delay of those delivered
	Deviation  time.Duration // standard deviation of that delay
}

// Expect returns the long-term averages of the conditions. Delays cut off at zero,
// where jitter exceeds the latency, are accounted for unless there is a swing or a
// trace.
func (c *Conditions) Expect() Expected {
	// Independent effects: probabilities multiply, variances add.
	delivered := float64((1 - c.Loss) * (1 - float64(c.SwingLoss/2))) // the mean of a triangle is half its height
	connected := 1.0                                                  // share of the time without an outage
	if c.OutageEvery > 0 {
		connected = 1 - c.Outage.Seconds()/c.OutageEvery.Seconds()
	}
	mean, variance := c.expectJitter() // seconds and seconds squared
	add := func(m, square float64) {
		mean += m
		variance += square - float64(m*m)
	}
	twoValued := func(p float64, d time.Duration) {
		add(float64(p*d.Seconds()), float64(p*float64(d.Seconds()*d.Seconds())))
	}
	twoValued(c.SpikeChance, c.Spike)
	twoValued(c.Reorder, c.ReorderDelay)
	if s := c.Swing.Seconds(); s > 0 {
		// Where the swing delays more, it also loses more. The height u of the triangle
		// is uniform in [0,1], and a share of 1-au arrives.
		a := c.SwingLoss
		add(float64(s*(1.0/2-a/3))/(1-float64(a/2)), float64(float64(s*s)*(1.0/3-float64(a/4)))/(1-float64(a/2)))
	}
	if p := c.Pause.Seconds(); p > 0 && c.PauseEvery > 0 { // within a pause the wait is uniform from 0 to p
		within := p / c.PauseEvery.Seconds()
		add(float64(within*p/2), float64(within*float64(p*p))/3)
	}
	if t := c.Trace; t != nil {
		var total, arrived, m, square float64
		for i, s := range t.samples {
			end := t.length
			if i+1 < len(t.samples) {
				end = t.samples[i+1].at
			}
			duration, d := (end - s.at).Seconds(), s.delay.Seconds()
			if total += duration; !s.lost {
				arrived += duration
				m += float64(duration * d)
				square += float64(duration * float64(d*d))
			}
		}
		connected = float64(connected * (arrived / total))
		if arrived > 0 {
			add(m/arrived, square/arrived)
		}
	}
	return Expected{
		Lost: 1 - float64(delivered*connected), Duplicated: c.Duplicate, Delayed: c.Reorder, Corrupted: c.Corrupt, Foreign: float64(c.Foreign * connected),
		Mean:      time.Duration(float64(mean * float64(time.Second))),
		Deviation: time.Duration(float64(math.Sqrt(max(variance, 0)) * float64(time.Second))),
	}
}

// expectJitter returns the mean and variance of latency plus jitter, in seconds. It
// integrates the distribution in even steps.
func (c *Conditions) expectJitter() (mean, variance float64) {
	const steps = 1 << 14
	var square float64
	for i := range uint64(steps) {
		d := c.Latency
		if c.Jitter > 0 {
			d += c.Shape.draw(c.Jitter, (2*i+1)<<(63-14))
		}
		if d < 0 && c.Swing == 0 && c.Trace == nil {
			d = 0
		}
		s := d.Seconds()
		mean += float64(s / steps)
		square += float64(s * s / steps)
	}
	return mean, square - float64(mean*mean)
}
