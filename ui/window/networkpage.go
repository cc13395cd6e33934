package window

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/widget"
)

// directionNames are the directions of the link that the controls set.
var directionNames = []string{"both", "up", "down"}

// condition is a control for one of the link's conditions.
type condition struct {
	key   string // as the condition command takes it
	unit  string // shown after the name
	help  string // a sentence
	limit float64
	step  float64
	max   float64 // largest value that can be typed

	get  func(c *link.Conditions) float64 // in unit
	text func(v float64) string           // for the command

	// needs says why the condition cannot be set at present. It may be nil.
	needs func(c *link.Conditions) string
}

func plainText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// millis is a condition that is a duration.
func millis(key, help string, limit, step, max float64, get func(c *link.Conditions) time.Duration) condition {
	return condition{key: key, unit: "ms", help: help, limit: limit, step: step, max: max,
		get:  func(c *link.Conditions) float64 { return float64(get(c)) / float64(time.Millisecond) },
		text: func(v float64) string { return plainText(v) + "ms" }}
}

// percent is a condition that is a probability.
func percent(key, help string, limit float64, get func(c *link.Conditions) float64) condition {
	return condition{key: key, unit: "%", help: help, limit: limit, step: 1, max: 100,
		get:  func(c *link.Conditions) float64 { return get(c) * 100 },
		text: func(v float64) string { return plainText(v) + "%" }}
}

// needing adds the reason for which a condition cannot be set.
func (c condition) needing(needs func(c *link.Conditions) string) condition {
	c.needs = needs
	return c
}

// requires returns a reason unless ok holds.
func requires(reason string, ok func(c *link.Conditions) bool) func(c *link.Conditions) string {
	return func(c *link.Conditions) string {
		if ok(c) {
			return ""
		}
		return "No effect: " + reason + "."
	}
}

// conditionGroups are all conditions with a number, in groups. The trace and the shape of the jitter have lists of
// names.
var conditionGroups = []struct {
	title string
	list  []condition
}{
	{"Delay", []condition{
		millis("latency", "One-way delay of every packet.", 500, 5, 60000, func(c *link.Conditions) time.Duration { return c.Latency }),
		millis("jitter", "Scale of the random extra delay of single packets, which may reorder them.", 200, 1, 10000,
			func(c *link.Conditions) time.Duration { return c.Jitter }),
		millis("latency-per-player", "One-way delay added for each further player.", 500, 5, 10000,
			func(c *link.Conditions) time.Duration { return c.LatencyPerPlayer }),
		{key: "far-player", help: "Number of the player whose links add far-latency; 0: none.", limit: 8, step: 1, max: 8,
			get: func(c *link.Conditions) float64 { return float64(c.FarPlayer) }, text: plainText},
		millis("far-latency", "One-way delay added on all links of that player.", 500, 5, 10000, func(c *link.Conditions) time.Duration { return c.FarLatency }).
			needing(requires("far-player is 0", func(c *link.Conditions) bool { return c.FarPlayer > 0 })),
		millis("reorder-delay", "Delay of a reordered packet.", 500, 5, 10000, func(c *link.Conditions) time.Duration { return c.ReorderDelay }),
		percent("reorder", "Probability that a packet is delayed by reorder-delay.", 30, func(c *link.Conditions) float64 { return c.Reorder }).
			needing(requires("reorder-delay is 0", func(c *link.Conditions) bool { return c.ReorderDelay > 0 })),
		millis("spike", "Delay of a spike.", 1000, 10, 10000, func(c *link.Conditions) time.Duration { return c.Spike }),
		percent("spike-chance", "Probability that a packet is delayed by spike.", 10, func(c *link.Conditions) float64 { return c.SpikeChance }).
			needing(requires("spike is 0", func(c *link.Conditions) bool { return c.Spike > 0 })),
	}},
	{"Loss and damage", []condition{
		percent("loss", "Probability that a packet is lost.", 60, func(c *link.Conditions) float64 { return c.Loss }),
		{key: "burst", unit: "1/60 s", help: "Mean length of a run of losses; 0 or 1: independent losses.", limit: 60, step: 1, max: 600,
			get: func(c *link.Conditions) float64 { return c.Burst }, text: plainText},
		percent("duplicate", "Probability that a packet arrives twice.", 30, func(c *link.Conditions) float64 { return c.Duplicate }),
		percent("corrupt", "Probability that a packet arrives with 1 to 8 flipped bits.", 30, func(c *link.Conditions) float64 { return c.Corrupt }),
		percent("foreign", "Probability that a packet of another program arrives besides.", 30, func(c *link.Conditions) float64 { return c.Foreign }),
	}},
	{"Bandwidth", []condition{
		{key: "bandwidth", unit: "kbit/s", help: "Rate limit with all headers; 0: no limit, else 1 or more.", limit: 1000, step: 8, max: 1e6,
			get: func(c *link.Conditions) float64 { return float64(c.Bandwidth) / 1000 }, text: func(v float64) string { return plainText(v) + "kbit" }},
		millis("queue", "Longest wait for the rate limit. Packets that would wait longer are dropped.", 1000, 10, 10000,
			func(c *link.Conditions) time.Duration { return c.Queue }).
			needing(requires("there is no bandwidth limit", limited)),
		{key: "bucket", unit: "kB", help: "Token bucket: data that passes at once after a pause.", limit: 100, step: 1, max: 1000,
			get: func(c *link.Conditions) float64 { return float64(c.Bucket) / 1000 }, text: func(v float64) string { return plainText(v) + "kB" },
			needs: requires("there is no bandwidth limit", limited)},
	}},
	{"Changing conditions", []condition{
		millis("swing-every", "Period in which swing and swing-loss rise from 0 and fall again.", 20000, 100, 60000,
			func(c *link.Conditions) time.Duration { return c.SwingEvery }),
		millis("swing", "Latency added in the middle of the period.", 500, 5, 10000,
			func(c *link.Conditions) time.Duration { return c.Swing }).needing(requires("swing-every is 0", swinging)),
		percent("swing-loss", "Probability of loss added in the middle of the period.", 60,
			func(c *link.Conditions) float64 { return c.SwingLoss }).needing(requires("swing-every is 0", swinging)),
		millis("pause-every", "Period of pauses, in which all packets wait.", 20000, 100, 60000, func(c *link.Conditions) time.Duration { return c.PauseEvery }),
		millis("pause", "Length of a pause, at most its period.", 2000, 10, 60000, func(c *link.Conditions) time.Duration { return c.Pause }).
			needing(requires("pause-every is 0", func(c *link.Conditions) bool { return c.PauseEvery > 0 })),
		millis("outage-every", "Period of outages, in which all packets are lost.", 20000, 100, 60000,
			func(c *link.Conditions) time.Duration { return c.OutageEvery }),
		millis("outage", "Length of an outage, at most its period.", 5000, 10, 60000, func(c *link.Conditions) time.Duration { return c.Outage }).
			needing(requires("outage-every is 0", func(c *link.Conditions) bool { return c.OutageEvery > 0 })),
	}},
}

func limited(c *link.Conditions) bool  { return c.Bandwidth > 0 }
func swinging(c *link.Conditions) bool { return c.SwingEvery > 0 }

// networkPage has the network conditions, the faults of the machines, and attacks.
type networkPage struct {
	*panel
	direction int               // of the controls, index in directionNames
	traces    map[string]string // conditions that set a trace, by its name
}

// build lays out the network conditions, the faults of the machines, and attacks.
func (p *networkPage) build() {
	w := p.session.Lab.Network()
	ui := &p.ui
	profile := "custom"
	for i := range link.Profiles {
		if x := &link.Profiles[i]; x.Up == w.Up && x.Down == w.Down {
			profile = x.Name
			break
		}
	}
	if name, ok := p.choice(widget.Row{Name: "profile",
		Help: "Named network conditions. ghostcube list networks gives their sources."}, "profile", profile,
		link.ProfileNames(), nil); ok {
		p.queue(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: name})
	}
	r := ui.Row(widget.Row{Name: "direction", Help: "Whether the controls below set both directions, or only client to " +
		"server (up) or server to client (down). With both they show the uplink."})
	p.direction = ui.Segments("direction", r, directionNames, p.direction, "The direction of the link that the controls below show and set.")
	shown, prefix := &w.Up, ""
	switch p.direction {
	case 1:
		prefix = "up."
	case 2:
		shown, prefix = &w.Down, "down."
	}
	set := func(key, value string) {
		p.queue(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: prefix + key, Value: value})
	}
	p.measuredNetwork()
	for _, group := range conditionGroups {
		ui.Heading(group.title)
		for i := range group.list {
			p.conditionControl(&group.list[i], shown, &w.Down, set)
			if group.list[i].key == "jitter" {
				p.shapeControl(shown, set)
			}
		}
	}
	p.traceControl(shown, set)
	p.faultControls()
}

// conditionControl is the slider of a condition.
func (p *networkPage) conditionControl(x *condition, shown, down *link.Conditions, set func(key, value string)) {
	v := x.get(shown)
	help := x.help
	if p.direction == 0 && x.get(down) != v {
		help += " Up and down differ: a change sets both."
	}
	if x.needs != nil {
		p.ui.Disabled(x.needs(shown))
	}
	defer p.ui.Disabled("")
	name := x.key
	if x.unit != "" {
		name += ", " + x.unit
	}
	row := widget.Row{Name: name, Help: help, Changed: v != 0}
	value, changed := p.number(row, widget.Number{ID: x.key, Value: v, High: max(x.limit, v), Step: x.step, Max: x.max, Digits: 3})
	if changed {
		set(x.key, x.text(value))
	}
}

// shapeControl chooses the distribution of the jitter.
func (p *networkPage) shapeControl(shown *link.Conditions, set func(key, value string)) {
	row := widget.Row{Name: "shape", Help: "Distribution of the jitter.", Changed: shown.Shape != 0}
	if name, ok := p.choice(row, "shape", shown.Shape.String(), link.ShapeNames(), nil); ok {
		set("shape", name)
	}
}

// traceControl chooses the measured path whose delay and loss are added.
func (p *networkPage) traceControl(shown *link.Conditions, set func(key, value string)) {
	present := "none"
	names := append([]string{"none"}, p.session.Library.TraceNames()...)
	if shown.Trace != nil {
		present = "custom"
		if i := slices.IndexFunc(names, func(name string) bool { return p.traceText(name) == "trace="+shown.Trace.String() }); i >= 0 {
			present = names[i]
		}
	}
	name, ok := p.choice(widget.Row{Name: "trace", Help: "Measured path whose delay and loss are added to the conditions above."}, "trace", present, names, nil)
	if !ok {
		return
	}
	set("trace", p.traceText(name)[len("trace="):])
}

// traceText returns the condition that sets a trace, with its samples. It remembers the traces that it has read.
func (p *networkPage) traceText(name string) string {
	if text, ok := p.traces[name]; ok {
		return text
	}
	text, err := p.session.Library.InlineTraces("trace=" + name)
	if err != nil {
		p.session.Notices.Post(err.Error())
		text = "trace=none"
	}
	if p.traces == nil {
		p.traces = map[string]string{}
	}
	p.traces[name] = text
	return text
}

// measuredNetwork shows what the focused pane's endpoints measure.
func (p *networkPage) measuredNetwork() {
	pane := p.session.Lab.Panes[p.session.Lab.Focus()]
	if pane.Watched() {
		p.ui.Text(p.ui.Line(18), "measured: nothing, because you watch", true, widget.Left)
		return
	}
	up, down := pane.Clients[0].Endpoint.Stats, pane.ServerStats()
	r := p.ui.Line(18)
	roundTrip := "-"
	if rtt, ok := up.CurrentRTT(p.session.Lab.Now()); ok {
		roundTrip = fmt.Sprintf("%.0f ms", rtt.Seconds()*1000)
	}
	p.ui.Text(r, fmt.Sprintf("measured: RTT %s, loss %.1f %%", roundTrip,
		100*(1-float64(up.PacketsReceived+down.PacketsReceived)/float64(max(up.Expected+down.Expected, 1)))), true, widget.Left)
	for _, r := range lab.Rejections(&up, down) {
		p.ui.Text(p.ui.Line(18), fmt.Sprintf("%s: %d", r.Name, r.Count), true, widget.Left)
	}
}

// faultControls has the forced faults of link and machines, and the attacks.
func (p *networkPage) faultControls() {
	ui := &p.ui
	all := func(verb, name, value string) {
		p.queue(lab.Command{Verb: verb, Pane: lab.AllPanes, Name: name, Value: value})
	}
	ui.Heading("Forced faults")
	switch p.buttons([3]string{"nudge", "nudge (F)", "Move the server's cube by 1 m, which no client can predict."},
		[3]string{"drop 250ms", "drop 0.25 s", "Lose all packets for 0.25 s (B)."}, [3]string{"drop 5s", "drop 5 s", "Lose all packets for 5 s (Shift B)."}) {
	case 0:
		p.session.Controls.NudgeServer()
	case 1:
		all("blackout", "", "250ms")
	case 2:
		all("blackout", "", "5s")
	}
	fault := p.session.Lab.Panes[p.session.Lab.Focus()].ClockFault(0)
	skew := float64(fault.Skew)
	limit := math.Max(500, math.Abs(skew))
	v, changed := p.number(widget.Row{Name: "clock skew, ppm", Changed: skew != 0,
		Help: "How much faster the clients' clocks run than the server's (M: 500, -500, off)."},
		widget.Number{ID: "skew", Value: skew, Low: -limit, High: limit, Step: 10, Min: -lab.MaxSkew, Max: lab.MaxSkew, Whole: true})
	if changed {
		all("clock", "skew", strconv.Itoa(int(v)))
	}
	fps := float64(fault.FrameRate)
	text := "off"
	if fps > 0 {
		text = plainText(fps)
	}
	typed, ok := ui.Field(ui.Row(widget.Row{Name: "client frame rate, fps", Changed: fps != 0,
		Help: "Frame rate of the clients, which receive and step once a frame; off: one frame a tick (J: 20, 144, off)."}),
		widget.Field{ID: "fps", Value: text, Check: func(text string) error {
			n, err := strconv.Atoi(text)
			if text != "off" && (err != nil || n < lab.MinFrameRate || n > lab.MaxFrameRate) {
				return fmt.Errorf("%q: want off, or a whole number from %d to %d", text, lab.MinFrameRate, lab.MaxFrameRate)
			}
			return nil
		}})
	if ok {
		all("clock", "fps", typed)
	}
	switch p.buttons([3]string{"freeze", "freeze 2 s (X)", "Stop the programs of all clients for 2 s."},
		[3]string{"rejoin", "kill client 1", "Kill the first client and revive it: it downloads the world (Shift X). Turns messages on."}) {
	case 0:
		p.session.Controls.FreezeClients()
	case 1:
		p.session.Controls.KillClient()
	}
	ui.Heading("Attacks and load")
	switch p.buttons([3]string{"forge", "forge packet", "Send the client a packet with a forged sequence number."},
		[3]string{"replay", "replay packet", "Send the client a packet of 5 s ago again."}) {
	case 0:
		all("attack", "forge", "10000")
	case 1:
		all("attack", "replay", "5s")
	}
	switch p.buttons([3]string{"false-fragments", "false fragments", "Send the client 300 fragments of packets that do not exist."},
		[3]string{"forge-acks", "false acks", "Tell both ends, in one forged packet, that all that they have sent has arrived."}) {
	case 0:
		all("attack", "false-fragments", "300")
	case 1:
		all("attack", "forge-acks", "1")
	}
	if p.buttons([3]string{"block", "send a block of 200 kB", "Send 200 kB to the client as one reliable block, beside the strategy's packets."}) == 0 {
		all("block", "", "200")
	}
}
