package socket

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestFirstOf makes attempts of which some fail or hang: the first that succeeds is taken, others are ended and discarded, and an error
// comes only when none is left.
func TestFirstOf(t *testing.T) {
	const interval, most = 20 * time.Millisecond, 4
	bad := errors.New("bad")
	for name, x := range map[string]struct {
		do    string // of each attempt: o opens, l opens late although it is cancelled, f fails, h hangs until it is cancelled
		want  int    // the attempt taken; -1: an error
		tries int
	}{
		"at once": {"o", 0, 1}, "the second": {"ho", 1, 2}, "after a failure beside another one": {"hfo", 2, 3},
		"all fail": {"f", -1, 1}, "late ones are discarded": {"lho", 2, 3}, "no more than allowed": {"hhhhh", -1, 4},
	} {
		var tries atomic.Int32
		discarded := make(chan int, most)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		got, err := firstOf(ctx, interval, most, func(ctx context.Context) (int, error) {
			n := int(tries.Add(1)) - 1
			switch (x.do + "hhhh")[n] { // a busy machine makes more
			case 'f':
				return 0, bad
			case 'h':
				<-ctx.Done()
				return 0, ctx.Err()
			case 'l':
				<-ctx.Done()
			}
			return n, nil
		}, func(n int) { discarded <- n })
		cancel()
		if n := int(tries.Load()); err == nil && got != x.want || (err != nil) != (x.want < 0) || n < x.tries || n > most {
			t.Errorf("%s: attempt %d of %d, error %v", name, got, n, err)
		}
		if slices.Contains([]byte(x.do), 'l') {
			select {
			case n := <-discarded:
				if n != 0 {
					t.Errorf("%s: attempt %d is discarded", name, n)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("%s: nothing is discarded", name)
			}
		}
	}
}
