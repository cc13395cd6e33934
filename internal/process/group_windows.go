// Package process starts other programs so that signals reach this one alone.
package process

import (
	"os/exec"
	"syscall"
)

// OwnGroup keeps the terminal's Ctrl-C from a program, which ends when this one ends it.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
