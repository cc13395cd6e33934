// Package hud writes over the pictures of package stage: captions, explanations, graphs, gauges, packet lanes and a
// legend become a draw list. It decides where in a frame the pictures are, because the texts have to find room beside
// them. It draws nothing itself and reads no clock, so the window and a video show the same.
package hud

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Rect is a rectangle in pixels.
type Rect = stage.Rect

// HUD follows a session with its stage. The zero value has seen none.
type HUD struct {
	stage stage.Stage
	panes []*pane
	ages  ageHistogram // scratch

	layouts     [lab.MaxPanes]paneLayout // scratch
	drawing     drawing                  // of the last Compose
	texts       texts                    // of the last Compose
	legend      []legendEntry            // scratch
	gauges      []gauge                  // scratch
	rects       []Rect                   // scratch: of the panes
	pictures    []stage.Picture          // scratch
	kept        keptHeights
	lanes       []lane // of the last Compose
	laneScratch laneScratch
	footer      string // as the last Compose has it
	laneGap     int    // between the pictures of client and server, for lanes; 0: none

	// Traces are the recorded datagrams that lanes show instead of the panes' own.
	Traces PacketTraces

	ticked     bool // since the last Refresh
	network    keptNetwork
	paneLabels [lab.MaxPanes]string // of the present Compose
	brief      bool                 // the captions leave the key figures out
	bars       headlineBars         // of the present Compose
}

// pane is what a HUD keeps of a pane.
type pane struct {
	source      *lab.Pane
	serverWorld *predict.World // of source; it changes when the session restarts
	startTick   sim.Tick       // of the pane's strategy
	client      int            // whose screen is shown
	peer        int            // whose link with client the lanes show; -1: the server
	inspection  *predict.Inspection

	graphs           [GraphCount]Graph
	inParent         Graph // path errors in the parent's frame
	upRate, downRate bitRate
	replayedTicks    float64 // total so far
	correctionCount  int     // total so far
	inputBits        inputBits

	packetHistory packetHistory  // while packets are shown
	playouts      playoutHistory // while slots are shown
	headline      headline
	measures      []score.Measure // scratch
	errors        []float64       // scratch
	pathError     pathError
	explain       explanation
	caption       caption
	stillGauges   render.DrawList // those last drawn whose figures change as often as the caption
	gaugesAt      Rect            // the strip that they are in
	gaugesStale   bool
}

// Tick follows the session by one tick. Call it after each Tick of the lab.
func (h *HUD) Tick(l *lab.Lab) {
	h.stage.Tick(l)
	h.syncPanes(l)
	h.ticked = true
	show := h.stage.Settings(l)
	traceDatagrams(l, &show)
	for i, p := range h.panes {
		p.watch(show.Client(i, p.source))
		h.watchPeer(i, &show)
		if _, ended := l.EndedAt(i); ended {
			p.end()
			continue
		}
		p.tick(l, &show)
	}
	h.alignRates()
}

// end freezes a pane whose session has ended before the one beside it.
func (p *pane) end() {
	p.caption.stale, p.gaugesStale = true, true
	p.explain.event.set("")
	p.explain.next.set("")
	p.explain.status.set("")
}

// Refresh follows commands that were applied between two ticks: panes opened, closed or restarted, and changed
// display settings.
func (h *HUD) Refresh(l *lab.Lab) {
	h.stage.Refresh(l)
	h.syncPanes(l)
	show := h.stage.Settings(l)
	traceDatagrams(l, &show)
	for i, p := range h.panes {
		p.watch(show.Client(i, p.source))
		h.watchPeer(i, &show)
		if !h.ticked { // nothing else changes what captions and gauges say while the session is paused
			p.caption.stale, p.gaugesStale = true, true
		}
		p.updateHeadline(&show, false)
	}
	h.alignRates()
	h.ticked = false
}

// watch shows the screen of a client. The graphs of another one begin anew.
func (p *pane) watch(client int) {
	if p.client != client {
		p.client, p.upRate, p.downRate, p.pathError = client, bitRate{}, bitRate{}, pathError{}
		p.graphs, p.inParent, p.caption.stale = [GraphCount]Graph{}, Graph{}, true
		p.explain.status.set("")
	}
}

// watchPeer chooses the link that the lanes show of a pane: that with a peer, if anything was sent over it.
func (h *HUD) watchPeer(i int, show *stage.Settings) {
	p, t := h.panes[i], h.Trace(i)
	if p.peer = show.Peer(i, p.source); p.peer >= 0 && (t == nil || t.PeerFlow(p.player(), p.peer).Total() == 0) {
		p.peer = -1
	}
}

// player returns the player of that client. Where the pane shows what happened in another process, it has no other.
func (p *pane) player() int { return p.source.PlayerBodyOf(p.client) }

// Client returns the client whose screen a pane shows.
func (h *HUD) Client(pane int) int { return h.panes[pane].client }

// syncPanes follows panes that were opened, closed or restarted.
func (h *HUD) syncPanes(l *lab.Lab) {
	for len(h.panes) < len(l.Panes) {
		h.panes = append(h.panes, &pane{})
	}
	h.panes = h.panes[:len(l.Panes)]
	for i, p := range l.Panes {
		if q := h.panes[i]; q.source != p || q.serverWorld != p.ServerWorld {
			*q = pane{source: p, serverWorld: p.ServerWorld}
		}
		h.panes[i].inspection = h.stage.Inspection(i)
	}
}

// Fork returns a copy of h that follows l, a fork of the lab that h has followed. The two share nothing.
func (h *HUD) Fork(l *lab.Lab) *HUD {
	f := &HUD{stage: h.stage.Fork(l)}
	for i, p := range h.panes {
		q := *p
		q.source, q.serverWorld, q.inspection = l.Panes[i], l.Panes[i].ServerWorld, f.stage.Inspection(i)
		q.measures, q.errors, q.caption, q.stillGauges, q.gaugesStale = nil, nil, caption{stale: true}, render.DrawList{}, true
		q.headline, q.explain = p.headline.clone(), p.explain.clone()
		f.panes = append(f.panes, &q)
	}
	return f
}

// CopyFrom makes h follow l, a copy of the lab that o has followed, as o does. The two share nothing, and h keeps its
// layout.
func (h *HUD) CopyFrom(o *HUD, l *lab.Lab) {
	f := o.Fork(l)
	h.stage, h.panes = f.stage, f.panes
}

// Event returns the text that explains what has just happened in a pane, as the picture shows it for two seconds of
// shown time; empty: nothing has. The text is valid until the next Tick.
func (h *HUD) Event(pane int) string { return h.panes[pane].explain.event.text }

// PaneCount returns the number of panes that the HUD follows.
func (h *HUD) PaneCount() int { return len(h.panes) }

// Graph returns a graph of a pane, only to be read.
func (h *HUD) Graph(pane, which int) *Graph { return &h.panes[pane].graphs[which] }

// tick follows the pane by one tick.
func (p *pane) tick(l *lab.Lab, show *stage.Settings) {
	source, rate := p.source, l.Config().Rate
	if p.startTick != source.StartTick() {
		p.upRate, p.downRate, p.replayedTicks, p.correctionCount, p.packetHistory = bitRate{}, bitRate{}, 0, 0, packetHistory{}
		p.inputBits, p.playouts, p.pathError = inputBits{}, playoutHistory{}, pathError{}
		p.explain = explanation{corrections: source.Corrections.Total()}
		p.startTick = source.StartTick()
	}
	p.updateGraphs(source, l)
	p.updateHeadline(show, false)
	if show.Packet {
		p.packetHistory.add(&p.inspection.Packet, p.inspection.Packet.Tick == source.ServerWorld.Tick(), rate)
	} else if p.packetHistory.hasData {
		p.packetHistory = packetHistory{}
	}
	if show.Slots && len(p.inspection.InputBuffer.Slots) > 0 {
		p.playouts.add(&p.inspection.InputBuffer.Last)
	} else {
		p.playouts = playoutHistory{}
	}
	if int(l.Ticks())%max(rate/captionChangesPerSecond, 1) == 0 || show.Ticks || show.Speed < 1 {
		p.caption.stale, p.gaugesStale = true, true
	}
	if show.Explain {
		p.explain.update(p, l, show)
	}
	p.updateHeadline(show, int(l.Ticks())%max(rate/headlineChangesPerSecond, 1) == 0)
}
