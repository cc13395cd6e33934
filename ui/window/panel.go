package window

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/scene"
	"ghostcube/ui/stage"
)

// panel is the column of controls beside the picture. It keeps no copy of the session: a control that is
// moved becomes a command, and in the next Update shows the session as the command has changed it.
type panel struct {
	commands []lab.Command // of this Update
	tooltip  string        // of the control under the pointer
	list     render.DrawList
	cursor   image.Point // points

	scale    int       // pixels per point
	controls []control // of this Update

	listEnd     int  // index after the correction at the top of the list
	listHovered bool // the pointer is over that list
}

// tooltipHeight is the height of the tooltip below the panel, in points.
const tooltipHeight = 64

// queue adds a command to those of this Update.
func (p *panel) queue(c lab.Command) { p.commands = append(p.commands, c) }

// popCommands returns and removes the commands since the last call.
func (p *panel) popCommands() []lab.Command {
	list := p.commands
	p.commands = nil
	return list
}

// buildPanel lays out the panel. debugui calls it once in each Update.
func (g *game) buildPanel(ctx *debugui.Context) error {
	p, s := &g.panel, &g.screen
	scale := s.panelScale()
	ctx.SetScale(scale)
	p.tooltip, p.scale, p.controls = "", scale, p.controls[:0]
	x, y := ebiten.CursorPosition()
	p.cursor = image.Pt(x/scale, y/scale)
	if g.controls.uiHidden || s.w == 0 {
		return nil
	}
	left, right := (s.w-s.panelPixels())/scale, s.w/scale
	// debugui keeps the first bounds of a window for as long as its ID stays the same, so each window size
	// has its own scope.
	ctx.IDScope(fmt.Sprint(s.w, "x", s.h, "@", scale), func() {
		ctx.Window("Ghostcube", image.Rect(left, 0, right, s.h/scale-tooltipHeight), func(debugui.ContainerLayout) {
			g.sessionSection(ctx)
			g.panesSection(ctx)
			g.networkSection(ctx)
			g.clocksSection(ctx)
			g.graphsAndScores(ctx)
			g.correctionsSection(ctx)
			g.knobsSection(ctx)
		})
	})
	return nil
}

// rowHeight is the height of a row, in points: a line of text and the padding of a widget.
const rowHeight = 19

// row lays out a name and a widget with a tooltip. Names must differ within a scope, because debugui
// identifies a widget by its call site and its scope, and all rows share a call site.
func (p *panel) row(ctx *debugui.Context, name, help string, widget func()) {
	p.wideRow(ctx, 116, name, help, widget)
}

// wideRow is a row whose name has a width in points.
func (p *panel) wideRow(ctx *debugui.Context, width int, name, help string, widget func()) {
	ctx.SetGridLayout([]int{-1}, []int{rowHeight})
	ctx.IDScope(name, func() {
		ctx.GridCell(func(r image.Rectangle) {
			ctx.SetGridLayout([]int{width, -1}, []int{rowHeight})
			p.explain(r, name, help)
			p.place(name, image.Rect(r.Min.X+width, r.Min.Y, r.Max.X, r.Max.Y))
			ctx.Text(name)
			widget()
		})
	})
}

// explain sets the tooltip while the pointer is over a control, whose rectangle is in points.
func (p *panel) explain(r image.Rectangle, name, help string) {
	if p.cursor.In(r) {
		p.tooltip = name + ": " + help
	}
}

// canvas lays out a rectangle of a height in points, with a tooltip unless help is empty. draw draws it; its
// arguments are in pixels, and scale is in pixels per point.
func (g *game) canvas(ctx *debugui.Context, height int, help string, draw func(l *render.DrawList, x, y, w, h float32, scale int)) {
	p, scale := &g.panel, g.screen.panelScale()
	ctx.SetGridLayout([]int{-1}, []int{height})
	ctx.GridCell(func(r image.Rectangle) {
		if help != "" && p.cursor.In(r) {
			p.tooltip = help
		}
		ctx.SetGridLayout([]int{-1}, []int{-1})
		ctx.DrawOnlyWidget(func(screen *ebiten.Image) {
			s := float32(scale)
			p.list.Reset()
			draw(&p.list, float32(r.Min.X)*s, float32(r.Min.Y)*s, float32(r.Dx())*s, float32(r.Dy())*s, scale)
			g.painter.DrawOverlay(screen, &p.list)
		})
	})
}

// dropdown is a list of names that shows the present one, which need not be among them. ok reports whether
// another one has just been chosen.
func dropdown(ctx *debugui.Context, present string, names []string) (chosen string, ok bool) {
	options := names
	i := slices.Index(names, present)
	if i < 0 {
		options = append([]string{present}, names...)
		i = 0
	}
	before := i
	ctx.Dropdown(&i, options)
	return options[i], i != before
}

// sessionSection has the controls that all panes share.
func (g *game) sessionSection(ctx *debugui.Context) {
	p, c := &g.panel, g.lab.Config()
	ctx.Header("Session", true, func() {
		p.row(ctx, "comparison", "scene, input tape, network and panes under one name", func() {
			names := []string{"choose..."}
			for i := range g.Comparisons {
				names = append(names, g.Comparisons[i].Name)
			}
			if name, ok := dropdown(ctx, names[0], names); ok {
				g.startComparison(name)
			}
		})
		p.row(ctx, "scene", "the world; changing it restarts the session", func() {
			if name, ok := dropdown(ctx, c.Scene, scene.Names()); ok {
				p.queue(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: name})
			}
		})
		p.row(ctx, "seat", "client: inputs travel to the server; host: inputs reach the server at once, and the client is a spectator", func() {
			if name, ok := dropdown(ctx, c.Seat.String(), []string{"client", "host"}); ok {
				p.queue(lab.Command{Verb: "seat", Pane: lab.AllPanes, Name: name})
			}
		})
		p.row(ctx, "seed", "seed of all packet outcomes; changing it restarts the session", func() {
			n := int(c.Network.Seed)
			before := n
			ctx.NumberField(&n, 1)
			if n != before && n >= 0 {
				p.queue(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: strconv.Itoa(n)})
			}
		})
		ctx.SetGridLayout([]int{-1, -1, -1}, nil)
		ctx.Button(map[bool]string{true: "resume (P)", false: "pause (P)"}[g.paused]).On(func() { g.paused = !g.paused })
		ctx.Button("step (N)").On(g.step)
		ctx.Button("restart").On(func() { p.queue(lab.Command{Verb: "restart", Pane: lab.AllPanes}) })
		ctx.SetGridLayout([]int{-1, -1, -1, -1}, nil)
		ctx.Button(map[bool]string{true: "stop (R)", false: "record (R)"}[g.videos.recording()]).On(g.toggleRecording)
		ctx.Button("nudge (F)").On(g.nudgeServer)
		for _, b := range [...]struct{ name, time string }{{"drop 0.25 s", "250ms"}, {"drop 5 s", "5s"}} {
			ctx.IDScope(b.time, func() {
				ctx.Button(b.name).On(func() { p.queue(lab.Command{Verb: "blackout", Pane: lab.AllPanes, Value: b.time}) })
			})
		}
	})
}

// panesSection has the strategies of the panes and the display settings.
func (g *game) panesSection(ctx *debugui.Context) {
	p, show, focus := &g.panel, g.settings(), g.lab.Focus()
	ctx.Header("Panes", true, func() {
		for i, pane := range g.lab.Panes {
			ctx.IDScope(strconv.Itoa(i), func() {
				name := fmt.Sprintf("pane %d", i+1)
				if i == focus && len(g.lab.Panes) > 1 {
					name += " (focus)"
				}
				p.row(ctx, name, pane.Strategy.Doc[strings.LastIndex(pane.Strategy.Doc, "\n")+1:], func() {
					if s, ok := dropdown(ctx, pane.Strategy.Name, lab.StrategyNames()); ok {
						p.queue(lab.Command{Verb: "switch", Pane: i, Name: s})
					}
				})
			})
		}
		ctx.SetGridLayout([]int{-1, -1}, nil)
		ctx.Button("add pane").On(func() {
			p.queue(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: g.lab.Panes[focus].Spec()})
		})
		ctx.Button("close last pane").On(func() { p.queue(lab.Command{Verb: "close", Pane: len(g.lab.Panes) - 1}) })
		g.displayControls(ctx, &show)
	})
}

// displayControls are the settings of stage.SettingTable that have options: checkboxes for switches, three in
// a row, and a list of names for each of the others.
func (g *game) displayControls(ctx *debugui.Context, show *stage.Settings) {
	p := &g.panel
	ctx.SetGridLayout([]int{-1, -1, -1}, []int{rowHeight})
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if len(d.Options()) != 2 {
			continue
		}
		ctx.IDScope(d.Name, func() {
			ctx.GridCell(func(r image.Rectangle) {
				ctx.SetGridLayout([]int{-1}, []int{rowHeight})
				p.explain(r, settingLabel(d), d.Help)
				p.place(d.Name, r)
				before := d.Value(show) == "on"
				on := before
				if ctx.Checkbox(&on, d.Name); on != before {
					p.queue(stage.Show(d.Name, stage.OnOff(on)))
				}
			})
		})
	}
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if len(d.Options()) <= 2 {
			continue
		}
		p.row(ctx, settingLabel(d), d.Help, func() {
			if name, ok := dropdown(ctx, d.Value(show), d.Options()); ok {
				p.queue(stage.Show(d.Name, name))
			}
		})
	}
}

// settingLabel names a setting, with its key if it has one.
func settingLabel(d *stage.Setting) string {
	if d.Key == "" {
		return d.Name
	}
	return d.Name + " (" + d.Key + ")"
}

// startComparison plans a comparison. Its session starts after the panel's commands.
func (g *game) startComparison(name string) {
	p, err := g.PlanComparison(name)
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	g.next = p
}

// networkSection has the network conditions. Its sliders show the uplink and set both directions.
func (g *game) networkSection(ctx *debugui.Context) {
	p, w := &g.panel, g.lab.Network()
	ctx.Header("Network", true, func() {
		p.row(ctx, "profile", "named network conditions; list networks gives their sources", func() {
			present := "custom"
			for _, x := range link.Profiles {
				if x.Up == w.Up && x.Down == w.Down {
					present = x.Name
					break
				}
			}
			if name, ok := dropdown(ctx, present, link.ProfileNames()); ok && name != "custom" {
				p.queue(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: name})
			}
		})
		c := w.Up
		ms := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "ms" }
		share := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "%" }
		plain := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		g.conditionSlider(ctx, "latency", "latency, ms", "one-way latency, the same in both directions", c.Latency.Seconds()*1000, 500, 5, 0, ms)
		g.conditionSlider(ctx, "jitter", "jitter, ms", "extra delay of single packets; packets may be reordered", c.Jitter.Seconds()*1000, 200, 1, 0, ms)
		g.conditionSlider(ctx, "loss", "loss, %", "probability that a packet is lost", c.Loss*100, 60, 1, 0, share)
		g.conditionSlider(ctx, "burst", "loss burst", "mean length of a loss burst, in 1/60 s; 0 or 1: independent losses", c.Burst, 60, 1, 0, plain)
		g.conditionSlider(ctx, "duplicate", "duplicated, %", "probability that a packet is duplicated", c.Duplicate*100, 30, 1, 0, share)
		g.conditionSlider(ctx, "corrupt", "corrupt, %", "probability that a packet arrives with flipped bits", c.Corrupt*100, 30, 1, 0, share)
		g.conditionSlider(ctx, "foreign", "foreign, %", "probability that a packet of another program arrives besides", c.Foreign*100, 30, 1, 0, share)
		up, down := g.lab.Panes[g.lab.Focus()].Clients[0].Endpoint.Stats, g.lab.Panes[g.lab.Focus()].ServerStats()
		ctx.SetGridLayout([]int{-1}, []int{22})
		ctx.Text(fmt.Sprintf("measured: RTT %.0f ms, loss %.1f %%", up.RTT.Seconds()*1000,
			100*(1-float64(up.PacketsReceived+down.PacketsReceived)/float64(max(up.Expected+down.Expected, 1)))))
		ctx.SetGridLayout([]int{-1, -1, -1}, nil)
		for _, a := range [...]struct{ name, kind, value string }{{"forge packet", "forge", "10000"}, {"replay packet", "replay", "5s"}, {"false fragments", "false-fragments", "300"}} {
			ctx.IDScope(a.kind, func() {
				ctx.Button(a.name).On(func() { p.queue(lab.Command{Verb: "attack", Pane: lab.AllPanes, Name: a.kind, Value: a.value}) })
			})
		}
		ctx.SetGridLayout([]int{-1, -1}, nil)
		ctx.Button("rejoin client 1").On(func() { p.queue(lab.Command{Verb: "rejoin", Pane: lab.AllPanes, Name: "1"}) })
		ctx.Button("send block of 200 kB").On(func() { p.queue(lab.Command{Verb: "block", Pane: lab.AllPanes, Value: "200"}) })
		ctx.SetGridLayout([]int{-1}, []int{22})
		for _, r := range lab.Rejections(&up, down) {
			ctx.Text(fmt.Sprintf("%s: %d", r.Name, r.Count))
		}
	})
}

// clocksSection has the faults of the clients' clocks.
func (g *game) clocksSection(ctx *debugui.Context) {
	p, present := &g.panel, g.lab.Panes[g.lab.Focus()].ClockFault(0)
	set := func(name, value string) {
		p.queue(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: value})
	}
	ctx.Header("Client clocks", false, func() {
		p.row(ctx, "skew, ppm", "how much faster the clients' clocks run than the server's, in ppm (M: 500, -500, off)", func() {
			v := float64(present.Skew)
			limit := max(500, math.Abs(v))
			ctx.SliderF(&v, -limit, limit, 10, 0)
			if v != float64(present.Skew) {
				set("skew", strconv.Itoa(int(v)))
			}
		})
		p.row(ctx, "frame rate, fps", "frame rate of the clients, which receive and step once per frame; off: one frame per tick (J)", func() {
			if value, ok := dropdown(ctx, g.clockSetting("fps"), clockChoices["fps"]); ok {
				set("fps", value)
			}
		})
		ctx.SetGridLayout([]int{-1}, nil)
		ctx.Button("freeze 2 s (X)").On(func() { p.queue(lab.Command{Verb: "freeze", Pane: lab.AllPanes, Value: "2s"}) })
	})
}

// conditionSlider is a slider for a network condition from 0 to limit. text converts its value to that of a
// command.
func (g *game) conditionSlider(ctx *debugui.Context, key, name, help string, present, limit, step float64, digits int, text func(float64) string) {
	ctx.IDScope(key, func() {
		g.panel.row(ctx, name, help, func() {
			v := present
			ctx.SliderF(&v, 0, max(limit, present), step, digits)
			if v != present {
				g.panel.queue(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: key, Value: text(v)})
			}
		})
	})
}

// graphsAndScores has the graphs of the focused pane and the scores of all panes.
func (g *game) graphsAndScores(ctx *debugui.Context) {
	focus := g.lab.Focus()
	ctx.Header(fmt.Sprintf("Graphs, pane %d", focus+1), true, func() {
		for i := range stage.GraphCount {
			ctx.IDScope(strconv.Itoa(i), func() { g.drawGraph(ctx, focus, i) })
		}
	})
	g.scoresSection(ctx)
}

// drawGraph is a graph of a pane, with a tooltip.
func (g *game) drawGraph(ctx *debugui.Context, pane, i int) {
	g.canvas(ctx, 42, graphHelp[i], func(l *render.DrawList, x, y, w, h float32, scale int) {
		if g.stage.PaneCount() <= pane {
			return
		}
		graph := g.stage.Graph(pane, i)
		f := render.Font{Size: 12 * scale}
		s := float32(scale)
		l.Rect(x, y, w, h, render.Color{R: 16, G: 19, B: 24, A: 255})
		if !graph.Known {
			l.Text(x+6*s, y+14*s, f, render.RGB(0.55, 0.60, 0.65), graph.Title+": "+g.lab.Panes[pane].Strategy.Name+" does not count it")
			return
		}
		top := graph.ScaleMax(graphMinScale[i])
		l.Text(x+6*s, y+14*s, f, render.RGB(0.80, 0.84, 0.88), strings.TrimSpace(graph.Title+" "+numberText(graph.Last())+" "+graph.Unit))
		t := numberText(top)
		l.Text(x+w-6*s-f.Width(t), y+14*s, f, render.RGB(0.55, 0.60, 0.65), t)
		stage.DrawGraph(l, graph, x+2*s, y+18*s, w-4*s, h-20*s, top, 1.4*s)
	})
}

// numberText returns a number with up to three significant digits, or with all digits before the decimal point.
func numberText(v float32) string {
	digits := 2
	for x := v; (x >= 10 || x <= -10) && digits > 0; x /= 10 {
		digits--
	}
	s := strconv.FormatFloat(float64(v), 'f', digits, 32)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// graphHelp are the tooltips of the graphs.
var graphHelp = [stage.GraphCount]string{
	stage.LagErrorGraph:    "lag error: distance from the drawn cube to the server's pose at this moment; a mark is a correction",
	stage.RTTGraph:         "RTT: smoothed, from acknowledged packets, without the acknowledgement delay",
	stage.UplinkGraph:      "uplink: client to server over the last 0.5 s, including 28 bytes of IP and UDP header per packet",
	stage.DownlinkGraph:    "downlink: server to client over the last 0.5 s, including 28 bytes of IP and UDP header per packet",
	stage.ReplayGraph:      "replayed: ticks resimulated in this tick after a correction",
	stage.InputBufferGraph: "input buffer: inputs that the server has received for later ticks",
	stage.InputBitsGraph:   "inputs in a packet: their size; a repeated input takes one bit, or all its bits without delta encoding",

	stage.EarlyArrivalGraph: "early arrival: how early the newest snapshot arrived by the client's clock; above zero the client speeds up, below zero it slows down",
}

// graphMinScale is the least end of each graph's scale, in its unit.
var graphMinScale = [stage.GraphCount]float32{0.1, 50, 10, 10, 5, 5, 20, 50}

// draw draws the tooltip below the panel. An open list of names may cover it.
func (p *panel) draw(dst *ebiten.Image, g *game) {
	scale := g.screen.panelScale()
	s := float32(scale)
	p.list.Reset()
	column := image.Rect((g.screen.w-g.screen.panelPixels())/scale, 24, g.screen.w/scale, g.screen.h/scale-tooltipHeight)
	x, y := float32(column.Min.X)*s, float32(column.Max.Y)*s
	p.list.Rect(x, y, float32(column.Dx())*s, tooltipHeight*s, render.Color{R: 30, G: 34, B: 41, A: 255})
	f := render.Font{Size: 12 * scale}
	help := p.tooltip
	if help == "" {
		help = "Hover over a control for help. F1 lists the keys."
	}
	for i, line := range wrapText(f, help, float32(column.Dx())*s-16*s, 4) {
		p.list.Text(x+8*s, y+15*s+14*s*float32(i), f, render.RGB(0.82, 0.86, 0.90), line)
	}
	g.painter.DrawOverlay(dst, &p.list)
}

// wrapText breaks a text into at most limit lines of a width. A text that is longer ends with an ellipsis.
func wrapText(f render.Font, text string, width float32, limit int) []string {
	lines := f.Wrap(strings.Fields(text), " ", width)
	if len(lines) > limit {
		lines = lines[:limit]
		lines[limit-1] = f.Truncate(lines[limit-1]+" …", width)
	}
	return lines
}
