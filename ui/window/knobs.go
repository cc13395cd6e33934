package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebitengine/debugui"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// knobsSection has all knobs of the focused pane.
func (g *game) knobsSection(ctx *debugui.Context) {
	focus := g.lab.Focus()
	pane := g.lab.Panes[focus]
	ctx.Header(fmt.Sprintf("Knobs, pane %d: %s", focus+1, pane.Strategy.Name), true, func() {
		for _, k := range pane.Knobs.All() {
			ctx.IDScope(pane.Strategy.Name+"/"+k.Name, func() { g.knobRow(ctx, focus, k) })
			if k.Name == "snap-distance" {
				g.smoothingPlot(ctx, pane)
			}
		}
	})
}

// knobRow is a control for a knob, of the kind that suits it.
func (g *game) knobRow(ctx *debugui.Context, pane int, k *predict.Knob) {
	set := func(value string) {
		g.panel.queue(lab.Command{Verb: "set", Pane: pane, Name: k.Name, Value: value})
	}
	help := k.Help + ". " + k.Range() + ", default " + k.Default()
	name := strings.TrimPrefix(k.Name, "smooth-")
	if k.Unit != "" {
		name += ", " + k.Unit
	}
	if reason := g.lab.Panes[pane].Knobs.NoEffect(k); reason != "" {
		name, help = "("+name+")", reason+": "+help
	}
	g.panel.row(ctx, name, help, func() {
		switch k.Kind {
		case predict.Float:
			v := k.Number()
			low, high, step, digits := k.Min, k.Max, 0.001, 3
			switch {
			case k.Unit == "ms":
				step, digits = 1, 0
			case high > 2:
				step, digits = 0.01, 2
			case k.Number() != 0 && k.Number() < 0.01 || strings.HasSuffix(k.Name, "-tolerance"):
				high, step, digits = max(0.01, k.Number()), 0.00001, 5
			}
			ctx.SliderF(&v, low, high, step, digits)
			if v != k.Number() {
				set(strconv.FormatFloat(v, 'g', 6, 64))
			}
		case predict.Int:
			v := int(k.Number())
			ctx.Slider(&v, int(k.Min), int(k.Max), 1)
			if v != int(k.Number()) {
				set(strconv.Itoa(v))
			}
		case predict.Bool:
			on := k.Number() != 0
			ctx.Checkbox(&on, stage.OnOff(on))
			if on != (k.Number() != 0) {
				set(stage.OnOff(on))
			}
		case predict.Choice:
			if v, ok := dropdown(ctx, k.Value(), k.Options); ok {
				set(v)
			}
		}
	})
	if k.Kind == predict.Choice && len(k.Options) >= minStepOptions {
		g.panel.row(ctx, "  (slider)", help, func() {
			v := slices.Index(k.Options, k.Value())
			before := v
			ctx.Slider(&v, 0, len(k.Options)-1, 1)
			if v != before {
				set(k.Options[v])
			}
		})
	}
}

// minStepOptions is the least number of options of a knob that has a slider beside its list of names.
const minStepOptions = 5
