package window

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/widget"
)

// scorePage has the graphs of the focused pane and the scores of all panes.
type scorePage struct {
	*panel
	talking bool     // the field for a line to all players is to be edited
	unsaid  []string // lines that could not be said yet
}

// build lays out the graphs of the focused pane and the scores of all panes.
func (p *scorePage) build() {
	ui, focus := &p.ui, p.session.Lab.Focus()
	if p.session.Platform.InPage && ui.Button("download report", ui.Next(22), "download report (JSON)",
		"Run the session so far again and download its scores, all measures of all panes, as ghostcube play --format json prints them.") {
		p.session.Reports.Start()
	}
	if r := p.session.Remote; r != nil {
		text, ok := ui.Field(ui.Next(22), widget.Field{ID: "say", Placeholder: "say a line to all players",
			Help:  "Enter sends the line to all who play or watch. It appears when the server has sent it back.",
			Begin: p.talking, Release: true, Check: func(text string) error {
				if text == "" {
					return nil
				}
				return r.CheckSay(text)
			}})
		p.talking = false
		if ok && text != "" {
			p.unsaid = append(p.unsaid, text)
		}
		for err := error(nil); len(p.unsaid) > 0 && err == nil; {
			if err = r.Say(p.unsaid[0]); err == nil {
				p.unsaid = p.unsaid[1:]
			} else if ok {
				p.session.Notices.Post(err.Error())
			}
		}
	}
	if p.session.Lab.Watches() {
		ui.Paragraph("A watcher runs no side of the strategy, so nothing is measured here. F10 looks at the next player.", true)
		return
	}
	p.scores()
	ui.Heading(fmt.Sprintf("Graphs, pane %d", focus+1))
	for i := range hud.GraphCount {
		if p.session.Remote != nil && p.session.HUD.PaneCount() > focus && !p.session.HUD.Graph(focus, i).Known {
			continue // only one side is here
		}
		p.drawGraph(focus, i)
	}
	p.counters(focus)
}

// drawGraph is a graph of a pane.
func (p *scorePage) drawGraph(pane, i int) {
	ui := &p.ui
	r := ui.Place(46, sentence(graphHelp[i]))
	if p.session.HUD.PaneCount() <= pane {
		return
	}
	graph, l, f := p.session.HUD.Graph(pane, i), ui.List(), ui.Font(false)
	x, y, w, h, s := float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), float32(ui.Px(100))/100
	l.Rect(x, y, w, h, plotColor)
	line := r
	line.Min.X, line.Max.X, line.Max.Y = r.Min.X+ui.Px(6), r.Max.X-ui.Px(6), r.Min.Y+ui.Px(18)
	if !graph.Known {
		ui.Text(line, graph.Title+": "+p.session.Lab.Panes[pane].Strategy.Name+" does not count it", true, widget.Left)
		return
	}
	top := graph.ScaleMax(graphMinScale[i])
	scale := numberText(top)
	ui.Text(line, scale, true, widget.Right)
	line.Max.X -= int(f.Width(scale)) + ui.Px(6)
	value := numberText(graph.Last()) + " " + graph.Unit
	if graph.Stale {
		value = "-"
	}
	ui.Text(line, strings.TrimSpace(graph.Title+" "+value), false, widget.Left)
	hud.DrawGraph(l, graph, x+2*s, y+20*s, w-4*s, h-22*s, top, 1.4*s)
}

// plotColor is the background of graphs and plots.
var plotColor = render.Color{R: 15, G: 18, B: 22, A: 255}

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
var graphHelp = [hud.GraphCount]string{
	hud.PathErrorGraph:   "path error: distance from the drawn cube to the server's path at the moment that is drawn; a mark is a correction",
	hud.LagErrorGraph:    "lag error: distance from the drawn cube to the server's pose at this moment; a mark is a correction",
	hud.RTTGraph:         "RTT: smoothed, from acknowledged packets, without the acknowledgement delay",
	hud.UplinkGraph:      "uplink: client to server over the last 0.5 s, including 28 bytes of IP and UDP header per packet",
	hud.DownlinkGraph:    "downlink: server to client over the last 0.5 s, including 28 bytes of IP and UDP header per packet",
	hud.ReplayGraph:      "resimulated: ticks stepped again in this tick after a correction",
	hud.InputBufferGraph: "input buffer: inputs that the server has received for later ticks",
	hud.BytesDownGraph:   "sent down: bytes that the server sent in this tick, including 28 bytes of IP and UDP header per packet",
	hud.BytesUpGraph:     "sent up: bytes that the client sent in this tick, including 28 bytes of IP and UDP header per packet",
	hud.InputBitsGraph:   "inputs in a packet: their size; a repeated input takes one bit, or all its bits without delta encoding",

	hud.EarlyArrivalGraph: "early arrival: how early the newest snapshot arrived by the client's clock; above zero the client speeds up, below zero it slows down",
}

// graphMinScale is the least end of each graph's scale, in its unit.
var graphMinScale = [hud.GraphCount]float32{
	hud.PathErrorGraph: 0.1, hud.LagErrorGraph: 0.1, hud.RTTGraph: 50, hud.UplinkGraph: 10, hud.DownlinkGraph: 10, hud.ReplayGraph: 5,
	hud.InputBufferGraph: 5, hud.EarlyArrivalGraph: 20, hud.InputBitsGraph: 50, hud.BytesDownGraph: 50, hud.BytesUpGraph: 50,
}

// counters lists the counters of a pane.
func (p *scorePage) counters(pane int) {
	ui := &p.ui
	ui.Heading(fmt.Sprintf("Counters, pane %d", pane+1))
	for _, c := range p.session.Lab.Panes[pane].Counters.All() {
		r := ui.Place(18, sentence(c.Help))
		value := counterText(c.Value)
		left := r
		left.Max.X -= int(ui.Font(false).Width(value)) + ui.Px(8)
		ui.Text(left, c.Name, true, widget.Left)
		ui.Text(r, value, false, widget.Right)
	}
}

// counterText returns a counter with five significant digits, large ones in full, never as a power of ten.
func counterText(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 1e4 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	if math.Abs(v) < 1e-4 {
		return strconv.FormatFloat(v, 'f', 6, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}
