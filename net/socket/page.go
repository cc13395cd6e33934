//go:build !js

package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Page serves a page over HTTP, and accepts connections from it: unreliable and unordered data channels of WebRTC, over
// UDP at the port of the same number. A channel carries the same handshake as UDP, with cookie and key.
//
// WebRTC is ICE-lite here: the server answers, but probes no address. It ignores the addresses in an offer, and datagrams from
// hosts that have made no offer over TCP, which proves their address. So it sends nothing to strangers.
type Page struct {
	web      http.Server
	listener net.Listener
	browsers *browsers
	server   *server
	config   Config
	closed   sync.Once
	stop     chan struct{}
	running  sync.WaitGroup
}

// Limits on the resources that the visitors of a page can use.
const (
	maxOffer       = 8 << 10 // bytes
	maxWebHeader   = 8 << 10 // bytes of a request's header
	offersPerHost  = 4       // a second
	offersOfPage   = 40
	webHeaderTime  = 5 * time.Second
	webRequestTime = 10 * time.Second
	webAnswerTime  = 5 * time.Minute // for the whole program over a slow line
	webIdleTime    = 30 * time.Second
)

// ServePage serves files at an address such as :8080, as Listen does, and accepts connections with the same Config.
func ServePage(address string, files fs.FS, config Config) (*Page, error) {
	config, err := config.check()
	if err != nil {
		return nil, fmt.Errorf("serve the page at %s: %w", address, err)
	}
	config.unpadded = true
	listener, udp, err := listenBoth(address)
	if err != nil {
		return nil, fmt.Errorf("serve the page at %s: %w", address, explain(err))
	}
	p := &Page{config: config, listener: &visits{Listener: listener, of: map[netip.Addr]int{}}, stop: make(chan struct{})}
	p.server = newServer(&p.config, func(to netip.AddrPort, b []byte) error { return p.browsers.write(to, b) })
	if p.browsers, err = newBrowsers(udp, &p.config, p.server); err != nil {
		return nil, errors.Join(err, listener.Close(), udp.Close())
	}
	offers := newLimiter(offersPerHost, offersOfPage)
	var mutex sync.Mutex // of offers
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Signal, func(w http.ResponseWriter, r *http.Request) {
		from := hostOf(r.RemoteAddr)
		mutex.Lock()
		allowed := offers.allow(p.now(), from)
		mutex.Unlock()
		if !allowed {
			http.Error(w, "too many attempts: wait a second", http.StatusTooManyRequests)
			return
		}
		p.answer(w, r, from)
	})
	mux.Handle("GET /", http.FileServerFS(files))
	p.web = http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			mux.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: webHeaderTime, ReadTimeout: webRequestTime, WriteTimeout: webAnswerTime, IdleTimeout: webIdleTime,
		MaxHeaderBytes: maxWebHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	p.running.Go(func() { _ = p.web.Serve(p.listener) }) // until Close
	p.running.Go(p.run)
	return p, nil
}

// listenBoth listens at a TCP port and the UDP port of the same number.
func listenBoth(address string) (listener net.Listener, udp *net.UDPConn, err error) {
	for range 10 { // port 0 is any port that is free for TCP
		if listener, err = net.Listen("tcp", address); err != nil {
			return nil, nil, err
		}
		at := listener.Addr().(*net.TCPAddr)
		if udp, err = net.ListenUDP("udp", &net.UDPAddr{IP: at.IP, Port: at.Port, Zone: at.Zone}); err == nil {
			_ = udp.SetReadBuffer(receiveBuffer)
			return listener, udp, nil
		}
		listener.Close()
		if _, port, _ := net.SplitHostPort(address); port != "0" {
			break
		}
	}
	return nil, nil, err
}

func (p *Page) now() time.Duration { return time.Since(p.config.Start) }

// run keeps the connections alive until Close.
func (p *Page) run() {
	tick := time.NewTicker(housekeeping)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.server.tick(p.now())
			p.browsers.tick(p.now())
		}
	}
}

// answer answers the offer of a browser.
func (p *Page) answer(w http.ResponseWriter, r *http.Request, from netip.Addr) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOffer))
	if err != nil {
		http.Error(w, "an offer that is too long, or incomplete", http.StatusRequestEntityTooLarge)
		return
	}
	o, err := parseOffer(string(text))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	at, err := netip.ParseAddrPort(fmt.Sprint(r.Context().Value(http.LocalAddrContextKey)))
	if err != nil {
		http.Error(w, "no address to connect to", http.StatusInternalServerError)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), webRequestTime)
	defer cancel()
	answer, err := p.browsers.answer(ctx, p.now(), o, from)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/sdp")
	_, _ = io.WriteString(w, withCandidate(answer, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))) // the browser has left otherwise
}

// Accept returns the next connection whose handshake has ended, without waiting. It is false if there is none.
func (p *Page) Accept() (*Conn, bool) { return p.server.take() }

// Addresses returns the addresses, with the port, at which others may open the page, as those of a Listener.
func (p *Page) Addresses() []netip.AddrPort {
	return addresses(p.listener.Addr().(*net.TCPAddr).AddrPort())
}

// Close closes all connections, and ends the page.
func (p *Page) Close() (err error) {
	p.closed.Do(func() {
		p.server.close()
		err = p.web.Close()
		close(p.stop)
		p.running.Wait()
		p.browsers.close()
	})
	return err
}
