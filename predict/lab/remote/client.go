package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
	"ghostcube/sim"
)

// ClientConfig configures a Client.
type ClientConfig struct {
	Name      string // of the player, at most MaxName bytes; the seat belongs to it
	Version   string // of the program
	Ordered   bool   // the wire delivers everything, once and in order, as TCP does
	Ghost     bool   // ask for the server's poses, which give a path error
	Watch     bool   // without a seat: only the server's poses are shown
	Recording *capture.Recording
	Introduce func(player int, told []byte) (Path, error) // opens a direct path to a player's client; nil: the wire has none
	Local     []byte                                      // what the server needs to know for introductions; may be empty
	Log       func(event string, values ...any)           // names and values in turn; may be nil
}

// Client is the client of a player.
type Client struct {
	Lab    *lab.Lab // nil until the server has described the session
	Player int      // of the scene; -1: the client watches

	config ClientConfig
	channels
	control   *control
	clock     clock    // of the session, or until it begins of the handshake
	game      *channel // of the session
	waiting   sim.Tick
	text      []byte // of the description of the next session, as far as it has arrived
	complete  bool
	next      byte // number of that session
	refused   error
	ghosts    int           // datagrams of the server's poses that were received
	commands  []lab.Command // applied since the last tick
	recordErr error
	news      []string
	speaker   string // of the next line of chat
	said      chatLimit
	shot      predict.HitResult // whose rays have not arrived yet

	peers      [sim.MaxPlayers]peerWire
	introduced [][]byte // introductions to the other players of the next session, each preceded by the player's number
}

// maxNews is the number of lines that wait for News.
const maxNews = 8

// ErrRefused is the error of a client that may not join.
var ErrRefused = errors.New("the server refuses")

// handshakeRate is how often a client without a session reads its messages, per second.
const handshakeRate = 60

// NewClient returns a client on a wire to the server, at time now.
func NewClient(config ClientConfig, wire Wire, now time.Duration) (*Client, error) {
	if n := len(config.Name); n == 0 || n > MaxName || printable(config.Name) != config.Name {
		return nil, fmt.Errorf("name %.60q: want 1 to %d of a to z, digits and signs of ASCII, without blanks: the font has no others", config.Name, MaxName)
	}
	if config.Watch { // a watcher receives nothing of the session that could be replayed
		config.Ghost, config.Recording = true, nil
	}
	if config.Log == nil {
		config.Log = func(string, ...any) {}
	}
	c := &Client{config: config, channels: channels{wire: wire}, clock: clock{handshakeRate, now}}
	c.control = newControl(&c.channels)
	flags := byte(0)
	if config.Ghost {
		flags |= wantsGhost
	}
	if config.Watch {
		flags |= watches
	} else if config.Introduce != nil {
		flags |= meets
		if len(config.Local) > 0 {
			c.control.send(localMessage, config.Local)
		}
	}
	c.control.send(helloMessage, append([]byte{flags}, config.Name...))
	return c, nil
}

// Next returns the time of the next tick.
func (c *Client) Next() time.Duration {
	if c.Lab == nil {
		return c.clock.next(c.waiting)
	}
	return c.clock.next(c.Lab.Ticks())
}

// Advance runs the ticks that are due by now. input returns the player's input for a tick. A pause of the process becomes a
// freeze of the client. The error says why the session has ended.
func (c *Client) Advance(now time.Duration, input func(t sim.Tick) sim.Input) error {
	for c.Next() <= now {
		if err := c.Step(now, input); err != nil {
			return err
		}
	}
	return nil
}

// Due returns the number of ticks of the session that are due by now. The first one is due as soon as there is a session,
// and the others at the session's rate from when it was run.
func (c *Client) Due(now time.Duration) int {
	switch {
	case c.Lab == nil || now < c.Next():
		return 0
	case c.Lab.Ticks() == 0:
		return 1
	}
	return 1 + int((now-c.Next())*time.Duration(c.clock.rate)/time.Second)
}

// Step runs the next tick, which has to be due by now, as Advance does.
func (c *Client) Step(now time.Duration, input func(t sim.Tick) sim.Input) error {
	if c.Lab != nil && c.Lab.Ticks() == 0 { // its time begins with the first tick, however late that is
		c.clock.start, c.game.start = now, now
	}
	at := c.Next()
	c.update(at)
	c.sortForwarded(at)
	c.control.update(at, c.handle)
	if c.refused != nil {
		return c.refused
	}
	if err := c.wire.Err(); err != nil {
		return err
	}
	playing := c.Lab != nil
	if c.complete {
		if err := c.begin(at); err != nil {
			return fmt.Errorf("the session of the server: %w", err)
		}
	}
	switch {
	case playing && c.config.Watch:
		c.watch(at)
		return nil
	case playing:
		c.tick(at, now, input)
		return nil
	}
	c.waiting++
	return nil
}

// apply applies a command between two ticks of the session. The capture has it with the next one.
func (c *Client) apply(x lab.Command) error {
	c.config.Recording.Applying()
	err := c.Lab.Apply(x)
	if err == nil {
		c.commands = append(c.commands, x)
	}
	return err
}

// handle processes a message of the server.
func (c *Client) handle(kind byte, text []byte) {
	switch kind {
	case sessionMessage:
		c.supersede()
		if len(c.text)+len(text) <= maxDescription {
			c.text = append(c.text, text...)
		}
	case beginMessage:
		if len(text) == 1 && text[0] > 0 && text[0] <= sessions {
			c.complete, c.next = true, text[0]
		}
	case speakerMessage:
		c.speaker = printableText(text[:min(len(text), MaxName)])
	case chatMessage:
		line := printableText(text)
		c.config.Log("chat", "name", c.speaker, "text", line)
		c.tell(c.speaker + ": " + line)
	case hitMessage:
		c.receiveHit(text)
	case introduceMessage:
		c.hearIntroduction(text)
	case waitMessage:
		c.hearWaiting(text)
	case refuseMessage:
		c.refused = fmt.Errorf("%w: %s", ErrRefused, printableText(text))
	}
}

// supersede drops a session that is followed by another one in the same tick: only the last one counts.
func (c *Client) supersede() {
	if c.complete {
		c.text, c.complete, c.introduced = nil, false, nil
	}
}

// printableText returns a text of the server for a terminal.
func printableText(text []byte) string {
	b := append([]byte(nil), text...)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}

// begin begins the session that the server has described, the first one or a later one.
func (c *Client) begin(now time.Duration) error {
	d, err := parseDescription(c.text)
	if err != nil {
		return err
	}
	c.text, c.complete = nil, false
	if v := d.tape.Version; v != c.config.Version {
		return fmt.Errorf("version %q: this is version %q of the program: use the same on both machines", v, c.config.Version)
	}
	if (d.player < 0) != c.config.Watch {
		return fmt.Errorf("player %d: want a seat, or none to watch", d.player+1)
	}
	config, spec := d.tape.Config, d.tape.Panes[0]
	if hash, err := lab.StartHash(&config); err != nil || hash != d.start {
		return errors.Join(err, fmt.Errorf("scene %s begins otherwise here: use the same program on both machines", config.Scene))
	}
	if c.Lab != nil && (config.Rate != c.Lab.Config().Rate || d.player != c.Player) {
		return fmt.Errorf("player %d at %d ticks per second: want those of the session before", d.player+1, config.Rate)
	}
	if _, err := withTransport(spec, c.config.Ordered); err != nil {
		return err
	}
	c.enter(c.next)
	c.meet(now)
	c.ghosts = 0
	if c.Lab != nil {
		return c.follow(&config, spec)
	}
	config.Network = link.Network{}
	c.game = &channel{channels: &c.channels, kind: game, start: now}
	wire := c.config.Recording.Wire(0, c.game)
	c.Player, c.clock = d.player, clock{config.Rate, now}
	if c.config.Watch {
		c.Lab, err = lab.NewWatcher(config, spec)
		c.config.Log("watching", "scene", config.Scene, "strategy", spec, "rate", config.Rate)
		return err
	}
	if c.Lab, err = lab.NewClient(config, spec, d.player, wire, c.peerWires()...); err != nil {
		return err
	}
	c.config.Recording.Start(c.Lab, c.config.Version, d.player, spec)
	c.config.Log("playing", "player", d.player+1, "scene", config.Scene, "strategy", spec, "rate", config.Rate)
	return nil
}

// follow switches to another scene or strategy as if all state had been lost: the world comes from the server.
func (c *Client) follow(config *lab.Config, spec string) error {
	commands := []lab.Command{{Verb: "switch", Name: spec}}
	if !c.config.Watch {
		commands = append(commands, lab.Command{Verb: "rejoin", Pane: lab.AllPanes, Name: "1"})
	}
	known, same := c.Lab.Panes[0].ServerWorld, config.Scene == c.Lab.Config().Scene
	if !same { // the present strategy may be unable to send all of its bodies
		commands = append([]lab.Command{
			{Verb: "switch", Name: lab.FallbackSpec}, {Verb: "scene", Pane: lab.AllPanes, Name: config.Scene},
		}, commands...)
	}
	for _, x := range commands {
		if err := c.apply(x); err != nil {
			return err
		}
	}
	if same && c.config.Ghost { // the world continues from its last poses
		c.Lab.Panes[0].ServerWorld.CopyFrom(known)
	}
	c.config.Log("switched", "scene", config.Scene, "strategy", spec)
	c.tell("the server goes on with " + spec + " in " + config.Scene)
	return nil
}

// tell adds a line to the news.
func (c *Client) tell(line string) {
	c.news = append(c.news, line)
	c.news = c.news[max(0, len(c.news)-maxNews):]
}

// News returns the events since the last call, one line each, oldest first, at most eight.
func (c *Client) News() []string {
	list := c.news
	c.news = nil
	return list
}

// watch runs a tick without either side.
func (c *Client) watch(now time.Duration) {
	pane := c.Lab.Panes[0]
	c.ghosts += receiveGhost(&c.channels, now, pane.ServerWorld, pane.Score, 0)
	if err := c.Lab.Tick(lab.Entry{}); err != nil {
		panic("remote: " + err.Error()) // there is no command
	}
	c.commands = nil
}

// tick runs the tick that was due at a time, now or earlier.
func (c *Client) tick(at, now time.Duration, input func(sim.Tick) sim.Input) {
	pane, t := c.Lab.Panes[0], c.Lab.Ticks()
	e := lab.Entry{Inputs: make([]sim.Input, c.Lab.Players())}
	if t >= pane.ClockFault(0).FrozenUntil {
		e.Inputs[c.Player] = input(t)
		if late := now - at; late > longestPause {
			late = min(late, time.Minute)
			e.Commands = []lab.Command{{Verb: "freeze", Pane: lab.AllPanes, Value: late.Truncate(time.Millisecond).String()}}
			c.config.Log("the client stood still", "seconds", late.Seconds())
			if late >= toldPause {
				c.tell(fmt.Sprintf("this machine stood still for %.1f s; the server went on", late.Seconds()))
			}
		}
	}
	if err := c.Lab.Tick(e); err != nil {
		panic("remote: " + err.Error()) // a freeze is never refused
	}
	e.Commands, c.commands = append(c.commands, e.Commands...), nil
	if err := c.config.Recording.Ticked(e); err != nil && c.recordErr == nil {
		c.recordErr = err
		c.config.Log("the capture ends here", "error", err)
	}
	if view := &pane.Clients[0].View; c.config.Ghost {
		c.ghosts += receiveGhost(&c.channels, at, pane.ServerWorld, pane.Score, c.Player)
		if c.ghosts > 0 && len(view.Bodies) > 0 && !pane.Joining(0) {
			pane.Score.AddPathError(pane.ServerWorld, view, c.Player)
		}
	}
	c.watchPaths(at)
	if rate := sim.Tick(c.Lab.Config().Rate); t%rate == rate-1 {
		c.sendScore()
	}
}

// sendScore tells the server what only this side measures.
func (c *Client) sendScore() {
	pathError, roundTrip := uint32(unknown), uint32(unknown)
	if metres, ok := c.PathError(); ok {
		pathError = uint32(min(metres, 1000) * 1e6)
	}
	if rtt, ok := c.RoundTrip(); ok {
		roundTrip = uint32(min(rtt, time.Minute).Microseconds())
	}
	b := binary.LittleEndian.AppendUint32([]byte{c.session}, pathError)
	c.control.send(scoreMessage, binary.LittleEndian.AppendUint32(b, roundTrip))
}

// RoundTrip returns the round trip to the server, from a tick that sends to the arrival of the acknowledgement, without the
// time for which the server held it. It is false if nothing has been acknowledged for seconds. A frame that makes a tick late
// is in it.
func (c *Client) RoundTrip() (rtt time.Duration, ok bool) {
	if c.Lab == nil || c.config.Watch {
		return 0, false
	}
	return c.Lab.Panes[0].Clients[0].Endpoint.Stats.CurrentRTT(c.Lab.Now())
}

// PathError returns the root mean square path error of the player's cube in metres. ok is false without the ghost, and until
// a second after the first picture.
func (c *Client) PathError() (metres float64, ok bool) {
	if c.Lab == nil {
		return 0, false
	}
	e, ok := c.Lab.Panes[0].Score.PathError()
	return e.RMS, ok
}

// Silence returns the time since the server's last datagram.
func (c *Client) Silence(now time.Duration) time.Duration { return now - c.receivedAt }

// Close ends the connection and the capture.
func (c *Client) Close() error {
	c.closePaths()
	c.wire.Close()
	return c.config.Recording.Close()
}
