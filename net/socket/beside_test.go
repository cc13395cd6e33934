package socket

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestFirstOf makes attempts, some of which fail or hang: the first that succeeds is taken, others are cancelled and discarded, and an
// error comes only when none is left. The clock is simulated, so the number of attempts is exact.
func TestFirstOf(t *testing.T) {
	const interval, most = 20 * time.Millisecond, 4
	bad := errors.New("bad")
	for name, x := range map[string]struct {
		do    string // of each attempt: o opens, l opens late although it is cancelled, f fails, h hangs until it is cancelled
		want  int    // the attempt taken; -1: an error
		tries int
	}{
		"at once": {"o", 0, 1}, "the second": {"ho", 1, 2}, "after a failure beside another one": {"hfo", 2, 3},
		"all fail": {"f", -1, 1}, "late ones are discarded": {"lho", 2, 3}, "no more than allowed": {"hhhhh", -1, most},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex // attempts are made at the same time
				tries := 0
				var discarded []int
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				got, err := firstOf(ctx, interval, most, func(ctx context.Context) (int, error) {
					mu.Lock()
					n := tries
					tries++
					mu.Unlock()
					switch x.do[n] {
					case 'f':
						return 0, bad
					case 'h':
						<-ctx.Done()
						return 0, ctx.Err()
					case 'l':
						<-ctx.Done()
					}
					return n, nil
				}, func(n int) {
					mu.Lock()
					defer mu.Unlock()
					discarded = append(discarded, n)
				})
				synctest.Wait() // for the cancelled attempts
				mu.Lock()
				defer mu.Unlock()
				if err == nil && got != x.want || (err != nil) != (x.want < 0) || tries != x.tries {
					t.Errorf("attempt %d of %d, want %d of %d; error %v", got, tries, x.want, x.tries, err)
				}
				if want := x.do[0] == 'l'; want != slices.Equal(discarded, []int{0}) || !want && len(discarded) > 0 {
					t.Errorf("discarded: %v", discarded)
				}
			})
		})
	}
}
