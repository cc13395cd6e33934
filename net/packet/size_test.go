package packet

import "testing"

// TestWireBytes checks that WireBytes is what an endpoint sends.
func TestWireBytes(t *testing.T) {
	e := NewEndpoint(&singleConn{})
	payload := make([]byte, MaxPayload)
	for n := 0; n <= MaxPayload; n++ {
		if n > 5000 && n%FragmentBytes > 1 {
			continue
		}
		before := e.Stats.BytesSent
		e.Send(payload[:n])
		if got := int(e.Stats.BytesSent - before); got != WireBytes(n) {
			t.Fatalf("a payload of %d bytes takes %d on the wire, WireBytes is %d", n, got, WireBytes(n))
		}
	}
}

// TestPayloadWithin checks that the largest payload for a number of bytes fits, and that
// one byte more does not.
func TestPayloadWithin(t *testing.T) {
	for bytes := 0; bytes < WireBytes(MaxPayload)+100; bytes++ {
		n := PayloadWithin(bytes)
		if n < 0 && bytes >= WireBytes(0) || n >= 0 && WireBytes(n) > bytes || n < MaxPayload && WireBytes(max(n+1, 0)) <= bytes {
			t.Fatalf("%d bytes carry a payload of %d, which takes %d, and one byte more takes %d", bytes, n, WireBytes(n), WireBytes(n+1))
		}
	}
}
