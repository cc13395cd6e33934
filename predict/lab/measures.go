package lab

import (
	"ghostcube/net/packet"
	"ghostcube/predict/score"
)

// Measures appends to dst the score of the pane's first seat: all that its card
// tells, and what only the lab knows. They are always the same ones in the same
// order.
func (p *Pane) Measures(dst []score.Measure) []score.Measure {
	dst = p.Card.Measures(dst)
	seconds := float64(p.lab.tick-p.began) / float64(p.lab.config.Rate)
	each := func(name, title, help string, n float64, digits int) {
		m := score.Measure{Name: name, Title: title, Help: help, Digits: digits, Better: score.Lower}
		if m.OK = seconds > 0; m.OK {
			m.Value = n / seconds
		}
		dst = append(dst, m)
	}
	net := func(way, what string, s *packet.Stats) {
		each(way+"_kbit_per_second", way+", kbit/s", "sent "+what+", 28 bytes of IP and UDP header on every packet included", float64(s.BytesSent)*8/1000, 1)
		each(way+"_packets_per_second", way+", packets/s", "packets sent "+what, float64(s.PacketsSent), 1)
	}
	net("up", "from the client to the server", &p.Seats[0].Endpoint.Stats)
	net("down", "from the server to the client", p.Server())
	return dst
}
