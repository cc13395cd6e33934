package window

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
)

// liveKnobs are the controls under the picture of an embedded session. They are elements of the page; a change issues the same
// command as the panel.
type liveKnobs struct {
	session *session.Session

	// offer shows the controls, by their text, and calls turned with what the viewer turns. Nil: there is no page.
	offer func(text string, turned func(index int, value float64))

	list  []plan.LiveKnob
	wrong []error
	shown string // text that was offered last

	carried  []string // values for the next session, by control; nil: it begins with its own
	mu       sync.Mutex
	waiting  [plan.MaxLiveKnobs]float64 // values that have been turned since the last Update
	isTurned [plan.MaxLiveKnobs]bool
}

// start finds the controls of a session that has just been started, and gives them the values that are carried over.
func (k *liveKnobs) start() {
	s := k.session
	if !s.Embed {
		return
	}
	k.list, k.wrong = plan.LiveKnobs(s.Knobs, s.Lab)
	if k.offer == nil {
		for _, err := range k.wrong {
			s.Notices.Post(plan.ErrorText(err))
		}
	}
	for i, value := range k.carried {
		if i < len(k.list) && value != "" && value != k.control(&k.list[i]).text {
			k.set(&k.list[i], value)
		}
	}
	k.carried = nil
}

// carry keeps the values for the session that is started next, if it is of the same plan.
func (k *liveKnobs) carry() {
	k.carried = make([]string, len(k.list))
	for i := range k.list {
		k.carried[i] = k.control(&k.list[i]).text
	}
}

// turned is called with a value that the viewer has turned a control to, at any time.
func (k *liveKnobs) turned(index int, value float64) {
	if index >= 0 && index < len(k.waiting) && !math.IsNaN(value) {
		k.mu.Lock()
		k.waiting[index], k.isTurned[index] = value, true
		k.mu.Unlock()
	}
}

// update applies changed controls, and shows the current values.
func (k *liveKnobs) update() {
	if k.offer == nil || len(k.list)+len(k.wrong) == 0 {
		return
	}
	k.mu.Lock()
	waiting, isTurned := k.waiting, k.isTurned
	k.isTurned = [plan.MaxLiveKnobs]bool{}
	k.mu.Unlock()
	for i := range k.list {
		if c := k.control(&k.list[i]); isTurned[i] && c.textOf != nil {
			k.set(&k.list[i], c.textOf(waiting[i]))
		}
	}
	if text := k.text(); text != k.shown {
		k.shown = text
		k.offer(text, k.turned)
	}
}

// liveControl is the present state of a control. The zero value is that of a knob that no pane has any longer.
type liveControl struct {
	low, high, step, value float64
	unit, help, text       string
	textOf                 func(float64) string // of any value, as the command takes it
}

// control returns the state of a control. That of several panes shows the first one's value.
func (k *liveKnobs) control(x *plan.LiveKnob) (c liveControl) {
	l := k.session.Lab
	if x.Setting {
		d, err := stage.Choosable(x.Name)
		if err != nil {
			return c
		}
		settings, options := k.session.Settings(), d.Options()
		c = liveControl{high: float64(len(options) - 1), step: 1, help: d.Help, text: d.Value(&settings)}
		c.value = float64(slices.Index(options, c.text))
		c.textOf = func(v float64) string { return options[int(min(max(v, 0), c.high))] }
		return c
	}
	if len(x.Panes) == 0 {
		for _, group := range conditionGroups {
			for _, o := range group.list {
				if o.key == x.Name {
					network := l.Network()
					v := math.Round(o.get(&network.Up)*1000) / 1000
					return liveControl{high: max(o.limit, v), step: o.step, value: v, unit: o.unit, help: o.help, text: o.text(v), textOf: o.text}
				}
			}
		}
		return c
	}
	for _, i := range x.Panes {
		if i < len(l.Panes) {
			if knob := l.Panes[i].Knobs.Lookup(x.Name); knob != nil {
				return knobControl(knob)
			}
		}
	}
	return c
}

// knobControl returns the state of a control for a knob.
func knobControl(k *predict.Knob) liveControl {
	c := liveControl{low: k.Min, high: k.Max, step: 1, value: k.Number(), unit: k.Unit, help: k.Help, text: k.Value(), textOf: plainText}
	switch k.Kind {
	case predict.Float:
		c.high = sliderEnd(k)
		c.step, _ = floatStep(k, c.high-c.low)
		c.textOf = func(v float64) string { return plainText(v) + k.Unit }
	case predict.Int:
		c.high = sliderEnd(k)
	case predict.Bool:
		c.high, c.textOf = 1, func(v float64) string { return stage.OnOff(v != 0) }
	case predict.Choice:
		c.high = float64(len(k.Options) - 1)
		c.textOf = func(v float64) string { return k.Options[int(min(max(v, 0), c.high))] }
	}
	return c
}

// set gives a control a value by the panel's commands.
func (k *liveKnobs) set(x *plan.LiveKnob, value string) {
	if x.Setting {
		k.session.Do(stage.Show(x.Name, value))
		return
	}
	if len(x.Panes) == 0 {
		k.session.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: x.Name, Value: value})
		return
	}
	for _, i := range x.Panes {
		if l := k.session.Lab; i < len(l.Panes) && l.Panes[i].Knobs.Lookup(x.Name) != nil {
			k.session.Do(lab.Command{Verb: "set", Pane: i, Name: x.Name, Value: value})
		}
	}
}

// text returns the controls as the page takes them: a line each, with its number, the label, the ends, the step, the value, its
// text and a sentence, separated by tabs; then a message in each line.
func (k *liveKnobs) text() string {
	var lines []string
	for i := range k.list {
		c := k.control(&k.list[i])
		if c.textOf == nil {
			continue
		}
		shown := c.text
		if c.unit != "" { // commands have no space before it
			shown = strings.TrimSuffix(shown, c.unit) + " " + c.unit
		}
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		lines = append(lines, strings.Join([]string{
			strconv.Itoa(i), k.list[i].Label, number(c.low), number(c.high), number(c.step), number(c.value), shown, c.help,
		}, "\t"))
	}
	for _, err := range k.wrong {
		lines = append(lines, plan.ErrorText(err))
	}
	return strings.Join(lines, "\n")
}
