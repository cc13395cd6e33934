package socket

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// client is the client's side of a handshake. It knows no clock and no socket: the caller asks it for what to send, and
// gives it what arrives.
type client struct {
	config *Config
	conn   *Conn
	newID  func() uint64 // a random nonce

	state     clientState
	request   request
	agreement agreement
	since     time.Duration // the beginning of state
	deadline  time.Duration
	nextSend  time.Duration
	interval  time.Duration
	refused   error // the last refusal
	refusals  int   // of the same reason, in a row
}

type clientState byte

const (
	asking     clientState = iota // for a cookie
	connecting                    // with the cookie and an offer
	confirming                    // has the keys; the server does not know yet whether the client has
	connected
)

// Times of the handshake. At half of all datagrams lost in each direction and 200 ms of round trip, 99.9 % of all
// handshakes end within ten seconds (TestHandshakeUnderLoss).
const (
	firstInterval   = 100 * time.Millisecond // in the first five seconds
	longestInterval = 200 * time.Millisecond // in the first 15
	lateInterval    = time.Second
	longestAfter    = 5 * time.Second
	lateAfter       = 15 * time.Second
	confirmInterval = 50 * time.Millisecond
	startAgainAfter = 8 * time.Second // without an answer to a cookie or the keys: the server may have forgotten
	refusalsToEnd   = 3               // a refusal is not authentic, so one alone ends nothing
)

func newClient(now time.Duration, config *Config, conn *Conn, newID func() uint64) *client {
	c := &client{config: config, conn: conn, newID: newID, deadline: now + config.Timeout, interval: firstInterval}
	c.start(now)
	return c
}

// start begins a handshake.
func (c *client) start(now time.Duration) {
	c.enter(now, asking)
	c.request = request{kind: kindHello, version: version, mode: c.config.mode(), nonce: c.newID()}
}

func (c *client) enter(now time.Duration, s clientState) {
	c.state, c.since, c.nextSend = s, now, now
}

// next sends everything that is due. It returns when to call it again, or why the handshake has failed.
func (c *client) next(now time.Duration) (time.Duration, error) {
	switch {
	case c.refusals >= refusalsToEnd:
		return 0, c.refused
	case now >= c.deadline:
		return 0, c.failure()
	case c.state != asking && now-c.since >= startAgainAfter:
		c.start(now)
	}
	if now < c.nextSend {
		return c.nextSend, nil
	}
	if c.state == confirming {
		c.conn.sending.Lock()
		c.conn.send(now, kindConfirm, nil)
		c.conn.sending.Unlock()
		c.nextSend = now + confirmInterval
		return c.nextSend, nil
	}
	var b [requestBytes]byte
	if c.conn.write(c.request.write(b[:])[:c.config.requestSize()]) != nil {
		c.conn.sending.errors++
	}
	c.nextSend = now + c.interval
	switch age := now - (c.deadline - c.config.Timeout); {
	case age > lateAfter:
		c.interval = min(c.interval*5/4, lateInterval)
	case age > longestAfter:
		c.interval = min(c.interval*5/4, longestInterval)
	}
	return c.nextSend, nil
}

// failure returns the error of a handshake that has run out of time.
func (c *client) failure() error {
	if c.refused != nil {
		return c.refused
	}
	if c.state == asking {
		return fmt.Errorf("%w within %v: is the server running, does it listen by UDP, and does its firewall let UDP through?", ErrSilent, c.config.Timeout)
	}
	return fmt.Errorf("the server answered but the handshake did not end within %v", c.config.Timeout)
}

// arrive handles a datagram from the network.
func (c *client) arrive(now time.Duration, datagram []byte) {
	if c.state == confirming && c.conn.arrive(now, datagram) {
		c.state = connected
		return
	}
	r, ok := parseReply(datagram)
	if !ok || r.nonce != c.request.nonce {
		return
	}
	switch {
	case r.kind == kindCookie && c.state == asking && len(r.body) == cookieBytes:
		c.request.kind, c.request.cookie = kindConnect, [cookieBytes]byte(r.body)
		c.agreement = newAgreement(c.config, true, c.request.prologue())
		c.request.offer = c.agreement.offer(c.config.Application)
		c.enter(now, connecting)
	case r.kind == kindAccept && c.state == connecting:
		if out, in, ok := c.agreement.readAnswer(r.body); ok {
			c.conn.begin(now, out, in)
			c.enter(now, confirming)
		}
	case r.kind == kindRefuse && c.state <= connecting && len(r.body) == 1+applicationBytes:
		c.refuse(now, r.body)
	}
}

// refuse counts a refusal. The same one has to arrive several times, each for another request.
func (c *client) refuse(now time.Duration, body []byte) {
	reason := int(body[0])
	if reason == 0 || reason >= len(refusals) {
		return
	}
	err := refusals[reason]
	if reason == refusedApplication {
		err = fmt.Errorf("%w: %q, not %q", err, applicationText(body[1:]), c.config.Application)
	}
	if c.refused == nil || !errors.Is(c.refused, refusals[reason]) {
		c.refusals = 0
	}
	c.refused = err
	c.refusals++
	c.request.nonce = c.newID() // another copy of this refusal does not count
	if c.state == connecting {
		c.start(now)
	}
	c.nextSend = now + firstInterval
}

// randomNonce returns a random number that no one can guess.
func randomNonce() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// attempt is a client's connection from its first request on, on the clock of the process.
type attempt struct {
	conn      *Conn
	handshake *client
	isUp      bool
	connected chan<- error // receives how the handshake has ended
}

func newAttempt(conn *Conn, connected chan<- error) *attempt {
	a := &attempt{conn: conn, connected: connected}
	a.handshake = newClient(a.now(), conn.config, conn, randomNonce)
	return a
}

func (a *attempt) now() time.Duration { return time.Since(a.conn.config.Start) }

// due sends pending packets and returns when to call it next, or the zero time if the handshake has failed.
func (a *attempt) due() time.Time {
	if a.isUp {
		a.conn.tick(a.now())
		a.conn.peers.tick(a.now())
		return time.Now().Add(housekeeping)
	}
	next, err := a.handshake.next(a.now())
	if err != nil {
		a.connected <- err
		return time.Time{}
	}
	return a.conn.config.Start.Add(next)
}

// arrive handles a datagram from the network. It reports whether due has to be called at once.
func (a *attempt) arrive(datagram []byte) (isDue bool) {
	if a.isUp {
		a.conn.arrive(a.now(), datagram)
		return false
	}
	now := a.now()
	a.handshake.arrive(now, datagram)
	if a.handshake.state == connected {
		a.isUp = true
		a.connected <- nil
	}
	return a.isUp || a.handshake.nextSend <= now
}
