//go:build !js

package socket

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

// sessionPair returns the two ends of one direction of a session.
func sessionPair(t testing.TB, config Config) (sealer, opener) {
	t.Helper()
	client, server := newAgreement(&config, true, nil), newAgreement(&config, false, nil)
	offer := client.offer(config.Application)
	if got, ok := server.readOffer(&offer); !ok || got != config.Application {
		t.Fatalf("application %q, %v", got, ok)
	}
	answer, _, in, ok := server.answer()
	if !ok {
		t.Fatal("no answer")
	}
	out, _, ok := client.readAnswer(answer)
	if !ok {
		t.Fatal("the answer is not understood")
	}
	return out, in
}

// TestReplayWindow compares the window with a set that remembers everything, over random walks with jumps.
func TestReplayWindow(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		var w replayWindow
		seen := map[uint64]bool{}
		newest := uint64(0)
		at := random.Uint64N(3000)
		for range 5000 {
			switch random.IntN(100) {
			case 0:
				at += random.Uint64N(3000)
			default:
				at += 1 + random.Uint64N(2)
			}
			counter := at - min(at, random.Uint64N(1+random.Uint64N(1500)))
			want := !seen[counter] && (counter >= newest || newest-counter < replayLength)
			if got := w.isNew(counter); got != want {
				t.Fatalf("seed %d: counter %d, newest %d: new %v, want %v", seed, counter, newest, got, want)
			}
			if want {
				w.add(counter)
				seen[counter] = true
				newest = max(newest, counter)
			}
		}
	}
}

// TestCounterWraps checks that the low 32 bits of a counter are enough, across their wrap and with half of them lost.
func TestCounterWraps(t *testing.T) {
	out, in := sessionPair(t, configs()["secure"])
	out.counter = 1<<33 - 500
	in.window.next = out.counter
	for i := range 2000 {
		b := out.append(nil, kindData, []byte{byte(i)})
		if i%2 == 0 {
			continue
		}
		if _, p, err := in.open(b); err != nil || p[0] != byte(i) {
			t.Fatalf("datagram %d: %v", i, err)
		}
	}
}

// TestSessionRefuses checks that no cut, flipped, replayed, reflected or foreign datagram is opened, that none of them
// changes the session, and that the honest one still is.
func TestSessionRefuses(t *testing.T) {
	config := configs()["secure"]
	out, in := sessionPair(t, config)
	foreign, _ := sessionPair(t, config)
	foreignKey := config
	foreignKey.Key = NewKey()
	stranger, _ := sessionPair(t, foreignKey)
	open := func(b []byte) error {
		before := in.window
		_, _, err := in.open(bytes.Clone(b))
		if err != nil && in.window != before {
			t.Error("a refused datagram has moved the window")
		}
		return err
	}
	honest := out.append(nil, kindData, []byte("honest"))
	for bit := range len(honest) * 8 {
		b := bytes.Clone(honest)
		b[bit/8] ^= 1 << (bit % 8)
		if open(b) == nil {
			t.Errorf("opened with bit %d flipped", bit)
		}
	}
	for n := range honest {
		if open(honest[:n]) == nil {
			t.Errorf("opened with %d bytes", n)
		}
	}
	for name, b := range map[string][]byte{
		"longer":             append(bytes.Clone(honest), 0),
		"of another session": foreign.append(nil, kindData, []byte("honest")),
		"with another key":   stranger.append(nil, kindData, []byte("honest")),
		"too long":           make([]byte, maxWire+1),
	} {
		if open(b) == nil {
			t.Errorf("opened one %s", name)
		}
	}
	if err := open(honest); err != nil {
		t.Errorf("the honest datagram: %v", err)
	}
	if err := open(honest); err != errReplayed {
		t.Errorf("the honest datagram again: %v", err)
	}
}

// TestReflection checks that a datagram that is sent back to its sender is refused.
func TestReflection(t *testing.T) {
	p := connectedPair(t, configs()["secure"])
	var sent []byte
	conn := p.client.conn
	conn.write = func(b []byte) error { sent = bytes.Clone(b); return nil }
	conn.Send(p.now, []byte("mine"))
	if conn.arrive(p.now, sent) {
		t.Error("a datagram that was sent back is taken for the server's")
	}
}

// TestKeys checks the text of keys.
func TestKeys(t *testing.T) {
	k := NewKey()
	if got, err := ParseKey(" " + k.String() + "\n"); err != nil || got != k {
		t.Errorf("%v read back: %v, %v", k, got, err)
	}
	for _, bad := range []string{"", "short", k.String() + "a", k.String()[1:] + "1", "ü"} {
		if _, err := ParseKey(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

// TestDocumentedSession reads a datagram of a session, and writes one, as docs/reference/wire.md describes them.
func TestDocumentedSession(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		t.Fatal(err)
	}
	out, in := sealer{aead: aead, counter: 1<<32 + 0x0102}, opener{aead: aead, window: replayWindow{next: 1<<32 + 0x0102}}
	want := []byte{16, 0x02, 0x01, 0, 0}
	nonce := []byte{0, 0, 0, 0, 0x02, 0x01, 0, 0, 1, 0, 0, 0}
	want = aead.Seal(want, nonce, []byte("hello"), want)
	if got := out.append(nil, kindData, []byte("hello")); !bytes.Equal(got, want) || len(got) != 5+Overhead {
		t.Errorf("%x, want %x", got, want)
	}
	if kind, payload, err := in.open(want); kind != kindData || string(payload) != "hello" || err != nil {
		t.Errorf("kind %d, %q, %v", kind, payload, err)
	}
	insecure := sealer{session: 0x04030201}
	if got := insecure.append(nil, kindClose, nil); !bytes.Equal(got, []byte{19, 1, 2, 3, 4}) {
		t.Errorf("insecure: %x", got)
	}
}

// TestDocumentedHandshake compares requests and replies with docs/reference/wire.md.
func TestDocumentedHandshake(t *testing.T) {
	r := request{kind: kindConnect, version: version, mode: modeNoise, nonce: 0x0807060504030201}
	copy(r.cookie[:], bytes.Repeat([]byte{0xcc}, cookieBytes))
	copy(r.offer[:], bytes.Repeat([]byte{0xaa}, offerBytes))
	want := append([]byte{3, 0x47, 0x53, 0x43, 0x42, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8}, bytes.Repeat([]byte{0xcc}, 16)...)
	want = append(append(want, bytes.Repeat([]byte{0xaa}, 112)...), make([]byte, 1222-15-16-112)...)
	if got := r.write(make([]byte, requestBytes)); !bytes.Equal(got, want) {
		t.Errorf("request %x", got[:150])
	}
	if got, ok := parseRequest(want, requestBytes); !ok || got != r {
		t.Errorf("parsed %+v", got)
	}
	answer := reply{kindAccept, 0x0807060504030201, []byte{9}}
	if got := answer.append(nil); !bytes.Equal(got, []byte{4, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("reply %x", got)
	}
}
