package packet

// pageBytes is the size of an allocation.
const pageBytes = 64 << 10

// arena allocates payloads that are released all at once. A payload larger than a page
// uses the only large buffer, which is allocated with the arena, so no datagram
// causes an allocation larger than a page.
type arena struct {
	pages      [][]byte
	page       int // index of the page in use
	used       int // bytes used of that page
	large      []byte
	largeInUse bool
}

func newArena() arena { return arena{large: make([]byte, MaxPayload)} }

// reset releases all memory.
func (a *arena) reset() { a.page, a.used, a.largeInUse = 0, 0, false }

// hasRoom reports whether alloc can return n bytes, at most MaxPayload.
func (a *arena) hasRoom(n int) bool { return n <= pageBytes || !a.largeInUse }

// alloc returns n bytes, which may contain anything. hasRoom must be true.
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
