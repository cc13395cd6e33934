//go:build !js

package socket

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestHandshakeIsQuick checks that each step of a handshake follows the reply that it waits for, and not the next retransmission: the
// handshake takes three round trips, on the loopback far less than an interval.
func TestHandshakeIsQuick(t *testing.T) {
	for name, transport := range map[string]Transport{"UDP": UDP, "TCP": TCP} {
		c := configs()["secure"]
		c.Transport = transport
		l, err := Listen("127.0.0.1:0", c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		var took []time.Duration
		for range 9 {
			begin := time.Now()
			client, err := Dial(context.Background(), l.Addr().String(), c)
			if err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(begin))
			client.Close()
		}
		slices.Sort(took)
		t.Logf("%s: %v to %v, median %v", name, took[0], took[len(took)-1], took[len(took)/2])
		if took[0] > firstInterval { // a busy machine delays some of them
			t.Errorf("%s: each handshake on the loopback takes %v or more", name, took[0])
		}
	}
}
