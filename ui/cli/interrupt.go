package cli

import (
	"os"
	"os/signal"
	"sync"
)

// stopOnInterrupt returns a channel that the first interrupt closes, and a function that ends the watch and reports
// whether there was one. A second interrupt ends the program.
func stopOnInterrupt() (stop <-chan struct{}, interrupted func() bool) {
	signals, closed, end := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	var group sync.WaitGroup
	was := false
	group.Go(func() {
		select {
		case <-signals:
			was = true
			close(closed)
		case <-end:
		}
		signal.Stop(signals)
	})
	return closed, func() bool {
		close(end)
		group.Wait()
		return was
	}
}
