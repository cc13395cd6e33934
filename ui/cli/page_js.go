package cli

import (
	"errors"
	"io/fs"
)

// pageCommand has no use in a page, which then needs neither the documentation nor what makes HTML of it.
type pageCommand struct{}

// Run returns an error.
func (c *pageCommand) Run() error {
	return errors.New("a page cannot write pages: run the command on a desktop")
}

// openPage returns an error.
func openPage(string) (fs.FS, error) {
	return nil, errors.New("a program in a browser serves no page")
}
