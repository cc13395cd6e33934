package remote

import (
	"bytes"
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
)

// maxDescription is the size of the longest description that a client reads, in bytes.
const maxDescription = 16 << 10

// description is what a client needs to know about a session: a player, and the head of a tape.
type description struct {
	player int // of the client; -1: it watches
	start  uint64
	tape   tape.Tape
}

// describe returns the text of a session for the client of a player.
func describe(c lab.Config, spec, version string, player int, start uint64) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "player %d start %016x\n", player+1, start)
	_ = tape.NewWriter(&b, version, c, []string{spec}).Flush()
	return b.Bytes()
}

// parseDescription parses the text that describe returns.
func parseDescription(text []byte) (d description, err error) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if n, err := fmt.Sscanf(string(line), "player %d start %x", &d.player, &d.start); n != 2 || err != nil {
		return d, fmt.Errorf("%q: want the player and the hash of the start", line)
	}
	d.player--
	t, err := tape.Read(bytes.NewReader(rest))
	switch {
	case err != nil:
		return d, err
	case len(t.Panes) != 1:
		return d, fmt.Errorf("%d panes: want 1", len(t.Panes))
	}
	d.tape = *t
	return d, nil
}
