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

// knobsSection is everything that the framed pane's strategy lets be turned.
func (g *game) knobsSection(ctx *debugui.Context) {
	focus := g.lab.Focus()
	pane := g.lab.Panes[focus]
	ctx.Header(fmt.Sprintf("Knobs of pane %d: %s", focus+1, pane.Strategy.Name), true, func() {
		for _, k := range pane.Knobs.All() {
			ctx.IDScope(pane.Strategy.Name+"/"+k.Name, func() { g.knobRow(ctx, focus, k) })
			if k.Name == "snap-distance" {
				g.smoothingPlot(ctx, pane)
			}
		}
	})
}

// knobRow is one knob's row.
func (g *game) knobRow(ctx *debugui.Context, pane int, k *predict.Knob) {
	turn := func(value string) {
		g.panel.queue(lab.Command{Verb: "set", Pane: pane, Name: k.Name, Value: value})
	}
	help := k.Help + ". " + k.Range() + ", at first " + k.Default()
	name := strings.TrimPrefix(k.Name, "smooth-")
	if k.Unit != "" {
		name += ", " + k.Unit
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
			case k.Number() != 0 && k.Number() < 0.01 || strings.HasPrefix(k.Name, "error-"):
				high, step, digits = max(0.01, k.Number()), 0.00001, 5
			}
			ctx.SliderF(&v, low, high, step, digits)
			if v != k.Number() {
				turn(strconv.FormatFloat(v, 'g', 6, 64))
			}
		case predict.Int:
			v := int(k.Number())
			ctx.Slider(&v, int(k.Min), int(k.Max), 1)
			if v != int(k.Number()) {
				turn(strconv.Itoa(v))
			}
		case predict.Bool:
			on := k.Number() != 0
			ctx.Checkbox(&on, stage.OnOff(on))
			if on != (k.Number() != 0) {
				turn(stage.OnOff(on))
			}
		case predict.Choice:
			if v, ok := dropdown(ctx, k.Value(), k.Options); ok {
				turn(v)
			}
		}
	})
	if k.Kind == predict.Choice && len(k.Options) >= minStepOptions {
		g.panel.row(ctx, "  step by step", help, func() {
			v := slices.Index(k.Options, k.Value())
			was := v
			ctx.Slider(&v, 0, len(k.Options)-1, 1)
			if v != was {
				turn(k.Options[v])
			}
		})
	}
}

// minStepOptions is how many options make a ladder, which has a slider beside its names.
const minStepOptions = 5
