package window

// clipboard connects the panel's fields with the clipboard of the machine. Its programs take a while, so nothing here
// waits for them.
type clipboard struct {
	pasteText func() (string, error) // nil: there is no clipboard
	results   chan clipboardResult
	message   string // why something failed, not shown yet
}

// clipboardResult is the end of a copy or a paste.
type clipboardResult struct {
	text string // that was pasted
	err  error
	what string // has failed
}

// connect makes the fields of a panel use the clipboard.
func (c *clipboard) connect(p *panel) {
	if c.results != nil {
		return
	}
	c.results = make(chan clipboardResult, 8)
	p.ui.OnCopy = func(text string) {
		copyText := p.session.Platform.CopyText
		go func() { c.results <- clipboardResult{err: copyText(text), what: "not copied"} }()
	}
	p.ui.OnPaste = func() {
		if pasteText := c.pasteText; pasteText != nil {
			go func() {
				text, err := pasteText()
				c.results <- clipboardResult{text, err, "not pasted"}
			}()
		}
	}
}

// pasted returns the text of a paste that has ended since the last call.
func (c *clipboard) pasted() string {
	select {
	case r := <-c.results:
		if r.err != nil {
			c.message = r.what + ": " + r.err.Error()
		}
		return r.text
	default:
		return ""
	}
}

// poll returns and removes the message of a copy or paste that has failed.
func (c *clipboard) poll() string {
	s := c.message
	c.message = ""
	return s
}
