//go:build !unix && !windows

package video

import "os/exec"

// ownGroup does nothing: no program is started here.
func ownGroup(*exec.Cmd) {}
