package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the error of a command that was interrupted before it had anything to show.
var errInterrupted = errors.New("interrupted before there was a result")

// untilSignal returns a context that the first Ctrl-C or SIGTERM ends, and a function that ends the watch. A command
// stops then with what there is, and its exit code is 1. A second signal kills the program.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, cancel)
	return ctx, cancel
}
