//go:build !linux

package cli

import "testing"

// TestFiles says that its cases run elsewhere.
func TestFiles(t *testing.T) {
	t.Skip("mounts a full disk, limits files and sends signals as Linux does")
}
