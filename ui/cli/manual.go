//go:build !js || headless

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

// Run prints the manual page.
func (c *manCommand) Run(p *program) error {
	parser, err := p.newParser(&arguments{})
	if err != nil {
		return err
	}
	m := manual{p.Stdout}
	fmt.Fprintf(m.out, ".TH GHOSTCUBE 1 \"\" \"ghostcube %s\" \"User Commands\"\n", Version)
	m.section("NAME")
	m.line(`ghostcube \- a laboratory for networked physics`)
	m.section("SYNOPSIS")
	m.line(`.B ghostcube`)
	m.line(`[\fIcommand\fR] [\fIflags\fR]`)
	m.section("DESCRIPTION")
	m.text(parser.Model.Help)
	m.details(parser.Model.Detail)
	m.flags(parser.Model.Flags)
	m.section("COMMANDS")
	for _, n := range parser.Model.Children {
		fmt.Fprintf(m.out, ".SS %s\n", m.escape(strings.TrimPrefix(n.Path(), "ghostcube ")))
		m.text(n.Help)
		m.details(n.Detail)
		for _, a := range n.Positional {
			m.item(a.Summary(), a.Help)
		}
		m.flags(n.Flags)
	}
	m.section("EXIT STATUS")
	m.text("0 for success, 2 for a usage error, 1 for any other error, also if a signal has ended the command early.")
	return nil
}

// manual writes a page in the macros of man(7).
type manual struct{ out io.Writer }

func (m manual) line(s string) { fmt.Fprintln(m.out, s) }

func (m manual) section(name string) { fmt.Fprintf(m.out, ".SH %q\n", name) }

// escape returns a text without anything that the formatter acts on.
func (m manual) escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

func (m manual) text(s string) { m.line(m.escape(s)) }

func (m manual) item(head, text string) {
	fmt.Fprintf(m.out, ".TP\n%s\n%s\n", m.escape(head), m.escape(text))
}

// details writes the detailed help of a command: paragraphs, and examples as they are.
func (m manual) details(s string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		if paragraph == "" {
			continue
		}
		m.line(".PP")
		verbatim := false
		for line := range strings.SplitSeq(paragraph, "\n") {
			if indented := strings.HasPrefix(line, "  "); indented != verbatim {
				verbatim = indented
				m.line(map[bool]string{true: ".nf", false: ".fi"}[verbatim])
			}
			m.text(line)
		}
		if verbatim {
			m.line(".fi")
		}
	}
}

// flags writes flags with their help.
func (m manual) flags(list []*kong.Flag) {
	for _, f := range list {
		if !f.Hidden {
			m.item(f.String(), f.Help)
		}
	}
}
