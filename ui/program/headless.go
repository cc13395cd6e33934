//go:build headless

package program

import "ghostcube/ui/cli"

// openWindow is nil: this program has no window.
var openWindow func(*cli.WindowOptions) (opened bool, err error)
