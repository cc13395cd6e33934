package link

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Conditions describe one direction of a link. The zero value is a perfect wire.
type Conditions struct {
	Latency          time.Duration // one way
	LatencyPerPlayer time.Duration // one way, added for each further player
	FarPlayer        int           // number of a player, from 1; 0: none
	FarLatency       time.Duration // one way, added on all links of that player
	Jitter           time.Duration // scale of the random extra delay
	Shape            Shape         // distribution of the random extra delay

	Loss      float64 // chance in [0,1] that a datagram is lost
	Burst     float64 // mean length of a run of losses, in 1/60 s; up to 1: losses are independent
	Duplicate float64 // chance in [0,1] that a datagram arrives twice
	Corrupt   float64 // chance in [0,1] that a copy of a datagram arrives with 1 to 8 bits flipped
	Foreign   float64 // chance in [0,1] that a datagram of another program arrives besides

	Reorder      float64       // chance in [0,1] that a datagram is delayed
	ReorderDelay time.Duration // by this much

	SpikeChance float64       // chance in [0,1] that a datagram is delayed
	Spike       time.Duration // by this much

	SwingEvery time.Duration // period of the next two, which rise linearly from 0 and fall again
	Swing      time.Duration // added to the latency, at most
	SwingLoss  float64       // chance in [0,1], at most, that a datagram is lost, besides Loss

	Trace *Trace // measured path, added to the rest; nil: none

	PauseEvery, Pause   time.Duration // nothing passes at the end of each period, datagrams wait
	OutageEvery, Outage time.Duration // nothing passes at the end of each period, datagrams are lost

	Bandwidth int           // bits per second, headers included; 0: no limit
	Bucket    int           // bytes, headers included, that may pass at once after a pause; 0: none
	Queue     time.Duration // longest wait for the limit; datagrams that would wait longer are dropped
}

// Random reports whether outcomes under the conditions may differ by the network's seed.
func (c *Conditions) Random() bool {
	return c.Jitter > 0 || c.Loss > 0 || c.Duplicate > 0 || c.Corrupt > 0 || c.Foreign > 0 || c.Reorder > 0 || c.SpikeChance > 0 ||
		c.SwingEvery > 0 && c.SwingLoss > 0
}

// Shape is the distribution of the random extra delay.
type Shape uint8

// Shapes. The delay is never below zero.
const (
	Uniform         Shape = iota // from -Jitter to +Jitter
	UniformPositive              // from 0 to Jitter
	Normal                       // standard deviation Jitter
	Gamma                        // mean Jitter, skewed to the right
	LongTail                     // log-normal: median Jitter, 1 % above ten times that
)

var shapeNames = []string{"uniform", "uniform-positive", "normal", "gamma", "long-tail"}

// String returns the name of the shape.
func (s Shape) String() string { return shapeNames[s] }

// ShapeNames returns the names of all shapes.
func ShapeNames() []string { return slices.Clone(shapeNames) }

// UnknownNameError is the error for an unknown name.
type UnknownNameError struct {
	Kind, Name string
	Choices    []string
	List       string // command line that lists the known names; empty: that of the kind, if there is one
}

func (u *UnknownNameError) Error() string {
	return fmt.Sprintf("no %s %q (there are %s)", u.Kind, u.Name, strings.Join(u.Choices, ", "))
}

// ListedBy returns the command line that lists the known names, if it is not that of their kind.
func (u *UnknownNameError) ListedBy() string { return u.List }

// Names returns the name asked for and the known ones, for a suggestion.
func (u *UnknownNameError) Names() (kind, name string, known []string) {
	return u.Kind, u.Name, u.Choices
}

// param is one parameter of Conditions in text form.
type param struct {
	name string
	help string
	set  func(*Conditions, string) error
	get  func(*Conditions) string // empty: the default
}

const maxDuration = 60 * time.Second // of any delay or period in text form

func durationParam(name, help string, limit time.Duration, field func(*Conditions) *time.Duration) param {
	return param{name, fmt.Sprintf("%s, 0s to %v", help, limit), func(c *Conditions, v string) error {
		d, err := parseDuration(v)
		if err != nil || d < 0 || d > limit {
			return fmt.Errorf("%s=%s: want a duration from 0s to %v, such as 75ms", name, v, limit)
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

// parseDuration parses a duration of whole microseconds; 0 needs no unit.
func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err == nil && d%time.Microsecond != 0 {
		err = errors.New("finer than a microsecond")
	}
	return d, err
}

func probabilityParam(name, help string, field func(*Conditions) *float64) param {
	return param{name, help + ", 0% to 100%", func(c *Conditions, v string) error {
		f, ok := parseProbability(v)
		if !ok {
			return fmt.Errorf("%s=%s: want a fraction from 0%% to 100%%, such as 2.5%% or 0.025", name, v)
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
	return f, err == nil && f >= 0 && f <= 1 // NaN is not
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
	durationParam("latency-per-player", "one-way delay added for each further player", 10*time.Second,
		func(c *Conditions) *time.Duration { return &c.LatencyPerPlayer }),
	{"far-player", "number of the player whose links add far-latency, up to 8; 0: none", func(c *Conditions, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxPeers {
			return fmt.Errorf("far-player=%s: want 0 to %d", v, maxPeers)
		}
		c.FarPlayer = n
		return nil
	}, func(c *Conditions) string {
		if c.FarPlayer != 0 {
			return strconv.Itoa(c.FarPlayer)
		}
		return ""
	}},
	durationParam("far-latency", "one-way delay added on all links of the player far-player", 10*time.Second,
		func(c *Conditions) *time.Duration { return &c.FarLatency }),
	durationParam("jitter", "scale of the random extra delay", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Jitter }),
	{"shape", "distribution of the extra delay: " + strings.Join(shapeNames, ", "), func(c *Conditions, v string) error {
		for i, n := range shapeNames {
			if n == v {
				c.Shape = Shape(i)
				return nil
			}
		}
		return &UnknownNameError{Kind: "jitter shape", Name: v, Choices: shapeNames}
	}, func(c *Conditions) string {
		if c.Shape != 0 {
			return c.Shape.String()
		}
		return ""
	}},
	probabilityParam("loss", "chance that a datagram is lost", func(c *Conditions) *float64 { return &c.Loss }),
	{"burst", "mean length of a run of losses, in 1/60 s, 0 to 600", func(c *Conditions, v string) error {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f >= 0 && f <= 600) {
			return fmt.Errorf("burst=%s: want a number of 1/60 s from 0 to 600", v)
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
	probabilityParam("corrupt", "chance that a datagram arrives with 1 to 8 bits flipped", func(c *Conditions) *float64 { return &c.Corrupt }),
	probabilityParam("foreign", "chance that a datagram of another program arrives besides", func(c *Conditions) *float64 { return &c.Foreign }),
	probabilityParam("reorder", "chance that a datagram is delayed by reorder-delay", func(c *Conditions) *float64 { return &c.Reorder }),
	durationParam("reorder-delay", "delay of a reordered datagram", 10*time.Second, func(c *Conditions) *time.Duration { return &c.ReorderDelay }),
	probabilityParam("spike-chance", "chance that a datagram is delayed by spike", func(c *Conditions) *float64 { return &c.SpikeChance }),
	durationParam("spike", "delay of a spike", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Spike }),
	durationParam("swing-every", "period of swing and swing-loss, which rise from 0 and fall again", maxDuration,
		func(c *Conditions) *time.Duration { return &c.SwingEvery }),
	durationParam("swing", "latency added in the middle of the period", 10*time.Second, func(c *Conditions) *time.Duration { return &c.Swing }),
	probabilityParam("swing-loss", "chance of loss added in the middle of the period", func(c *Conditions) *float64 { return &c.SwingLoss }),
	{"trace", "measured path whose delay and loss are added, or none", func(c *Conditions, v string) error {
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
	durationParam("pause-every", "period of pauses, in which all datagrams wait", maxDuration, func(c *Conditions) *time.Duration { return &c.PauseEvery }),
	durationParam("pause", "length of a pause", maxDuration, func(c *Conditions) *time.Duration { return &c.Pause }),
	durationParam("outage-every", "period of outages, in which all datagrams are lost", maxDuration, func(c *Conditions) *time.Duration { return &c.OutageEvery }),
	durationParam("outage", "length of an outage", maxDuration, func(c *Conditions) *time.Duration { return &c.Outage }),
	{"bandwidth", "rate limit, headers included, such as 256kbit; 0 for none, else 1kbit to 1gbit", func(c *Conditions, v string) error {
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
	{"bucket", "token bucket: bytes that may pass at once after a pause, headers included, such as 15kB; 0B to 1MB", func(c *Conditions, v string) error {
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
	durationParam("queue", "longest wait for the rate limit, beyond which datagrams are dropped", 10*time.Second,
		func(c *Conditions) *time.Duration { return &c.Queue }),
}

// units are the suffixes of an amount. A suffix comes before those that it ends with.
type units []struct {
	suffix string
	unit   float64
}

var (
	bitRateUnits = units{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {"bit", 1}}
	byteUnits    = units{{"kb", 1e3}, {"mb", 1e6}, {"b", 1}}
)

// parse reads an amount. Without a suffix it is in the smallest unit.
func (u units) parse(v string) (float64, bool) {
	unit := 1.0
	v = strings.ToLower(v)
	for _, one := range u {
		if n, ok := strings.CutSuffix(v, one.suffix); ok {
			v, unit = n, one.unit
			break
		}
	}
	f, err := strconv.ParseFloat(v, 64)
	return float64(f * unit), err == nil && f >= 0 // NaN is not
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

// paramNames returns the names of all parameters.
func paramNames() []string {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	return names
}

// set sets a parameter: "latency" in both directions, "up.latency" and "down.latency"
// in one.
func (n *Network) set(name, value string) error {
	both, key := true, name
	var one *Conditions
	if k, ok := strings.CutPrefix(name, "up."); ok {
		both, key, one = false, k, &n.Up
	} else if k, ok := strings.CutPrefix(name, "down."); ok {
		both, key, one = false, k, &n.Down
	}
	for _, p := range params {
		if p.name != key {
			continue
		}
		if !both {
			return p.set(one, value)
		}
		if err := p.set(&n.Up, value); err != nil {
			return err
		}
		if err := p.set(&n.Down, value); err != nil {
			return err
		}
		if p.name == "trace" { // one trace, so that equal conditions compare equal
			n.Down.Trace = n.Up.Trace
		}
		return nil
	}
	return &UnknownNameError{Kind: "network condition", Name: name, Choices: append(paramNames(), "up.* and down.* for one direction")}
}

// Parse sets the conditions from text: the name of a profile, or parameters such as
// "latency=75ms,loss=25%", or a profile and parameters after it. Seed and Blackout
// stay. After an error the network is unchanged.
func (n *Network) Parse(text string) error {
	next := Network{Seed: n.Seed, Blackout: n.Blackout}
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
			return fmt.Errorf("%q: want a parameter such as loss=5%% (a profile's name comes first)", item)
		}
	}
	if err := next.validate(); err != nil {
		return err
	}
	*n = next
	return nil
}

// validate rejects combinations of parameters that make no sense.
func (n *Network) validate() error {
	for _, c := range []*Conditions{&n.Up, &n.Down} {
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
			return fmt.Errorf("bucket=%dB without a rate limit: add bandwidth, such as bandwidth=256kbit", c.Bucket)
		}
		if c.FarLatency > 0 && c.FarPlayer == 0 {
			return fmt.Errorf("far-latency=%v without a player: add far-player, such as far-player=2", c.FarLatency)
		}
		if c.Reorder > 0 && c.ReorderDelay == 0 {
			return fmt.Errorf("reorder=%g without a delay: add reorder-delay, such as reorder-delay=50ms", c.Reorder)
		}
		if c.SpikeChance > 0 && c.Spike == 0 {
			return fmt.Errorf("spike-chance=%g without a delay: add spike, such as spike=150ms", c.SpikeChance)
		}
	}
	return nil
}

// String returns a text that Parse turns into the same conditions. It contains a trace
// in full, so that a tape needs no other file.
func (n *Network) String() string { return n.format(func(v string) string { return v }) }

// Summary is String for people: a trace appears as its length and a hash.
func (n *Network) Summary() string {
	return n.format(func(v string) string {
		for _, t := range []*Trace{n.Up.Trace, n.Down.Trace} {
			if t != nil && t.String() == v {
				return t.summary()
			}
		}
		return v
	})
}

func (n *Network) format(show func(string) string) string {
	var items []string
	for _, p := range params {
		up, down := p.get(&n.Up), p.get(&n.Down)
		switch {
		case up == down && up != "":
			items = append(items, p.name+"="+show(up))
		case up != down:
			if up != "" {
				items = append(items, "up."+p.name+"="+show(up))
			}
			if down != "" {
				items = append(items, "down."+p.name+"="+show(down))
			}
		}
	}
	if len(items) == 0 {
		return "perfect"
	}
	return strings.Join(items, ",")
}

// ParamHelp returns the name and a one-line description of each parameter.
func ParamHelp() [][2]string {
	var list [][2]string
	for _, p := range params {
		list = append(list, [2]string{p.name, p.help})
	}
	return list
}
