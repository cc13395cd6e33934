package window

import (
	"fmt"
	"strings"

	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/ui/hud"
)

// packetPointer explains the packet in a lane that the pointer is at.
type packetPointer struct {
	shown hud.PointedPacket
	known *trace.Record // of shown, to notice that it is another one; nil: none is shown
	bytes []byte        // scratch
}

// pointed returns the packet at the pointer, with what it contains, or nil.
func (ptr *packetPointer) pointed(g *game) *hud.PointedPacket {
	x, y := g.pointer.at.X, g.pointer.at.Y
	if g.screen.touched {
		x, y = g.touch.tap.X, g.touch.tap.Y
	}
	if g.controls.dragging || !g.inPicture(x, y) {
		ptr.known = nil
		return nil
	}
	s, l := g.session.Shown()
	return ptr.at(l, s, x, y)
}

// at returns the packet at a pixel of the picture, or nil.
func (ptr *packetPointer) at(l *lab.Lab, s *hud.HUD, x, y int) *hud.PointedPacket {
	p, ok := s.PacketAt(x, y)
	if !ok || p.Pane >= len(l.Panes) {
		ptr.known = nil
		return nil
	}
	r := s.LaneFlow(p.Pane, p.Direction).At(p.Index)
	if ptr.known == nil || *ptr.known != *r || ptr.shown.Pane != p.Pane || ptr.shown.Direction != p.Direction || ptr.shown.Index != p.Index {
		copied := *r
		ptr.known = &copied
		ptr.shown.Lines = ptr.describe(ptr.shown.Lines[:0], l, s, &p)
	}
	p.Lines = ptr.shown.Lines
	ptr.shown = p
	return &ptr.shown
}

// describe appends the lines about a packet: when it was sent, its outcome, its header and its fields with their
// sizes in bits, as the command packets prints them.
func (ptr *packetPointer) describe(lines []string, l *lab.Lab, s *hud.HUD, p *hud.PointedPacket) []string {
	f := s.LaneFlow(p.Pane, p.Direction)
	first, end := f.PacketOf(p.Index)
	client, peer := s.Client(p.Pane), s.Peer(p.Pane)
	ends := [2]string{"client", "server"}
	if peer >= 0 {
		ends = [2]string{fmt.Sprint("player ", client+1), fmt.Sprint("player ", peer+1)}
	}
	way := ends[0] + " to " + ends[1]
	if p.Direction == link.Down {
		way = ends[1] + " to " + ends[0]
	}
	r := f.At(p.Index)
	size := 0
	for i := first; i < end; i++ {
		size += int(f.At(i).Size)
	}
	head := fmt.Sprintf("packet %d, %s, %s: %d bytes", r.Sequence, way, r.Kind, size)
	if r.LastFragment > 0 {
		head = fmt.Sprintf("packet %d, %s: %d bytes in %d fragments, this is fragment %d", r.Sequence, way, size, r.LastFragment+1, r.FragmentID)
	}
	lines = append(lines, head, outcomeText(r))
	var a trace.Packet
	complete := false
	for i := first; i < end; i++ {
		var ok bool
		ptr.bytes, ok = f.AppendBytes(ptr.bytes[:0], i)
		if !ok {
			return append(lines, "its bytes are not kept any more")
		}
		complete, _ = a.Add(ptr.bytes)
	}
	lines = appendWrapped(lines, "header: "+trace.HeaderText(&a.Header))
	if !complete {
		return lines
	}
	var fields []quant.Field
	see := func(x quant.Field) { fields = append(fields, x) }
	err := error(nil)
	if pane := l.Panes[p.Pane]; peer >= 0 {
		err = pane.Strategy.PeerFields(a.Payload, see)
	} else {
		err = pane.Fields(p.Direction, a.Payload, see)
	}
	for i := 0; i < len(fields); {
		var text string
		text, i = trace.FieldText(fields, i)
		lines = appendWrapped(lines, text)
	}
	if err != nil {
		lines = append(lines, "malformed: "+err.Error())
	}
	return lines
}

// wrapAt is the number of characters from which a line about fields is continued in the next one.
const wrapAt = 110

// appendWrapped appends a text in lines of at most wrapAt characters, where it has commas.
func appendWrapped(lines []string, text string) []string {
	for len(text) > wrapAt {
		at := strings.LastIndex(text[:wrapAt], ", ")
		if at < 0 {
			break
		}
		lines, text = append(lines, text[:at+1]), "    "+text[at+2:]
	}
	return append(lines, text)
}

// outcomeText describes the outcome of a datagram.
func outcomeText(r *trace.Record) string {
	ms := func(x float64) string { return fmt.Sprintf("%.1f ms", x*1000) }
	text := fmt.Sprintf("sent at %.3f s", r.SentAt.Seconds())
	switch {
	case r.Flags.Has(trace.Dropped):
		return text + ", dropped by a full queue or a dead connection"
	case r.Flags.Has(trace.Lost):
		return text + ", lost"
	}
	text += ", under way for " + ms((r.Arrival - r.SentAt).Seconds())
	for _, x := range []struct {
		flag trace.Flags
		name string
	}{{trace.Resent, "lost and sent again by TCP"}, {trace.Late, "late"}, {trace.Reordered, "overtaken by a later one"},
		{trace.Damaged, "damaged"}, {trace.HasMessages, "with messages"}} {
		if r.Flags.Has(x.flag) {
			text += ", " + x.name
		}
	}
	if r.Flags.Has(trace.Received) && r.Result != 0 {
		text += ", " + r.Result.String() + " by the receiver"
	}
	if r.Flags.Has(trace.Duplicated) {
		text += "; its duplicate for " + ms((r.DuplicateArrival - r.SentAt).Seconds())
		if r.Flags.Has(trace.DuplicateReceived) {
			text += ", " + r.DuplicateResult.String() + " by the receiver"
		}
	}
	return text
}
