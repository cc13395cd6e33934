package socket

import (
	"context"
	"time"
)

// A browser that waits for its connection makes further attempts in parallel: the packets that establish a channel are sent again at
// intervals that double, so that a new attempt soon overtakes one that has lost several.
const (
	besideAfter  = 4 * time.Second
	besideAtMost = 4 // attempts
)

// firstOf calls open every interval, at most most times, until a call succeeds. It cancels the other calls and discards their
// results. If all calls have failed it returns the error of the last one.
func firstOf[T any](ctx context.Context, interval time.Duration, most int, open func(context.Context) (T, error), discard func(T)) (first T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		T   T
		err error
	}
	results, begun, running := make(chan result), 0, 0
	begin := func() {
		begun++
		running++
		go func() {
			x, err := open(ctx)
			results <- result{x, err}
		}()
	}
	defer func() {
		go func() {
			for ; running > 0; running-- {
				if r := <-results; r.err == nil {
					discard(r.T)
				}
			}
		}()
	}()
	next := time.NewTicker(interval)
	defer next.Stop()
	for begin(); ; {
		select {
		case <-next.C:
			if begun < most {
				begin()
			}
		case r := <-results:
			if running--; r.err == nil {
				return r.T, nil
			}
			if running == 0 {
				return first, r.err
			}
		case <-ctx.Done():
			return first, ctx.Err()
		}
	}
}
