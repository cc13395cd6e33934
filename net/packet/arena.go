package packet

// pageBytes is what an arena asks for at a time.
const pageBytes = 64 << 10

// arena is memory that stays where it is until all of it is given back. What
// is larger than a page has memory of its own.
type arena struct {
	pages [][]byte
	page  int // in use
	used  int // bytes of it
	large [][]byte
	big   int // of them in use
}

// reset takes all memory back.
func (a *arena) reset() { a.page, a.used, a.big = 0, 0, 0 }

// get returns memory of n bytes, at most MaxPayload, which may hold anything.
func (a *arena) get(n int) []byte {
	if n > pageBytes {
		if a.big == len(a.large) {
			a.large = append(a.large, make([]byte, MaxPayload))
		}
		a.big++
		return a.large[a.big-1][:n:n]
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
