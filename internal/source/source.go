// Package source brings tests that read or build the whole source tree to its root.
package source

import (
	"errors"
	"io/fs"
	"os"
)

// EnterRoot makes the root of the module, which has go.mod, the working directory. It is for TestMain.
func EnterRoot() {
	for {
		_, err := os.Stat("go.mod")
		if err == nil {
			return
		}
		if !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		before, _ := os.Getwd()
		if err := os.Chdir(".."); err != nil {
			panic(err)
		}
		if after, _ := os.Getwd(); after == before {
			panic("no go.mod above the tests")
		}
	}
}
