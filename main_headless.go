//go:build headless

package main

import "ghostcube/ui/command"

// openWindow is nothing: this program has no window.
var openWindow func(o *command.Opening) (opened bool, err error)
