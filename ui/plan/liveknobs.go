package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// LiveKnob is a control under the picture of an embedded session: a condition of the network, a knob, or a display setting.
type LiveKnob struct {
	Label   string // for the viewer
	Name    string // of the condition, the knob or the setting
	Panes   []int  // indices of the panes whose knob it is; empty: it is none
	Setting bool   // it is a display setting
}

// MaxLiveKnobs is the largest number of controls under a picture.
const MaxLiveKnobs = 3

// KnobsHeight is the height of a row of controls, in points. The page's style.css sets it.
const KnobsHeight = 52

// liveConditions are the conditions of the network that can be turned under a picture.
var liveConditions = []string{"latency", "jitter", "loss"}

// liveSetting precedes the name of a display setting.
const liveSetting = "show"

// LiveKnobs finds the controls that a link names, separated by commas: a condition of the network, a knob of all panes that have it,
// as in 2.smooth-factor that of one pane, or as in show.packet a display setting. wrong has why the others do not exist.
func LiveKnobs(names string, l *lab.Lab) (list []LiveKnob, wrong []error) {
	if names == "" {
		return nil, nil
	}
	parts := strings.Split(names, ",")
	if len(parts) > MaxLiveKnobs {
		wrong = append(wrong, fmt.Errorf("knobs=%s: want at most %d", names, MaxLiveKnobs))
		parts = parts[:MaxLiveKnobs]
	}
	for _, label := range parts {
		k, err := liveKnob(label, l)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("knobs=%s: %w", label, err))
			continue
		}
		list = append(list, k)
	}
	return list, wrong
}

// liveKnob finds one control.
func liveKnob(label string, l *lab.Lab) (LiveKnob, error) {
	k := LiveKnob{Label: label, Name: label}
	first, last := 0, len(l.Panes)-1
	if number, name, ok := strings.Cut(label, "."); ok {
		if number == liveSetting {
			k.Label, k.Name, k.Setting = name, name, true
			_, err := stage.Choosable(name)
			return k, err
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(l.Panes) {
			return k, fmt.Errorf("there is no pane %q: want 1 to %d, a period and a knob", number, len(l.Panes))
		}
		k.Label, k.Name, first, last = "pane "+number+": "+name, name, n-1, n-1
	} else if slices.Contains(liveConditions, label) {
		return k, nil
	}
	var known []string
	if k.Label == label {
		known = slices.Clone(liveConditions)
	}
	for i := first; i <= last; i++ {
		for _, x := range l.Panes[i].Knobs.All() {
			if x.Name == k.Name {
				k.Panes = append(k.Panes, i)
			}
			if !slices.Contains(known, x.Name) {
				known = append(known, x.Name)
			}
		}
	}
	if len(k.Panes) == 0 {
		return k, &link.UnknownNameError{Kind: "knob", Name: k.Name, Choices: known}
	}
	return k, nil
}
