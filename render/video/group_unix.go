//go:build unix

package video

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C from a program: ours ends the video.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
