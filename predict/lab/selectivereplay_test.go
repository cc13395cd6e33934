package lab_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
)

// TestSelectiveReplays runs all built-in tapes twice, with replays that step what can differ and with replays that step
// everything, and compares in each tick the session and the contacts of all clients.
func TestSelectiveReplays(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../assets/tapes/*.tape")
	if err != nil || len(files) == 0 {
		t.Fatal("no tapes: ", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tape")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := builtInTape(t, name)
			from.Panes = []string{"rollback", "rewind", "rewind:resync=off"}
			if err := from.Config.Network.Parse("latency=80ms,jitter=20ms,loss=5%"); err != nil {
				t.Fatal(err)
			}
			if !experiment.Enabled() {
				from.Entries = from.Entries[:min(len(from.Entries), 150)]
			}
			compareReplays(t, from)
		})
	}
}

// compareReplays runs a tape with selective replays and without.
func compareReplays(t *testing.T, from *tape.Tape) {
	open := func() *Lab {
		l, err := from.NewLab()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	part, full := open(), open()
	selected := 0
	for _, e := range from.Entries {
		if part.Ticks()%75 == 60 { // bodies that the server alone moves
			labtest.Apply(t, part, "nudge all x 2")
			labtest.Apply(t, full, "nudge all x 2")
		}
		for _, p := range full.Panes {
			for _, c := range p.Clients {
				c.World.NoteChange() // no remembered step is good enough
			}
		}
		labtest.Tick(t, part, e)
		labtest.Tick(t, full, e)
		if part.Hash() != full.Hash() {
			t.Fatalf("tick %d differs", part.Ticks())
		}
		for i, p := range part.Panes {
			for j, c := range p.Clients {
				selected = max(selected, c.World.ReplayedBodies())
				if c.World.ContactHash() != full.Panes[i].Clients[j].World.ContactHash() {
					t.Fatalf("tick %d: pane %d, client %d: the contacts differ", part.Ticks(), i, j)
				}
			}
		}
	}
	if scene := part.Config().Scene; selected == 0 && !part.Panes[0].ServerWorld.Scene().HasActions() {
		t.Errorf("%s: no replay is selective", scene)
	}
}
