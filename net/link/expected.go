package link

import (
	"math"
	"time"
)

// Expected is what conditions come to on an average datagram, one way. It leaves
// out what depends on the traffic: a bandwidth limit and its queue.
type Expected struct {
	Lost       float64       // share
	Duplicated float64       // share of those that are not lost
	Delayed    float64       // share of those
	Mean       time.Duration // of the delay of those
	Deviation  time.Duration // of that delay, its standard deviation
}

// Expect says what the conditions ask for, as a meter would measure it over a
// long time. Where jitter may be larger than the latency the delays cut off at
// zero are counted as such, as far as neither swing nor trace is about.
func (c *Conditions) Expect() Expected {
	// What is independent of each other: chances multiply, variances add.
	kept := float64((1 - c.Loss) * (1 - float64(c.SwingLoss/2))) // the mean of a triangle is half its height
	if c.OutageEvery > 0 {
		kept = float64(kept * (1 - c.Outage.Seconds()/c.OutageEvery.Seconds()))
	}
	mean, variance := c.expectJitter() // seconds, and their squares
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
		// Of what arrives: where the delay is long, more is lost. The height u of
		// the triangle is even in [0,1], and 1-au of what is sent there arrives.
		a := c.SwingLoss
		add(float64(s*(1.0/2-a/3))/(1-float64(a/2)), float64(float64(s*s)*(1.0/3-float64(a/4)))/(1-float64(a/2)))
	}
	if p := c.Pause.Seconds(); p > 0 && c.PauseEvery > 0 { // in a pause the wait is anything from 0 to p
		within := p / c.PauseEvery.Seconds()
		add(float64(within*p/2), float64(within*float64(p*p))/3)
	}
	if t := c.Trace; t != nil {
		var whole, arrive, m, square float64
		for i, s := range t.samples {
			end := t.length
			if i+1 < len(t.samples) {
				end = t.samples[i+1].at
			}
			holds, d := (end - s.at).Seconds(), s.delay.Seconds()
			if whole += holds; !s.lost {
				arrive += holds
				m += float64(holds * d)
				square += float64(holds * float64(d*d))
			}
		}
		kept = float64(kept * (arrive / whole))
		if arrive > 0 {
			add(m/arrive, square/arrive)
		}
	}
	return Expected{
		Lost: 1 - kept, Duplicated: c.Duplicate, Delayed: c.Reorder,
		Mean:      time.Duration(float64(mean * float64(time.Second))),
		Deviation: time.Duration(float64(math.Sqrt(max(variance, 0)) * float64(time.Second))),
	}
}

// expectJitter returns the mean and the variance of latency and jitter
// together, in seconds: it goes through the distribution in even steps.
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
