package advise

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ghostcube/net/link"
)

// Touches is what players touch in a game.
type Touches string

// The answers.
const (
	OwnAvatar Touches = "own"
	Objects   Touches = "objects"
	OneThing  Touches = "one-thing"
	Ships     Touches = "ships"
)

// OwnPlayer is how soon the local player has to respond to a key.
type OwnPlayer string

// The answers.
const (
	AtOnce OwnPlayer = "at-once"
	Soon   OwnPlayer = "soon"
	Later  OwnPlayer = "later"
)

// latest returns the largest key to screen that an answer allows, in milliseconds.
func (o OwnPlayer) latest() float64 {
	switch o {
	case AtOnce:
		return oneTick
	case Soon:
		return 100
	}
	return math.Inf(1)
}

// oneTick is a tick of 60 Hz, rounded up to whole milliseconds.
const oneTick = 17

// Game is a game as the answers describe it.
type Game struct {
	Players       int
	Bodies        int // that move, the players' included
	Touches       Touches
	Bandwidth     float64 // down for each client, kbit/s; 0: no limit
	Network       string  // the worst one that has to work
	OwnPlayer     OwnPlayer
	Deterministic bool // the same inputs give the same bits on all machines
	Cheating      bool // players who would change their program have to be kept from winning by it

	conditions link.Network
}

// command returns the command line that asks for advice on the game.
func (g *Game) command() string {
	word := map[bool]string{true: "yes", false: "no"}
	line, _ := Command([]string{strconv.Itoa(g.Players), strconv.Itoa(g.Bodies), string(g.Touches), strconv.FormatFloat(g.Bandwidth, 'f', -1, 64), g.Network,
		string(g.OwnPlayer), word[g.Deterministic], word[g.Cheating]})
	return line
}

// Question is a question about a game.
type Question struct {
	Flag     string
	Text     string
	Label    string   // in a form
	Choices  []string // empty: a number or a network
	Words    []string // of the choices, in a form
	Number   Range    // of a number, in a form
	Fallback string   // the answer if none is given
	set      func(*Game, string) error
}

// Range is what a slider for an answer covers, and the largest number that can be typed. The zero value is none.
type Range struct {
	Low, High, Step, Most float64
	Log                   bool // the slider is logarithmic
}

// Most players and bodies that an answer can name, and most kbit/s.
const (
	maxPlayers = 10_000
	maxBodies  = 1_000_000
	maxDown    = 1e6
)

// Questions are all questions, in their order.
var Questions = []Question{
	{Flag: "players", Text: "How many players share a world?", Label: "players", Fallback: "2",
		Number: Range{Low: 1, High: 100, Step: 1, Most: maxPlayers, Log: true},
		set: func(g *Game, v string) (err error) {
			g.Players, err = number(v, 1, maxPlayers)
			return err
		}},
	{Flag: "bodies", Text: "How many bodies move, avatars included?", Label: "bodies that move", Fallback: "60",
		Number: Range{Low: 1, High: 1000, Step: 1, Most: maxBodies, Log: true},
		set: func(g *Game, v string) (err error) {
			g.Bodies, err = number(v, 1, maxBodies)
			return err
		}},
	{Flag: "touches", Text: "What do players touch: their own avatar, many objects, one large thing, or ships in which they ride?",
		Label: "what players touch", Choices: []string{string(OwnAvatar), string(Objects), string(OneThing), string(Ships)},
		Words: []string{"own avatar", "objects", "one thing", "ships"}, Fallback: string(OwnAvatar),
		set: func(g *Game, v string) error { g.Touches = Touches(v); return nil }},
	{Flag: "bandwidth", Text: "How many kbit/s may a client receive? 0: any.", Label: "kbit/s at most, 0: any", Fallback: "0",
		Number: Range{High: 1000, Step: 8, Most: maxDown},
		set: func(g *Game, v string) error {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil || !(f >= 0 && f <= maxDown) {
				return errors.New("want a number of kbit/s from 0, no limit, to 1000000")
			}
			g.Bandwidth = f
			return nil
		}},
	{Flag: "network", Text: "Which is the worst network: a profile, or latency, jitter and loss?", Label: "worst network",
		Fallback: "latency=50ms,jitter=10ms,loss=2%",
		set:      func(g *Game, v string) error { g.Network = v; return g.conditions.Parse(v) }},
	{Flag: "own-player", Text: "When must the own player answer: within a tick, within 100 ms (as with frames of input delay), or later?",
		Label:   "own player answers",
		Choices: []string{string(AtOnce), string(Soon), string(Later)}, Words: []string{"within a tick", "within 100 ms", "later"},
		Fallback: string(AtOnce), set: func(g *Game, v string) error { g.OwnPlayer = OwnPlayer(v); return nil }},
	{Flag: "deterministic", Text: "Is the physics deterministic: do equal inputs give equal bits on all machines?", Label: "deterministic physics",
		Choices: []string{"yes", "no"}, Words: []string{"yes", "no"}, Fallback: "no",
		set: func(g *Game, v string) error { g.Deterministic = v == "yes"; return nil }},
	{Flag: "cheating", Text: "Is cheating a concern?", Label: "cheating is a concern",
		Choices: []string{"yes", "no"}, Words: []string{"yes", "no"}, Fallback: "yes",
		set: func(g *Game, v string) error { g.Cheating = v == "yes"; return nil }},
}

// Answer gives a game the answer to a question, its fallback if the answer is empty.
func (q *Question) Answer(g *Game, answer string) error {
	if answer == "" {
		answer = q.Fallback
	}
	if len(q.Choices) > 0 && !slices.Contains(q.Choices, answer) {
		return &link.UnknownNameError{Kind: "answer", Name: answer, Choices: q.Choices}
	}
	return q.set(g, answer)
}

// number reads a whole number.
func number(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("want a whole number from %d to %d", low, high)
	}
	return n, nil
}

// worst are the conditions of a network's worse direction.
type worst struct {
	latency, jitter time.Duration
	loss            float64 // share
}

// worstOf returns the conditions of a network's worse direction.
func worstOf(n *link.Network) worst {
	return worst{max(n.Up.Latency, n.Down.Latency), max(n.Up.Jitter, n.Down.Jitter), max(n.Up.Loss, n.Down.Loss)}
}

// flattery is how much further away a measured network is for being better instead of worse than that of a game: a game asks
// about its worst network, so figures that promise too little mislead less.
const flattery = 3

// distance returns how far a measured network is from that of a game: 1 for 50 ms more latency, 20 ms more jitter or 2 % more
// loss.
func (w worst) distance(measured worst) float64 {
	apart := func(asked, measured, unit float64) float64 {
		d := (measured - asked) / unit
		return max(d, -flattery*d)
	}
	return apart(w.latency.Seconds(), measured.latency.Seconds(), 0.050) + apart(w.jitter.Seconds(), measured.jitter.Seconds(), 0.020) +
		apart(w.loss, measured.loss, 0.02)
}

// better returns the conditions in which a network is better than another.
func (w worst) better(than worst) (list []string) {
	for _, x := range w.against(than) {
		if x.sign < 0 {
			list = append(list, x.name)
		}
	}
	return list
}

// contrast is the difference of two networks in a condition.
type contrast struct {
	name string
	sign int    // 1: the first has more
	text string // such as 15ms more jitter
}

// against returns the differences of a network from another, as they are printed.
func (w worst) against(o worst) (list []contrast) {
	add := func(name string, more float64, text string) {
		switch {
		case more > 0:
			list = append(list, contrast{name, 1, text + " more " + name})
		case more < 0:
			list = append(list, contrast{name, -1, text + " less " + name})
		}
	}
	add("latency", float64(w.latency-o.latency), shortDuration((w.latency - o.latency).Abs()))
	add("jitter", float64(w.jitter-o.jitter), shortDuration((w.jitter - o.jitter).Abs()))
	add("loss", w.loss-o.loss, fmt.Sprintf("%.3g %%", math.Abs(w.loss-o.loss)*100))
	return list
}

// shortDuration returns a duration with a tenth of a millisecond.
func shortDuration(d time.Duration) string { return d.Round(time.Millisecond / 10).String() }

// nearestNetwork returns the network of the evidence that is nearest to that of a game.
func (e *Evidence) nearestNetwork(g *Game) *Network {
	asked, best := worstOf(&g.conditions), 0
	for i := range e.Networks {
		if asked.distance(worstOf(&e.Networks[i].Conditions)) < asked.distance(worstOf(&e.Networks[best].Conditions)) {
			best = i
		}
	}
	return &e.Networks[best]
}

// otherKind is the distance of a scene with one player from games with several, and the reverse: nobody else's input has to
// be predicted there. It exceeds those of all numbers of players and bodies.
const otherKind = 100

// nearestSetting returns the setting of the evidence that fits a game's touches, with the nearest numbers of players and
// bodies by their ratios. It is nil if none fits.
func (e *Evidence) nearestSetting(g *Game) *Setting {
	var best *Setting
	least := math.Inf(1)
	for i := range e.Settings {
		s := &e.Settings[i]
		if s.Touches != "" && s.Touches != g.Touches {
			continue
		}
		d := math.Abs(math.Log(float64(s.Players)/float64(g.Players))) + math.Abs(math.Log(float64(s.Bodies)/float64(g.Bodies)))
		if (s.Players == 1) != (g.Players == 1) {
			d += otherKind
		}
		if d < least {
			best, least = s, d
		}
	}
	return best
}
