//go:build !js

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ghostcube/ui/page"
)

type pageCommand struct {
	Out     string `short:"o" required:"" help:"Folder for the page." placeholder:"DIR"`
	Address string `help:"Address of the page on the web: sites that show a link to it load its picture from there." placeholder:"URL"`
}

// Help returns the detailed help.
func (c *pageCommand) Help() string {
	return `
Any server of static files can serve the folder. The command compiles the program for browsers, so
it needs Go and has to run in the folder of the source or below it. Without them it copies the
finished page of a release, the folder "page" beside the program.

Examples:
  ghostcube page -o page --address https://example.org/lab/
  python3 -m http.server --directory page
`
}

// Run writes the page.
func (c *pageCommand) Run(p *program) error {
	if info, err := os.Stat(c.Out); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("-o %s: it is a file: want a folder", c.Out)}
	}
	if c.Address != "" {
		if _, err := page.ParseAddress(c.Address); err != nil {
			return usageError{fmt.Errorf("--address: %w", err)}
		}
	}
	o := page.Options{Folder: c.Out, Work: ".", Finished: finishedPage(), Version: Version, Address: c.Address}
	ctx, stop := untilSignal()
	defer stop()
	files, err := page.Write(ctx, o)
	if err != nil {
		return err
	}
	return printPage(p.Stdout, c.Out, files)
}

// finishedPage returns the folder of a release's page, beside the program.
func finishedPage() string {
	executable, err := os.Executable()
	if err != nil {
		return "page"
	}
	return filepath.Join(filepath.Dir(executable), "page")
}

// openPage returns the files of a page; an empty name means that of a release.
func openPage(folder string) (fs.FS, error) {
	name := cmp.Or(folder, finishedPage())
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("--page: %w: write a page with ghostcube page -o page, and give --page-folder page", err)
	}
	for _, file := range []string{"index.html", page.ProgramFile} {
		if _, err := root.Stat(file); err != nil {
			return nil, errors.Join(fmt.Errorf("--page-folder: %s has no page: write one with ghostcube page -o %s", name, name), root.Close())
		}
	}
	return root.FS(), nil
}

// printPage prints the files of a page, those of a folder in it as one row, and how to serve them.
func printPage(out io.Writer, folder string, files []page.File) error {
	rows := []page.File{}
	var total page.File
	for _, f := range files {
		if below, _, ok := strings.Cut(f.Name, "/"); ok {
			f.Name = below + "/"
		}
		if n := len(rows); n == 0 || rows[n-1].Name != f.Name {
			rows = append(rows, page.File{Name: f.Name})
		}
		for _, sum := range []*page.File{&rows[len(rows)-1], &total} {
			sum.Size += f.Size
			sum.Gzip += f.Gzip
			sum.Full += f.Full
		}
	}
	t := newTable(out)
	t.row("bytes in "+folder, "on disk", "gzip", "in the browser")
	for _, f := range append(rows, page.File{Name: "total", Size: total.Size, Gzip: total.Gzip, Full: total.Full}) {
		t.row(f.Name, fmt.Sprint(f.Size), fmt.Sprint(f.Gzip), fmt.Sprint(f.Full))
	}
	if err := t.close(); err != nil {
		return err
	}
	if strings.ContainsAny(folder, " \t'\"\\$&;()<>|*?[]#~`!") {
		folder = "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	}
	_, err := fmt.Fprintf(out, "\nserve it: python3 -m http.server --directory %s\n"+
		"open it:  http://localhost:8000/ or a link, such as http://localhost:8000/?compare=prediction\n", folder)
	return err
}
