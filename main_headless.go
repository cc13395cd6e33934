//go:build headless

package main

import "ghostcube/ui/cli"

// openWindow is nothing: this program has no window.
var openWindow func(o *cli.WindowOptions) (opened bool, err error)
