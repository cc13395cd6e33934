//go:build headless

package socket

import (
	"errors"
	"io/fs"
	"net/netip"
)

// Page is what ServePage would return.
type Page struct{}

// ServePage returns an error: a program in a browser cannot listen.
func ServePage(string, fs.FS, Config) (*Page, error) {
	return nil, errors.New("a program in a browser serves no page")
}

// Accept is never called.
func (p *Page) Accept() (*Conn, bool) { return nil, false }

// Addresses is never called.
func (p *Page) Addresses() []netip.AddrPort { return nil }

// Close is never called.
func (p *Page) Close() error { return nil }
