package socket

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// bucket is a token bucket, full at first.
type bucket struct {
	used float64 // tokens taken and not yet regained
	at   time.Duration
}

// take takes a token of a bucket of burst tokens, which regains rate of them a second. It is false if there is none.
func (b *bucket) take(now time.Duration, rate, burst float64) bool {
	b.used = max(0, b.used-(now-b.at).Seconds()*rate)
	b.at = now
	if b.used+1 > burst {
		return false
	}
	b.used++
	return true
}

// limiter limits what one source may ask for, and all of them. Its memory is fixed: sources whose secret hashes are
// equal share a bucket.
type limiter struct {
	perSource, inTotal float64 // a second, and at once
	seed               maphash.Seed
	sources            [1024]bucket
	total              bucket
}

func newLimiter(perSource, inTotal float64) *limiter {
	return &limiter{perSource: perSource, inTotal: inTotal, seed: maphash.MakeSeed()}
}

// allow reports whether a source may ask now. IPv6 addresses of one /64 are one source.
func (l *limiter) allow(now time.Duration, from netip.Addr) bool {
	b := from.As16()
	if !from.Is4() {
		clear(b[8:])
	}
	s := &l.sources[maphash.Bytes(l.seed, b[:])%uint64(len(l.sources))]
	return s.take(now, l.perSource, l.perSource) && l.total.take(now, l.inTotal, l.inTotal)
}
