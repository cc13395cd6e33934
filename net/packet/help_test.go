package packet

import (
	"hash/crc32"
	"slices"
	"time"

	"ghostcube/net/link"
)

// recorder is a wire that records the datagrams sent.
type recorder struct{ sent [][]byte }

func (r *recorder) Send(_ time.Duration, b []byte) error {
	r.sent = append(r.sent, slices.Clone(b))
	return nil
}

func (r *recorder) Receive(time.Duration) (link.Datagram, bool) { return link.Datagram{}, false }

// makeFragment returns a fragment with a correct checksum of the datagram; its fields may
// be invalid. Its payload has the checksum 1.
func makeFragment(seq Sequence, id, count int, body []byte) []byte {
	return encodeFragment(header{sequence: seq.low16(), isFragment: true, fragmentID: id, fragmentCount: count, payloadChecksum: 1}, body)
}

func encodeFragment(h header, body []byte) []byte {
	b := append(make([]byte, headerBytes+fragmentHeaderBytes), body...)
	h.encode(b)
	return b
}

// fragmentOf returns a fragment of a payload as Send makes it.
func fragmentOf(payload []byte, seq Sequence, id int) []byte {
	h := header{sequence: seq.low16(), isFragment: true, fragmentID: id, fragmentCount: (len(payload) + FragmentBytes - 1) / FragmentBytes}
	h.payloadChecksum = crc32.Update(checksumSeed, castagnoli, payload)
	return encodeFragment(h, payload[id*FragmentBytes:min((id+1)*FragmentBytes, len(payload))])
}

// withBody returns a fragment like b with another body.
func withBody(b, body []byte) []byte {
	var h header
	h.decode(b)
	return encodeFragment(h, body)
}

// pattern returns n varying bytes.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8)*31 ^ byte(i>>16)*57 ^ seed
	}
	return b
}

// loss returns the share of the other side's packets that have not arrived, in [0,1].
// Packets in flight count as lost until they arrive.
func (s *Stats) loss() float64 {
	if s.Expected == 0 {
		return 0
	}
	return 1 - float64(s.PacketsReceived)/float64(s.Expected)
}

// recentLoss returns the loss in the recent window, in [0,1], and 0 while it is empty.
func (s *Stats) recentLoss() float64 {
	if s.RecentExpected == 0 {
		return 0
	}
	return float64(s.RecentLost) / float64(s.RecentExpected)
}

// receiveAll returns the packets of the last Update.
func receiveAll(e *Endpoint) (all []Packet) {
	for p, ok := e.Receive(); ok; p, ok = e.Receive() {
		all = append(all, p)
	}
	return all
}
