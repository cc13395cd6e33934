//go:build !js

package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// clipboardTool is two programs: one that puts its input into the clipboard, and one that prints the text there.
type clipboardTool struct{ copy, paste []string }

// clipboardTools are those of Wayland, X11, macOS and Windows.
var clipboardTools = []clipboardTool{
	{[]string{"wl-copy"}, []string{"wl-paste", "--no-newline", "--type", "text"}},
	{[]string{"xclip", "-selection", "clipboard"}, []string{"xclip", "-selection", "clipboard", "-out"}},
	{[]string{"xsel", "--clipboard", "--input"}, []string{"xsel", "--clipboard", "--output"}},
	{[]string{"pbcopy"}, []string{"pbpaste"}},
	{[]string{"clip.exe"}, []string{"powershell.exe", "-NoProfile", "-Command", "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"}},
}

// clipboardTime is how long a tool may take. The window that owns the clipboard's text may not answer.
var clipboardTime = 5 * time.Second

// maxPaste is the length of the longest text that is read from the clipboard, in bytes.
const maxPaste = 1 << 16

// errNoClipboard is the error of a machine without any of the tools.
var errNoClipboard = errors.New("none of wl-clipboard, xclip and xsel is installed")

// CopyText copies a text to the clipboard. On a desktop it uses the first tool that is installed and works.
func CopyText(text string) error {
	return useClipboard(func(t clipboardTool) error {
		return runTool(t.copy, func(cmd *exec.Cmd) error {
			cmd.Stdin = strings.NewReader(text)
			return cmd.Run()
		})
	})
}

// PasteText returns the text in the clipboard, of a very long one the start. On a desktop it uses the first tool that is
// installed and works.
func PasteText() (text string, err error) {
	err = useClipboard(func(t clipboardTool) error {
		return runTool(t.paste, func(cmd *exec.Cmd) error {
			text, err = startOfOutput(cmd)
			return err
		})
	})
	return text, err
}

// useClipboard uses the first tool that is installed and works.
func useClipboard(use func(clipboardTool) error) error {
	failed := errNoClipboard
	for _, t := range clipboardTools {
		if err := use(t); err == nil {
			return nil
		} else if !errors.Is(err, exec.ErrNotFound) {
			failed = err
		}
	}
	return failed
}

// runTool runs a program in the time that it may take.
func runTool(command []string, run func(*exec.Cmd) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), clipboardTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "LC_CTYPE=UTF-8") // pbcopy and pbpaste ask for it
	cmd.WaitDelay = time.Second
	err := run(cmd)
	if ctx.Err() != nil {
		return fmt.Errorf("%s did not answer within %v", command[0], clipboardTime)
	}
	return err
}

// startOfOutput runs a program until it ends or has printed as much as is wanted.
func startOfOutput(cmd *exec.Cmd) (string, error) {
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(out, maxPaste))
	if len(b) == maxPaste {
		out.Close() // the program ends when nobody reads
		cmd.Wait()
		return string(b), nil
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return "", fmt.Errorf("the clipboard has no text (%s: %w)", cmd.Args[0], err)
	}
	return string(b), nil
}
