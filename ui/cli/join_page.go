//go:build js && !headless

package cli

import (
	"fmt"
	"time"

	"ghostcube/net/socket"
	"ghostcube/predict/lab/remote"
)

// joinCommand joins the server that serves this page, with the parameters of the link.
type joinCommand struct {
	Key   string `required:"" help:"Key of the session." placeholder:"KEY"`
	Name  string `required:"" help:"Name of the player." placeholder:"NAME"`
	Watch bool   `help:"Watch without a seat."`

	WindowFlags `embed:""`
}

// Run joins the server.
func (c *joinCommand) Run(p *program) error {
	start := time.Now()
	config := socket.Config{Start: start, Insecure: c.Key == insecureFragment, Application: application()}
	if !config.Insecure {
		var err error
		if config.Key, err = socket.ParseKey(c.Key); err != nil {
			return usageError{err}
		}
	}
	ctx, stop := untilSignal()
	defer stop()
	conn, err := socket.DialPage(ctx, socket.Signal, config)
	if err != nil {
		return err
	}
	client, err := remote.NewClient(remote.ClientConfig{Name: c.Name, Version: Version, Ghost: true, Watch: c.Watch}, conn, time.Since(start))
	if err != nil {
		return usageError{err}
	}
	j := &joined{client: client, start: start, pump: func(time.Duration) {}}
	for client.Lab == nil {
		if now := time.Since(start); client.Next() > now {
			time.Sleep(client.Next() - now)
		}
		if err := client.Step(time.Since(start), nil); err != nil {
			return err
		}
	}
	reason, err := p.openJoined(j, &c.WindowFlags)
	if reason != "" {
		return fmt.Errorf("no window: %s", reason)
	}
	return err
}
