package sweep

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

const ours = "ghostcube 1.0 (0123456789ab)"

// must returns a value, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// testPlan returns a plan of one point with three seeds, and its cells.
func testPlan() (*Plan, []*Cell) {
	p := &Plan{Title: "t", Panes: []string{"a"}, Baseline: "a", FirstSeed: 5, Seeds: 3,
		Points: []Point{{Key: "00ff", Pane: "a", Strategy: "a", Knobs: map[string]string{"lead": "3"}, Scene: "zen", Tape: "circle", Network: "4g"}}}
	var cells []*Cell
	for k := range p.Seeds {
		seed := p.FirstSeed + uint64(k)
		cells = append(cells, &Cell{Key: CellKey("00ff", seed), Seed: seed, Hash: "01", Values: map[string]float64{"key_to_screen_ms": float64(k) + 0.1}})
	}
	return p, cells
}

// TestStoreSurvivesEveryCut cuts the file of a store after every byte, 5th or 41st byte, as a kill or a full disk may: all whole lines are
// there, the rest runs again, and the results are the same. Nothing that is in the file changes.
func TestStoreSurvivesEveryCut(t *testing.T) {
	experiment.Skip(t)
	p, cells := testPlan()
	columns := []Column{{Name: "key_to_screen_ms", Unit: "ms", Title: "key to screen, ms", Leads: true}}
	finish := func(dir string) (lost int) {
		s := must(Open(dir, ours, true))
		lost = len(p.Missing(s))
		if err := s.SetPlan(p); err != nil {
			t.Fatal(err)
		}
		for i := len(cells) - 1; i >= 0; i-- { // in another order
			if !s.Has(cells[i].Key) {
				if err := s.Add(cells[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(s.Reload(), s.WriteResults(p, columns), s.Close()); err != nil {
			t.Fatal(err)
		}
		return lost
	}
	whole := t.TempDir()
	finish(whole)
	text := must(os.ReadFile(filepath.Join(whole, CellsFile)))
	want := must(os.ReadFile(filepath.Join(whole, ResultsJSON)))
	if n := bytes.Count(want, []byte("\n")); n != 3 {
		t.Fatalf("%d rows", n)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, CellsFile)
	step := experiment.Pick(41, 5, 1)
	for n := 0; n < len(text); n += step {
		for _, name := range Files {
			_ = os.Remove(filepath.Join(dir, name)) // there may be none
		}
		if err := os.WriteFile(path, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		kept := bytes.Count(text[:n+1], []byte(`"kind":"cell"`)) // the last one may be cut
		lost := finish(dir)
		if got := must(os.ReadFile(path)); !bytes.HasPrefix(got, text[:n]) || 3-lost > kept || 3-lost < kept-1 {
			t.Errorf("cut after %d bytes: %d cells lost of %d", n, lost, kept)
		}
		if got := must(os.ReadFile(filepath.Join(dir, ResultsJSON))); !bytes.Equal(got, want) {
			t.Fatalf("cut after %d bytes: other results: %s", n, got)
		}
	}
}

// TestStoreNamesBothPrograms checks that a store of another program is refused, with the names of both.
func TestStoreNamesBothPrograms(t *testing.T) {
	dir := t.TempDir()
	if err := must(Open(dir, ours, true)).Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, "ghostcube 1.0 (ba9876543210)", true)
	var other *OtherProgramError
	if !errors.As(err, &other) || !strings.Contains(err.Error(), ours) || !strings.Contains(err.Error(), "ba9876543210") {
		t.Errorf("%v", err)
	}
}

// TestStoreFindsLies checks that two results of one cell have to be the same, and that a changed digit makes a line
// broken.
func TestStoreFindsLies(t *testing.T) {
	dir := t.TempDir()
	_, cells := testPlan()
	s := must(Open(dir, ours, true))
	if err := errors.Join(s.Add(cells[0]), s.Add(cells[1]), s.Add(cells[0]), s.Reload()); err != nil {
		t.Errorf("the same result twice: %v", err)
	}
	if c, ok, err := s.Cell(cells[1].Key); !ok || err != nil || c.Values["key_to_screen_ms"] != 1.1 {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	lie := *cells[0]
	lie.Hash = "02"
	if err := errors.Join(s.Add(&lie), s.Reload()); err == nil || !strings.Contains(err.Error(), lie.Key) {
		t.Errorf("two results: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, CellsFile)
	text := must(os.ReadFile(path))
	text = text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1] // without the lie
	if err := os.WriteFile(path, bytes.Replace(text, []byte("1.1"), []byte("1.2"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	s = must(Open(dir, ours, true))
	if s.Damaged() != 1 || s.Has(cells[1].Key) || !s.Has(cells[0].Key) {
		t.Errorf("%d broken lines", s.Damaged())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFilesOfOthers checks that a file beside a store is replaced if the store has written it, also in an earlier run, and
// nothing else is.
func TestFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) error {
		s := must(Open(dir, ours, true))
		err := s.WriteFile(ResultsCSV, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		return errors.Join(err, s.Close())
	}
	if err := errors.Join(write("one"), write("two"), write("one")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ResultsCSV)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write("three"); err == nil || string(must(os.ReadFile(path))) != "mine" {
		t.Errorf("%v", err)
	}
}
