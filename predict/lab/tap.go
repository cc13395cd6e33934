package lab

import (
	"time"

	"ghostcube/net/link"
)

// tap is a wire that reports every datagram sent over it.
type tap struct {
	link.Wire
	onSend func(now time.Duration, datagram []byte)
}

func (t *tap) Send(now time.Duration, datagram []byte) error {
	t.onSend(now, datagram)
	return t.Wire.Send(now, datagram)
}

// withTap returns a wire with the lab's tap on it, if there is one.
func (p *Pane) withTap(w link.Wire, client int, d link.Direction) link.Wire {
	report := p.lab.Tap
	if report == nil {
		return w
	}
	return &tap{w, func(now time.Duration, datagram []byte) { report(p, client, d, now, datagram) }}
}
