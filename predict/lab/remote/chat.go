package remote

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxChat is the length of the longest line of chat, in characters of printable ASCII.
const MaxChat = maxPart

// hostSpeaker is the speaker of lines typed at the server. No player has this name, since names contain no spaces.
const hostSpeaker = "the host"

// Lines of chat that a client may send in a burst. It regains one each second. The server accepts more, because lines that
// were held up by a lost packet arrive together.
const (
	chatBurst       = 4
	chatBurstServer = 2 * chatBurst
)

// chatLimit limits the rate of lines.
type chatLimit struct{ used time.Duration } // when all of them are regained

// allow reports whether there may be a line at time now, of burst at once.
func (l *chatLimit) allow(now time.Duration, burst int) bool {
	next := max(l.used, now) + time.Second
	if next > now+time.Duration(burst)*time.Second {
		return false
	}
	l.used = next
	return true
}

// CheckChat returns an error if a text cannot be a line of chat.
func CheckChat(text string) error {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
		return fmt.Errorf("chat: %q: the font has no such letter: want a to z, digits and signs of ASCII", firstRune(text[i:]))
	}
	if n := len(text); n == 0 || n > MaxChat {
		return fmt.Errorf("chat: %d characters: want 1 to %d", n, MaxChat)
	}
	return nil
}

// firstRune returns the first letter of a text.
func firstRune(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

// Say sends a line of chat to all, at time now. It appears once the server has sent it back.
func (c *Client) Say(text string, now time.Duration) error {
	if err := CheckChat(text); err != nil {
		return err
	}
	if !c.said.allow(now, chatBurst) || !c.control.send(chatMessage, []byte(text)) {
		return errors.New("chat: one line a second: wait")
	}
	return nil
}

// Say sends a line of chat to all.
func (s *Server) Say(text string) error {
	if err := CheckChat(text); err != nil {
		return err
	}
	s.relay(hostSpeaker, text)
	return nil
}

// hear relays a guest's chat line. Invalid lines and those above the rate limit are dropped.
func (s *Server) hear(g *guest, text string, now time.Duration) {
	if g.session != 0 && CheckChat(text) == nil && g.said.allow(now, chatBurstServer) {
		s.relay(g.name, text)
	}
}

// relay sends a line to all players and watchers, except those for whom many messages are waiting already.
func (s *Server) relay(name, text string) {
	s.config.Log("chat", "name", name, "text", text)
	to := s.watchers
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil {
			to = append(to[:len(to):len(to)], g)
		}
	}
	for _, g := range to {
		if !g.control.isBusy() {
			g.control.send(speakerMessage, []byte(name))
			g.control.send(chatMessage, []byte(text))
		}
	}
}
