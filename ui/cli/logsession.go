//go:build !js || headless

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/gamelog"
	"ghostcube/ui/plan"
)

// isGameLog reports whether a file is a game log, by its name.
func isGameLog(name string) bool { return strings.HasSuffix(name, ".jsonl") }

// panesBesideLog are the strategies beside a game, if none are asked for.
const panesBesideLog = "rewind,snapshot"

// planGameLog plans the session that --tape names by the log of a game, or by those of its client and its server: the first
// pane shows the game, and the others run strategies with its key presses over its network.
func (p *program) planGameLog(flags SessionFlags) (*plan.Plan, error) {
	bad := func(err error) (*plan.Plan, error) { return nil, fmt.Errorf("--tape=%s: %w", flags.Tape, err) }
	if flags != (SessionFlags{Tape: flags.Tape, Seconds: flags.Seconds, Panes: flags.Panes, Scene: flags.Scene}) {
		return bad(errors.New("a game has its own rate and network: want at most --panes, --scene and --seconds besides"))
	}
	names := captureNames(flags.Tape)
	if len(names) > 2 {
		return bad(fmt.Errorf("%d game logs: want that of a client, and at most that of its server", len(names)))
	}
	c := scoreCommand{Log: names[0]}
	if len(names) == 2 {
		c.Server = names[1]
	}
	film := &gamelog.Film{}
	recording := &gamelog.Recording{Film: film}
	card, err := c.score(recording)
	if err != nil {
		return bad(err)
	}
	if film.Ticks() == 0 {
		return bad(errors.New("no frame has the player's body, which is field body of the first line"))
	}
	network, noNetwork := recording.Network()
	if noNetwork != nil && flags.Panes != "" {
		return bad(fmt.Errorf("--panes: %w", noNetwork))
	}
	planned, err := p.library.New(plan.Settings{
		Panes: cmp.Or(flags.Panes, panesBesideLog), Scene: cmp.Or(flags.Scene, "zen"), Rate: strconv.Itoa(card.Head.Rate),
		Seat: lab.AtClient.String(), Seconds: flags.Seconds,
	}, plan.Settings{}, "")
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	if len(planned.Panes) == lab.MaxPanes {
		return bad(fmt.Errorf("--panes=%s: want at most %d: the first one shows the game", flags.Panes, lab.MaxPanes-1))
	}
	return gameLogPlan(flags, card, recording, planned, network, noNetwork)
}

// gameLogPlan returns the plan of a log's session: its pane and, if the log has a network, the panes of planned in their scene.
func gameLogPlan(flags SessionFlags, card *gamelog.Card, recording *gamelog.Recording, planned *plan.Plan, network link.Network,
	noNetwork error) (*plan.Plan, error) {
	config, beside, film := planned.Config, planned.Panes, recording.Film
	if noNetwork != nil {
		beside = nil
	}
	network.Seed = config.Network.Seed
	config.Network = network
	name := gameTitle(card.Head.Game)
	open := func() (*lab.Lab, error) {
		l := lab.New(config)
		l.AtOnce = plan.AtOnce
		l.OpenRecorded(name, film.Strategy(), film.Scene())
		for _, spec := range beside {
			if _, err := l.Open(spec); err != nil {
				return nil, err
			}
		}
		return l, nil
	}
	if _, err := open(); err != nil {
		return nil, err
	}
	held, _ := recording.Inputs()
	entries := make([]lab.Entry, min(film.Ticks(), max(len(held), 1)))
	for i := range entries {
		entries[i].Inputs = []sim.Input{{Buttons: held[i]}}
	}
	m := plan.Happened("game log", config, append([]string{"game log"}, beside...), flags.Tape, entries, func() *lab.Lab {
		l, err := open()
		if err != nil {
			panic(err) // it has been opened before
		}
		return l
	})
	m.Seconds = min(flags.Seconds, float64(len(entries))/float64(config.Rate))
	if noNetwork != nil {
		m.Notice = "no strategies beside the game: " + noNetwork.Error()
	}
	return m, nil
}

// gameTitle returns the name of a game's pane: that in the log, in the letters that the font has.
func gameTitle(name string) string {
	b := []byte(nil)
	for _, r := range cmp.Or(name, "your game") {
		if r < ' ' || r > '~' {
			r = '?'
		}
		if b = append(b, byte(r)); len(b) == lab.MaxTitle {
			break
		}
	}
	return string(b)
}
