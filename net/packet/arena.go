package packet

// pageBytes is what an arena asks for at a time.
const pageBytes = 64 << 10

// arena is memory that stays where it is until all of it is given back. What
// is larger than a page has a place of its own, of which there is one, taken
// with the arena: so no datagram that arrives asks for more than a page.
type arena struct {
	pages      [][]byte
	page       int // in use
	used       int // bytes of it
	large      []byte
	largeInUse bool // large is in use
}

func newArena() arena { return arena{large: make([]byte, MaxPayload)} }

// reset takes all memory back.
func (a *arena) reset() { a.page, a.used, a.largeInUse = 0, 0, false }

// hasRoom reports whether there is memory of n bytes, at most MaxPayload.
func (a *arena) hasRoom(n int) bool { return n <= pageBytes || !a.largeInUse }

// alloc returns memory of n bytes, for which there is room. It may hold anything.
func (a *arena) alloc(n int) []byte {
	if n > pageBytes {
		a.largeInUse = true
		return a.large[:n:n]
	}
	if a.used+n > pageBytes {
		a.page++
		a.used = 0
	}
	if a.page == len(a.pages) {
		a.pages = append(a.pages, make([]byte, pageBytes))
	}
	b := a.pages[a.page][a.used : a.used+n : a.used+n]
	a.used += n
	return b
}
