package link

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Conditions say how bad one direction of a link is. The zero value is a
// perfect wire.
type Conditions struct {
	Latency    time.Duration // one way
	SeatSpread time.Duration // each seat is so much farther away than the one before it, one way
	Jitter     time.Duration // scale of the random extra delay
	Shape      Shape         // of the random extra delay

	Loss      float64 // chance in [0,1] that a datagram vanishes
	Burst     float64 // mean length of a run of losses, in 1/60 s; up to 1: every datagram for itself
	Duplicate float64 // chance in [0,1] that a datagram arrives twice

	Reorder      float64       // chance in [0,1] that a datagram is held back
	ReorderDelay time.Duration // for so long

	SpikeChance float64       // chance in [0,1] that a datagram is late
	Spike       time.Duration // by so much

	SwingEvery time.Duration // period in which two things rise from nothing and fall again, in straight lines:
	Swing      time.Duration // by so much, at most, the latency grows
	SwingLoss  float64       // chance in [0,1], at most, that a datagram vanishes, whatever Loss says

	Trace *Trace // a measured path under all of it; nil: none

	PauseEvery, Pause   time.Duration // at the end of each period nothing passes for a while, and waits
	OutageEvery, Outage time.Duration // at the end of each period nothing passes for a while, and is lost

	Bandwidth int           // bits per second, headers included; 0: no limit
	Bucket    int           // bytes, headers included, that may pass at once after a rest; 0: none, all is sent at the rate
	Queue     time.Duration // how long a datagram may wait for its turn; what would wait longer is lost
}

// Shape is the distribution of the random extra delay.
type Shape uint8

// The shapes. Whatever is drawn, a delay is never below zero.
const (
	Uniform         Shape = iota // from -Jitter to +Jitter
	UniformPositive              // from 0 to Jitter
	Normal                       // standard deviation Jitter
	Gamma                        // mean Jitter, skewed to the right
	LongTail                     // log-normal: median Jitter, one in a hundred above ten times that
)

var shapeNames = []string{"uniform", "uniform-positive", "normal", "gamma", "long-tail"}

// String returns the shape's name.
func (s Shape) String() string { return shapeNames[s] }

// UnknownNameError is the error for a name that nothing answers to.
type UnknownNameError struct {
	Kind, Name string
	Choices    []string
}

func (u *UnknownNameError) Error() string {
	return fmt.Sprintf("no %s %q (there are %s)", u.Kind, u.Name, strings.Join(u.Choices, ", "))
}

// Names returns what was asked for and what there is, for a hint.
func (u *UnknownNameError) Names() (kind, name string, known []string) {
	return u.Kind, u.Name, u.Choices
}

// A param is one number of the conditions, as text sees it.
type param struct {
	name string
	help string
	set  func(*Conditions, string) error
	get  func(*Conditions) string // empty: as the zero value
}

const maxDuration = 60 * time.Second // of any delay or period a text may ask for

func durationParam(name, help string, most time.Duration, field func(*Conditions) *time.Duration) param {
	return param{name, fmt.Sprintf("%s, 0s to %v", help, most), func(c *Conditions, v string) error {
		d, err := parseDuration(v)
		if err != nil || d < 0 || d > most {
			return fmt.Errorf("%s=%s: want a duration from 0s to %v, such as 75ms", name, v, most)
		}
		*field(c) = d
		return nil
	}, func(c *Conditions) string {
		if d := *field(c); d != 0 {
			return d.String()
		}
		return ""
	}}
}

// parseDuration is time.ParseDuration that takes a bare 0 and refuses what is
// finer than a microsecond, which no weather means.
func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err == nil && d%time.Microsecond != 0 {
		err = fmt.Errorf("finer than a microsecond")
	}
	return d, err
}

func probabilityParam(name, help string, field func(*Conditions) *float64) param {
	return param{name, help + ", 0% to 100%", func(c *Conditions, v string) error {
		f, ok := parseProbability(v)
		if !ok {
			return fmt.Errorf("%s=%s: want a share from 0%% to 100%%, such as 2.5%% or 0.025", name, v)
		}
		*field(c) = f
		return nil
	}, func(c *Conditions) string {
		if f := *field(c); f != 0 {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return ""
	}}
}

func parseProbability(v string) (float64, bool) {
	number, percent := strings.CutSuffix(v, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	return f, err == nil && f >= 0 && f <= 1 // a NaN is neither
}

var params = []param{
	durationParam("latency", "one-way delay", maxDuration, func(c *Conditions) *time.Duration { return &c.Latency }),
	{"rtt", "round-trip delay, half of it each way, 0s to 2m0s", func(c *Conditions, v string) error {
		d, err := parseDuration(v)
		if err != nil || d < 0 || d > 2*maxDuration {
			return fmt.Errorf("rtt=%s: want a duration from 0s to %v, such as 150ms", v, 2*maxDuration)
		}
		c.Latency = (d / 2).Truncate(time.Microsecond)
		return nil
	}, func(*Conditions) string { return "" }},
	durationParam("latency-per-player", "one-way delay by which each further player is farther away than the one before", 10*time.Second, func(c *Conditions) *time.Duration { return &c.SeatSpread }),
	durationParam("jitter", "scale of the random extra delay", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Jitter }),
	{"shape", "of the extra delay: " + strings.Join(shapeNames, ", "), func(c *Conditions, v string) error {
		for i, n := range shapeNames {
			if n == v {
				c.Shape = Shape(i)
				return nil
			}
		}
		return &UnknownNameError{"jitter shape", v, shapeNames}
	}, func(c *Conditions) string {
		if c.Shape != 0 {
			return c.Shape.String()
		}
		return ""
	}},
	probabilityParam("loss", "chance that a datagram vanishes", func(c *Conditions) *float64 { return &c.Loss }),
	{"burst", "mean length of a run of losses in 1/60 s, 0 to 600", func(c *Conditions, v string) error {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f >= 0 && f <= 600) {
			return fmt.Errorf("burst=%s: want a number from 0 to 600 (in 1/60 s)", v)
		}
		c.Burst = f
		return nil
	}, func(c *Conditions) string {
		if c.Burst != 0 {
			return strconv.FormatFloat(c.Burst, 'g', -1, 64)
		}
		return ""
	}},
	probabilityParam("duplicate", "chance that a datagram arrives twice", func(c *Conditions) *float64 { return &c.Duplicate }),
	probabilityParam("reorder", "chance that a datagram is held back", func(c *Conditions) *float64 { return &c.Reorder }),
	durationParam("reorder-delay", "how long it is held back", 10*time.Second, func(c *Conditions) *time.Duration { return &c.ReorderDelay }),
	probabilityParam("spike-chance", "chance that a datagram is late", func(c *Conditions) *float64 { return &c.SpikeChance }),
	durationParam("spike", "by how much", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Spike }),
	durationParam("swing-every", "period in which the next two rise from nothing and fall again", maxDuration, func(c *Conditions) *time.Duration { return &c.SwingEvery }),
	durationParam("swing", "latency added in the middle of the period", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Swing }),
	probabilityParam("swing-loss", "chance in the middle of the period that a datagram vanishes, besides loss", func(c *Conditions) *float64 { return &c.SwingLoss }),
	{"trace", "a measured path under all of it, or none", func(c *Conditions, v string) error {
		if v == "none" {
			c.Trace = nil
			return nil
		}
		t, err := parseTrace(v)
		if err != nil {
			return err
		}
		c.Trace = t
		return nil
	}, func(c *Conditions) string {
		if c.Trace != nil {
			return c.Trace.String()
		}
		return ""
	}},
	durationParam("pause-every", "period of pauses, in which everything waits", maxDuration, func(c *Conditions) *time.Duration { return &c.PauseEvery }),
	durationParam("pause", "length of a pause", maxDuration, func(c *Conditions) *time.Duration { return &c.Pause }),
	durationParam("outage-every", "period of outages, in which everything is lost", maxDuration, func(c *Conditions) *time.Duration { return &c.OutageEvery }),
	durationParam("outage", "length of an outage", maxDuration, func(c *Conditions) *time.Duration { return &c.Outage }),
	{"bandwidth", "limit with headers, such as 256kbit; 0 for none, else 1kbit to 1gbit", func(c *Conditions, v string) error {
		b, ok := parseBandwidth(v)
		if !ok {
			return fmt.Errorf("bandwidth=%s: want 0 or a rate from 1kbit to 1gbit, such as 256kbit", v)
		}
		c.Bandwidth = b
		return nil
	}, func(c *Conditions) string {
		if c.Bandwidth != 0 {
			return strconv.Itoa(c.Bandwidth)
		}
		return ""
	}},
	{"bucket", "burst that passes the limit at once after a rest, with headers, such as 15kB; 0B to 1MB", func(c *Conditions, v string) error {
		b, ok := parseBytes(v)
		if !ok {
			return fmt.Errorf("bucket=%s: want 0B to 1MB, such as 15kB", v)
		}
		c.Bucket = b
		return nil
	}, func(c *Conditions) string {
		if c.Bucket != 0 {
			return strconv.Itoa(c.Bucket) + "B"
		}
		return ""
	}},
	durationParam("queue", "longest wait before the limit", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Queue }),
}

// units are the suffixes of an amount, the longer ones before those that end
// them.
type units []struct {
	suffix string
	unit   float64
}

var (
	bitRateUnits = units{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {"bit", 1}}
	byteUnits    = units{{"kb", 1e3}, {"mb", 1e6}, {"b", 1}}
)

// parse reads an amount. A number alone is in the smallest unit.
func (list units) parse(v string) (float64, bool) {
	unit := 1.0
	v = strings.ToLower(v)
	for _, u := range list {
		if n, ok := strings.CutSuffix(v, u.suffix); ok {
			v, unit = n, u.unit
			break
		}
	}
	f, err := strconv.ParseFloat(v, 64)
	return float64(f * unit), err == nil && f >= 0 // a NaN is not
}

func parseBandwidth(v string) (int, bool) {
	f, ok := bitRateUnits.parse(v)
	if !ok || f != 0 && !(f >= 1e3 && f <= 1e9) {
		return 0, false
	}
	return int(f), true
}

func parseBytes(v string) (int, bool) {
	f, ok := byteUnits.parse(v)
	if !ok || f > 1e6 {
		return 0, false
	}
	return int(f), true
}

// paramNames returns the names that Set and Parse know.
func paramNames() []string {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	return names
}

// set sets one number of the weather by name: "latency" sets both directions,
// "up.latency" and "down.latency" one of them.
func (w *Network) set(name, value string) error {
	both, key := true, name
	var one *Conditions
	if k, ok := strings.CutPrefix(name, "up."); ok {
		both, key, one = false, k, &w.Up
	} else if k, ok := strings.CutPrefix(name, "down."); ok {
		both, key, one = false, k, &w.Down
	}
	for _, p := range params {
		if p.name != key {
			continue
		}
		if !both {
			return p.set(one, value)
		}
		if err := p.set(&w.Up, value); err != nil {
			return err
		}
		if err := p.set(&w.Down, value); err != nil {
			return err
		}
		if p.name == "trace" { // one trace, so that equal conditions are ==
			w.Down.Trace = w.Up.Trace
		}
		return nil
	}
	return &UnknownNameError{"network condition", name, append(paramNames(), "up.* and down.* for one direction")}
}

// Parse sets the conditions of w, seed and forced faults apart, from a text:
// the name of a preset, or numbers such as "latency=75ms,loss=25%", or a
// preset and numbers after it.
func (w *Network) Parse(text string) error {
	next := Network{Seed: w.Seed, Blackout: w.Blackout}
	for i, item := range strings.Split(text, ",") {
		item = strings.TrimSpace(item)
		name, value, assigned := strings.Cut(item, "=")
		switch {
		case assigned:
			if err := next.set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
				return err
			}
		case i == 0:
			p, err := profileNamed(item)
			if err != nil {
				return err
			}
			next.Up, next.Down = p.Up, p.Down
		default:
			return fmt.Errorf("%q: want a number such as loss=5%% (a preset's name comes first)", item)
		}
	}
	if err := next.validate(); err != nil {
		return err
	}
	*w = next
	return nil
}

// validate refuses what single numbers cannot show to be absurd.
func (w *Network) validate() error {
	for _, c := range []*Conditions{&w.Up, &w.Down} {
		if c.SwingEvery < time.Millisecond && (c.SwingEvery > 0 || c.Swing > 0 || c.SwingLoss > 0) {
			return fmt.Errorf("swing-every=%v: want a period from 1ms for swing and swing-loss, such as 8s", c.SwingEvery)
		}
		if c.Pause > c.PauseEvery {
			return fmt.Errorf("pause=%v is longer than its period pause-every=%v", c.Pause, c.PauseEvery)
		}
		if c.Outage > c.OutageEvery {
			return fmt.Errorf("outage=%v is longer than its period outage-every=%v", c.Outage, c.OutageEvery)
		}
		if c.Bucket > 0 && c.Bandwidth == 0 {
			return fmt.Errorf("bucket=%dB without a limit to pass: say bandwidth=256kbit", c.Bucket)
		}
		if c.Reorder > 0 && c.ReorderDelay == 0 {
			return fmt.Errorf("reorder=%g holds datagrams back for no time: say reorder-delay=50ms", c.Reorder)
		}
		if c.SpikeChance > 0 && c.Spike == 0 {
			return fmt.Errorf("spike-chance=%g makes datagrams late by nothing: say spike=150ms", c.SpikeChance)
		}
	}
	return nil
}

// String returns a text from which Parse makes the same conditions. A trace
// stands in it whole, so that a tape needs no other file.
func (w *Network) String() string { return w.format(func(v string) string { return v }) }

// Summary is String for a reader: a trace is named by its size and a hash.
func (w *Network) Summary() string {
	return w.format(func(v string) string {
		for _, t := range []*Trace{w.Up.Trace, w.Down.Trace} {
			if t != nil && t.String() == v {
				return t.summary()
			}
		}
		return v
	})
}

func (w *Network) format(value func(string) string) string {
	var items []string
	for _, p := range params {
		up, down := p.get(&w.Up), p.get(&w.Down)
		switch {
		case up == down && up != "":
			items = append(items, p.name+"="+value(up))
		case up != down:
			if up != "" {
				items = append(items, "up."+p.name+"="+value(up))
			}
			if down != "" {
				items = append(items, "down."+p.name+"="+value(down))
			}
		}
	}
	if len(items) == 0 {
		return "perfect"
	}
	return strings.Join(items, ",")
}

// ParamHelp returns the name of each number and a line about it.
func ParamHelp() [][2]string {
	var list [][2]string
	for _, p := range params {
		list = append(list, [2]string{p.name, p.help})
	}
	return list
}
