package socket

// replayWindow remembers which of the newest counters have been received. Its zero value has received none.
type replayWindow struct {
	next uint64 // the newest counter received, plus one
	seen [replayWords]uint64
}

const (
	replayWords  = 16
	replayLength = replayWords * 64 // counters; a datagram that comes later than 1023 others is lost
)

// isNew reports whether a counter has neither been received nor is too old to know.
func (w *replayWindow) isNew(counter uint64) bool {
	if counter >= w.next {
		return true
	}
	return w.next-counter <= replayLength && w.seen[counter/64%replayWords]>>(counter%64)&1 == 0
}

// add adds a counter that isNew, of a datagram that is authentic.
func (w *replayWindow) add(counter uint64) {
	for ; w.next <= counter; w.next++ {
		if counter-w.next >= replayLength { // all that was seen is too old
			w.seen, w.next = [replayWords]uint64{}, counter&^63
		}
		w.seen[w.next/64%replayWords] &^= 1 << (w.next % 64)
	}
	w.seen[counter/64%replayWords] |= 1 << (counter % 64)
}
