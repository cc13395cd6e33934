package stage

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Screens says whose screen each pane shows: the number of a player, from 1, by pane.
type Screens [lab.MaxPanes]uint8

// firstScreens are the screens of the first player.
var firstScreens = Screens{1, 1, 1, 1}

// screensAllowed describes the texts of Screens.
var screensAllowed = fmt.Sprintf("players from 1 to %d, one for all panes or one for each, separated by colons", sim.MaxPlayers)

// String returns the screens as parseScreens takes them: of the first panes, the last of which holds for all that follow.
func (s Screens) String() string {
	last := len(s) - 1
	for last > 0 && s[last] == s[last-1] {
		last--
	}
	var b []byte
	for i := range last + 1 {
		if i > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendUint(b, uint64(s[i]), 10)
	}
	return string(b)
}

// parseScreens returns the screens of a text.
func parseScreens(text string) (s Screens, err error) {
	list := strings.Split(text, ":")
	if len(list) > len(s) {
		return s, fmt.Errorf("%d panes", len(list))
	}
	for i := range s {
		n, err := strconv.Atoi(list[min(i, len(list)-1)])
		if err != nil || n < 1 || n > sim.MaxPlayers {
			return s, fmt.Errorf("player %q", list[min(i, len(list)-1)])
		}
		s[i] = uint8(n)
	}
	return s, nil
}

// With returns the screens with another player's in a pane.
func (s Screens) With(pane, player int) Screens {
	s[pane] = uint8(player)
	return s
}

// Peer returns the client, from 0, whose link with the client of pane i the packet lanes show, or -1 for the server:
// by default, and where the two have no link.
func (s *Settings) Peer(i int, p *lab.Pane) int {
	if peer := int(s.LanePeer) - 1; p.HasPeerLink(s.Client(i, p), peer) {
		return peer
	}
	return -1
}

// Followed returns the player, from 0, at whom a watcher looks in pane i.
func (s *Settings) Followed(i int, l *lab.Lab) int {
	if !l.Watches() {
		return 0
	}
	return min(max(int(s.Screens[i])-1, 0), l.Players()-1)
}

// Client returns the client whose screen a pane shows: that of the player, or the first one where the player has none.
func (s *Settings) Client(i int, p *lab.Pane) int {
	if client := int(s.Screens[i]) - 1; client < len(p.Clients) {
		return max(client, 0)
	}
	return 0
}
