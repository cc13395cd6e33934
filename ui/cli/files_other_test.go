//go:build !linux && (!js || headless)

package cli

import "testing"

// TestPageOfFiles says that its cases run elsewhere.
func TestPageOfFiles(t *testing.T) {
	t.Skip("mounts a full disk, limits files and sends signals as Linux does")
}
