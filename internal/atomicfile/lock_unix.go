//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"syscall"
)

// lock waits until no other program that locks the folder gives files their names there, and returns the end of the lock.
// A folder that cannot be locked, as on some network file systems, is not.
func lock(folder string) (unlock func()) {
	f, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
	}
	return func() { f.Close() }
}
