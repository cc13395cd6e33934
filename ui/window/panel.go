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
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// panel is the column of sliders. It reads the session and returns wishes: a
// slider that is moved becomes a command, and what it shows next is what the
// session made of it.
type panel struct {
	commands []lab.Command
	tooltip  string // of what the pointer is over
	list     render.DrawList
	cursor   image.Point

	scale    int       // pixels per point
	controls []control // of this Update

	listEnd     int  // correction that heads the list, plus 1
	listHovered bool // the pointer is on that list
}

// tooltipHeight is the height of the box that explains, in points.
const tooltipHeight = 64

func (p *panel) queue(c lab.Command) { p.commands = append(p.commands, c) }

// popCommands returns the wishes since the last call.
func (p *panel) popCommands() []lab.Command {
	w := p.commands
	p.commands = nil
	return w
}

// buildPanel lays the panel out. It is called once in each Update.
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
	// A scope of its own for each size of the window: the panel's place is
	// only taken from where it is first seen.
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

// rowHeight is the height of a row, in points: that of a letter's line and
// what the widgets put round it.
const rowHeight = 19

// row lays out a name and a widget, and explains it while the pointer is there.
// Names differ within a scope: a widget is known by where it is called from and
// by its scope, and all rows are called from here.
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

// explain makes the tooltip of the control in a rectangle, in points, while the pointer is over it.
func (p *panel) explain(r image.Rectangle, name, help string) {
	if p.cursor.In(r) {
		p.tooltip = name + ": " + help
	}
}

// canvas lays out a place of a height in points and has it drawn. What draw is
// given is in pixels.
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

// dropdown is a dropdown of names. It returns the one that was chosen just now.
func dropdown(ctx *debugui.Context, now string, names []string) (chosen string, ok bool) {
	options := names
	i := slices.Index(names, now)
	if i < 0 {
		options = append([]string{now}, names...)
		i = 0
	}
	was := i
	ctx.Dropdown(&i, options)
	return options[i], i != was
}

// sessionSection is what is common to all panes.
func (g *game) sessionSection(ctx *debugui.Context) {
	p, c := &g.panel, g.lab.Config()
	ctx.Header("Session", true, func() {
		p.row(ctx, "comparison", "a session worth looking at: scene, keys, weather and panes at once", func() {
			if name, ok := dropdown(ctx, "choose...", lab.ComparisonNames()); ok && name != "choose..." {
				g.startComparison(name)
			}
		})
		p.row(ctx, "scene", "where it takes place; changing it begins the session anew", func() {
			if name, ok := dropdown(ctx, c.Scene, sim.SceneNames()); ok {
				p.queue(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: name})
			}
		})
		p.row(ctx, "player sits", "at the client: keys travel to the server. At the host: keys enter its world at once, and the client only watches", func() {
			if name, ok := dropdown(ctx, c.Seat.String(), []string{"client", "host"}); ok {
				p.queue(lab.Command{Verb: "seat", Pane: lab.AllPanes, Name: name})
			}
		})
		p.row(ctx, "seed", "of all fates of packets; changing it begins the session anew", func() {
			n := int(c.Network.Seed)
			was := n
			ctx.NumberField(&n, 1)
			if n != was && n >= 0 {
				p.queue(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: strconv.Itoa(n)})
			}
		})
		ctx.SetGridLayout([]int{-1, -1, -1}, nil)
		ctx.Button(map[bool]string{true: "go on (P)", false: "pause (P)"}[g.paused]).On(func() { g.paused = !g.paused })
		ctx.Button("step (N)").On(g.step)
		ctx.Button("restart").On(func() { p.queue(lab.Command{Verb: "restart", Pane: lab.AllPanes}) })
		ctx.SetGridLayout([]int{-1, -1, -1, -1}, nil)
		ctx.Button(map[bool]string{true: "end film (R)", false: "film (R)"}[g.videos.recording()]).On(g.toggleRecording)
		ctx.Button("fault (F)").On(g.nudgeServer)
		for _, b := range [...]struct{ name, time string }{{"lose 0.25 s", "250ms"}, {"lose 5 s", "5s"}} {
			ctx.IDScope(b.time, func() {
				ctx.Button(b.name).On(func() { p.queue(lab.Command{Verb: "blackout", Pane: lab.AllPanes, Value: b.time}) })
			})
		}
	})
}

// panesSection is which strategies are seen, and how.
func (g *game) panesSection(ctx *debugui.Context) {
	p, show, focus := &g.panel, g.settings(), g.lab.Focus()
	ctx.Header("Panes", true, func() {
		for i, pane := range g.lab.Panes {
			ctx.IDScope(strconv.Itoa(i), func() {
				name := fmt.Sprintf("pane %d", i+1)
				if i == focus && len(g.lab.Panes) > 1 {
					name += " (keys)"
				}
				p.row(ctx, name, pane.Strategy.Doc[strings.LastIndex(pane.Strategy.Doc, "\n")+1:], func() {
					if s, ok := dropdown(ctx, pane.Strategy.Name, lab.StrategyNames()); ok {
						p.queue(lab.Command{Verb: "switch", Pane: i, Name: s})
					}
				})
			})
		}
		ctx.SetGridLayout([]int{-1, -1}, nil)
		ctx.Button("add a pane").On(func() {
			p.queue(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: g.lab.Panes[focus].Spec()})
		})
		ctx.Button("close the last").On(func() { p.queue(lab.Command{Verb: "close", Pane: len(g.lab.Panes) - 1}) })
		g.displayControls(ctx, &show)
	})
}

// displayControls are the settings of stage.SettingTable that have options: a checkbox for a switch, three in a row, and a list of
// names for the others.
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

// startComparison starts a named comparison in this window.
func (g *game) startComparison(name string) {
	c, err := lab.ComparisonNamed(name)
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	entries, err := g.ReadTape(c.Tape)
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	if c.Rate != g.lab.Config().Rate {
		g.notices.post(fmt.Sprintf("made for %d ticks a second; this session has %d", c.Rate, g.lab.Config().Rate))
	}
	p := &g.panel
	p.queue(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: c.Scene})
	if c.Seat != g.lab.Config().Seat {
		p.queue(lab.Command{Verb: "seat", Pane: lab.AllPanes, Name: c.Seat.String()})
	}
	p.queue(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: c.Network})
	for i := len(g.lab.Panes) - 1; i >= len(c.Panes); i-- {
		p.queue(lab.Command{Verb: "close", Pane: i})
	}
	for i, spec := range c.Panes {
		if i < len(g.lab.Panes) {
			p.queue(lab.Command{Verb: "switch", Pane: i, Name: spec})
		} else {
			p.queue(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: spec})
		}
	}
	p.queue(stage.Show("split", stage.OnOff(len(c.Panes) == 1)))
	g.afterCommands = func() { // after these wishes, which end what was played before
		g.Title, g.TapeNote, g.FaultEvery, g.FaultCommands = c.Doc, "tape "+c.Tape, c.FaultEvery, nil
		g.tapeTick, g.TapeTicks = 0, len(entries)
		g.TapeEntry = func(i int) lab.Entry {
			e := lab.Entry{Inputs: entries[i].Inputs}
			if c.FaultEvery > 0 && i > 0 && i%c.FaultEvery == 0 {
				e.Commands = []lab.Command{{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}
			}
			return e
		}
	}
}

// networkSection is the link.
func (g *game) networkSection(ctx *debugui.Context) {
	p, w := &g.panel, g.lab.Network()
	ctx.Header("Weather", true, func() {
		p.row(ctx, "preset", "named weathers; list networks says where they come from", func() {
			now := "as below"
			for _, x := range link.Profiles {
				if x.Up == w.Up && x.Down == w.Down {
					now = x.Name
					break
				}
			}
			if name, ok := dropdown(ctx, now, link.ProfileNames()); ok && name != "as below" {
				p.queue(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: name})
			}
		})
		c := w.Up
		ms := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "ms" }
		share := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "%" }
		plain := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		g.conditionSlider(ctx, "latency", "latency, ms", "one way, both ways the same", c.Latency.Seconds()*1000, 500, 5, 0, ms)
		g.conditionSlider(ctx, "jitter", "jitter, ms", "extra delay of single packets; later ones may overtake", c.Jitter.Seconds()*1000, 200, 1, 0, ms)
		g.conditionSlider(ctx, "loss", "lost, %", "chance that a packet vanishes", c.Loss*100, 60, 1, 0, share)
		g.conditionSlider(ctx, "burst", "in runs of", "mean length of a run of losses, in 1/60 s; 0 or 1: every packet for itself", c.Burst, 60, 1, 0, plain)
		g.conditionSlider(ctx, "duplicate", "twice, %", "chance that a packet arrives twice", c.Duplicate*100, 30, 1, 0, share)
		up, down := g.lab.Panes[g.lab.Focus()].Clients[0].Endpoint.Stats, g.lab.Panes[g.lab.Focus()].ServerStats()
		ctx.SetGridLayout([]int{-1}, []int{22})
		ctx.Text(fmt.Sprintf("seen: round trip %.0f ms, lost %.1f %%", up.RTT.Seconds()*1000,
			100*(1-float64(up.PacketsReceived+down.PacketsReceived)/float64(max(up.Expected+down.Expected, 1)))))
	})
}

// clocksSection is what is wrong with the clients' machines.
func (g *game) clocksSection(ctx *debugui.Context) {
	p, now := &g.panel, g.lab.Panes[g.lab.Focus()].ClockFault(0)
	set := func(name, value string) {
		p.queue(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: value})
	}
	ctx.Header("Clients' clocks", false, func() {
		p.row(ctx, "skew, ppm", "by how many parts per million the clients' clocks are faster than the server's (M: 500, -500, off)", func() {
			v := float64(now.Skew)
			most := max(500, math.Abs(v))
			ctx.SliderF(&v, -most, most, 10, 0)
			if v != float64(now.Skew) {
				set("skew", strconv.Itoa(int(v)))
			}
		})
		p.row(ctx, "frames a second", "how often the clients' programs go round: they read and make all ticks that are due; off: whenever a tick is due (J)", func() {
			if value, ok := dropdown(ctx, g.clockSetting("fps"), clockChoices["fps"]); ok {
				set("fps", value)
			}
		})
		ctx.SetGridLayout([]int{-1}, nil)
		ctx.Button("freeze 2 s (X)").On(func() { p.queue(lab.Command{Verb: "freeze", Pane: lab.AllPanes, Value: "2s"}) })
	})
}

// conditionSlider is a slider of one number of the link.
func (g *game) conditionSlider(ctx *debugui.Context, key, name, help string, now, most, step float64, digits int, text func(float64) string) {
	ctx.IDScope(key, func() {
		g.panel.row(ctx, name, help, func() {
			v := now
			ctx.SliderF(&v, 0, max(most, now), step, digits)
			if v != now {
				g.panel.queue(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: key, Value: text(v)})
			}
		})
	})
}

// graphsAndScores is the score and the graphs of the framed pane.
func (g *game) graphsAndScores(ctx *debugui.Context) {
	focus := g.lab.Focus()
	ctx.Header(fmt.Sprintf("Graphs of pane %d", focus+1), true, func() {
		for i := range stage.GraphCount {
			ctx.IDScope(strconv.Itoa(i), func() { g.drawGraph(ctx, focus, i) })
		}
	})
	g.scoresSection(ctx)
}

// drawGraph is one graph of a pane.
func (g *game) drawGraph(ctx *debugui.Context, pane, i int) {
	g.canvas(ctx, 42, graphHelp[i], func(l *render.DrawList, x, y, w, h float32, scale int) {
		if g.stage.PaneCount() <= pane {
			return
		}
		graph := g.stage.Graph(pane, i)
		f := render.Font{Size: 12 * scale}
		s := float32(scale)
		top := graph.ScaleMax(graphMinScale[i])
		l.Rect(x, y, w, h, render.Color{R: 16, G: 19, B: 24, A: 255})
		l.Text(x+6*s, y+14*s, f, render.RGB(0.80, 0.84, 0.88), strings.TrimSpace(graph.Title+" "+numberText(graph.Last())+" "+graph.Unit))
		t := numberText(top)
		l.Text(x+w-6*s-f.Width(t), y+14*s, f, render.RGB(0.55, 0.60, 0.65), t)
		stage.DrawGraph(l, graph, x+2*s, y+18*s, w-4*s, h-20*s, top, 1.4*s)
	})
}

// numberText writes a number with three digits that count, or all before the point.
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

// graphHelp explains each graph.
var graphHelp = [stage.GraphCount]string{
	stage.LagErrorGraph:    "position error: how far the drawn cube is from where the server has it now; a mark is a correction",
	stage.RTTGraph:         "round trip: smoothed, from acknowledged packets, without the time the other side held them",
	stage.UplinkGraph:      "up: from client to server over the last half second, 28 bytes of header on every packet included",
	stage.DownlinkGraph:    "down: from server to client over the last half second, 28 bytes of header on every packet included",
	stage.ReplayGraph:      "replayed: ticks that were simulated again in this tick, after a correction",
	stage.InputBufferGraph: "inputs waiting: how many the server holds that are not due yet",

	stage.EarlyArrivalGraph: "state sooner: by how much the server's newest state came sooner than it should have by the client's clock; above the line the client is behind and hurries, below it waits",
}

// graphMinScale is the least that each graph's scale reaches to.
var graphMinScale = [stage.GraphCount]float32{0.1, 50, 10, 10, 5, 5, 20}

// draw draws the help below the panel; an open list of names may cover it.
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
		help = "Point at anything to see what it does. F1 lists the keys."
	}
	for i, line := range wrapText(f, help, float32(column.Dx())*s-16*s, 4) {
		p.list.Text(x+8*s, y+15*s+14*s*float32(i), f, render.RGB(0.82, 0.86, 0.90), line)
	}
	g.painter.DrawOverlay(dst, &p.list)
}

// wrapText breaks a text into lines of a width, at most so many.
func wrapText(f render.Font, text string, width float32, most int) (list []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		next := strings.TrimSpace(line + " " + word)
		if line != "" && f.Width(next) > width {
			list = append(list, line)
			next = word
		}
		line = next
	}
	list = append(list, line)
	if len(list) > most {
		list = list[:most]
		list[most-1] = f.Truncate(list[most-1]+" …", width)
	}
	return list
}
