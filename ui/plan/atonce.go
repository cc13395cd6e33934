package plan

import (
	"runtime"
	"sync"

	"ghostcube/predict/lab"
)

// call is one call of a function by number.
type call struct {
	do   func(i int)
	i    int
	done *sync.WaitGroup
}

// calls are the calls that wait for a worker. Workers start once, one for each pane besides the caller's, and stay: a call
// costs no goroutine and no memory.
var (
	calls   = make(chan call)
	workers sync.Once
	waits   = sync.Pool{New: func() any { return new(sync.WaitGroup) }}
)

// AtOnce calls do with each of the numbers 0 to n-1 and returns when all have returned. Calls run at the same time, as far
// as there are cores; on one core it calls them in order. do must not call AtOnce.
func AtOnce(n int, do func(i int)) {
	if runtime.GOMAXPROCS(0) == 1 {
		for i := range n {
			do(i)
		}
		return
	}
	workers.Do(func() {
		for range lab.MaxPanes - 1 {
			go func() {
				for c := range calls {
					c.do(c.i)
					c.done.Done()
				}
			}()
		}
	})
	done := waits.Get().(*sync.WaitGroup)
	for i := range n {
		if i == n-1 {
			do(i)
			break
		}
		done.Add(1)
		select {
		case calls <- call{do, i, done}:
		default: // all workers are busy
			done.Done()
			do(i)
		}
	}
	done.Wait()
	waits.Put(done)
}
