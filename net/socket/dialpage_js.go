package socket

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"syscall/js"
	"time"
)

// maxUnsent are the bytes that may wait in the browser. What exceeds them is lost, as in a full socket.
const maxUnsent = 4 << 10

// DialPage connects the page in which this program runs to the Page that serves it, as Dial does: through a data channel of
// WebRTC, to which the server answers at the address signal.
func DialPage(ctx context.Context, signal string, config Config) (*Conn, error) {
	c, err := dialPage(ctx, signal, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the page's server: %w", err)
	}
	return c, nil
}

func dialPage(ctx context.Context, signal string, config Config) (*Conn, error) {
	config, err := config.check()
	if err != nil {
		return nil, err
	}
	if js.Global().Get("RTCPeerConnection").Type() != js.TypeFunction {
		return nil, errors.New("this browser has no WebRTC, or it is turned off")
	}
	config.unpadded = true
	until := time.Now().Add(config.Timeout)
	x, err := firstOf(ctx, besideAfter, besideAtMost, func(ctx context.Context) (*pageChannel, error) {
		return connectPage(ctx, until, signal, &config)
	}, func(x *pageChannel) { x.conn.Close() })
	if err != nil {
		return nil, err
	}
	return x.conn, nil
}

// connectPage opens a channel until a time, and connects through it.
func connectPage(ctx context.Context, until time.Time, signal string, config *Config) (*pageChannel, error) {
	x := &pageChannel{
		peer: js.Global().Get("RTCPeerConnection").New(), sent: js.Global().Get("Uint8Array").New(maxWire), soon: make(chan struct{}, 1),
	}
	x.conn = newConn(netip.AddrPort{}, config, x.write)
	x.conn.finish = sync.OnceFunc(x.close)
	within, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if err := x.open(within, signal); err != nil {
		x.conn.Close()
		return nil, timeoutOf(within, err, config.Timeout)
	}
	connected, err := make(chan error, 1), error(nil)
	x.mutex.Lock()
	x.attempt = newAttempt(x.conn, connected)
	x.mutex.Unlock()
	go x.run()
	select {
	case err = <-connected:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		x.conn.Close()
		return nil, err
	}
	return x, nil
}

// timeoutOf returns an error, or that of the time that is over.
func timeoutOf(ctx context.Context, err error, timeout time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no path to the server within %v: is it running, and does its firewall let UDP through?", timeout)
	}
	return err
}

// pageChannel is the browser's data channel to the server.
type pageChannel struct {
	conn          *Conn
	peer, channel js.Value
	sent          js.Value // memory for the datagram that is sent
	listeners     []listener
	soon          chan struct{} // the attempt has something to send

	mutex   sync.Mutex
	attempt *attempt // takes the datagrams; nil: none yet
	closed  bool
}

// listener is a function that the browser calls.
type listener struct {
	target js.Value
	event  string
	js.Func
}

// open opens the channel.
func (p *pageChannel) open(ctx context.Context, signal string) error {
	p.channel = p.peer.Call("createDataChannel", "ghostcube", map[string]any{
		"ordered": false, "maxRetransmits": 0, "negotiated": true, "id": 0, // as the server's
	})
	p.channel.Set("binaryType", "arraybuffer")
	opened := make(chan struct{}, 1)
	p.on(p.channel, "open", func(js.Value) { opened <- struct{}{} })
	p.on(p.channel, "message", p.arrive)
	p.on(p.channel, "close", func(js.Value) { p.conn.end(ErrLeft) })
	p.on(js.Global(), "pagehide", func(js.Value) { p.leave() })
	description, err := settled(ctx, p.peer.Call("createOffer"))
	if err != nil {
		return err
	}
	if _, err := settled(ctx, p.peer.Call("setLocalDescription", description)); err != nil {
		return err
	}
	answer, err := p.signal(ctx, signal, description.Get("sdp").String())
	if err != nil {
		return err
	}
	if _, err := settled(ctx, p.peer.Call("setRemoteDescription", map[string]any{"type": "answer", "sdp": answer})); err != nil {
		return err
	}
	p.addPageAddress(ctx)
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// signal posts an offer to the server and returns its answer.
func (p *pageChannel) signal(ctx context.Context, to, offer string) (string, error) {
	response, err := settled(ctx, js.Global().Call("fetch", to, map[string]any{"method": "POST", "body": offer}))
	if err != nil {
		return "", fmt.Errorf("%w: is the server running?", err)
	}
	text, err := settled(ctx, response.Call("text"))
	if err != nil {
		return "", err
	}
	if !response.Get("ok").Bool() {
		return "", fmt.Errorf("the server answers %d: %.200s", response.Get("status").Int(), printable(text.String()))
	}
	return text.String(), nil
}

// addPageAddress tells the browser the address of the page's server, if it is a number: behind a router that forwards the
// port, the server knows only its own address in its network.
func (p *pageChannel) addPageAddress(ctx context.Context) {
	location := js.Global().Get("location")
	host, err := netip.ParseAddr(strings.Trim(location.Get("hostname").String(), "[]"))
	if port := location.Get("port").String(); err == nil && port != "" {
		go settled(ctx, p.peer.Call("addIceCandidate", map[string]any{
			"candidate": fmt.Sprintf("candidate:2 1 udp 2130706175 %v %s typ host", host, port), "sdpMLineIndex": 0,
		})) // a browser that does not take it has the other one
	}
}

// on calls do with the events of a kind that a target has.
func (p *pageChannel) on(target js.Value, event string, do func(js.Value)) {
	f := js.FuncOf(func(_ js.Value, args []js.Value) any {
		do(args[0])
		return nil
	})
	p.listeners = append(p.listeners, listener{target, event, f})
	target.Call("addEventListener", event, f)
}

// arrive takes a message. Its time is that of the event loop, and so may be later than that of its arrival.
func (p *pageChannel) arrive(event js.Value) {
	data := event.Get("data")
	if data.Type() != js.TypeObject || !data.InstanceOf(js.Global().Get("ArrayBuffer")) {
		return
	}
	if n := data.Get("byteLength").Int(); n <= maxWire {
		b := make([]byte, n)
		js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(data))
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.attempt != nil && p.attempt.arrive(b) {
			select {
			case p.soon <- struct{}{}:
			default:
			}
		}
	}
}

// run sends pending packets until the channel is closed.
func (p *pageChannel) run() {
	for {
		p.mutex.Lock()
		var next time.Time
		if !p.closed {
			next = p.attempt.due()
		}
		p.mutex.Unlock()
		if next.IsZero() {
			return
		}
		select {
		case <-p.soon:
		case <-time.After(min(time.Until(next), housekeeping)):
		}
	}
}

var errUnsent = errors.New("the browser has not sent it")

// write sends a datagram.
func (p *pageChannel) write(b []byte) error {
	if p.channel.Get("readyState").String() != "open" || p.channel.Get("bufferedAmount").Int() > maxUnsent {
		return errUnsent
	}
	js.CopyBytesToJS(p.sent, b)
	p.channel.Call("send", p.sent.Call("subarray", 0, len(b)))
	return nil
}

// leave tells the server that the user is leaving the page. The browser then closes the channel after sending everything.
func (p *pageChannel) leave() {
	if p.conn.end(ErrClosed) && p.conn.sending.begun {
		p.conn.sayClosed(0, closeCopies)
	}
}

// close closes the channel.
func (p *pageChannel) close() {
	p.mutex.Lock()
	p.closed = true
	p.mutex.Unlock()
	p.peer.Call("close")
	for _, l := range p.listeners {
		l.target.Call("removeEventListener", l.event, l.Func)
		l.Release()
	}
}

// settled waits for a promise.
func settled(ctx context.Context, promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	results := make(chan result, 1)
	var kept, broken js.Func
	end := func(r result) any {
		kept.Release()
		broken.Release()
		results <- r
		return nil
	}
	kept = js.FuncOf(func(_ js.Value, args []js.Value) any { return end(result{value: args[0]}) })
	broken = js.FuncOf(func(_ js.Value, args []js.Value) any {
		return end(result{err: errors.New(printable(args[0].Call("toString").String()))})
	})
	promise.Call("then", kept, broken)
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}
