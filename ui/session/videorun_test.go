package session_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/cli"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
)

// runInFolder runs the program's command line with files in a folder, as the worker of a page does.
func runInFolder(folder string, args []string, files map[string][]byte, wanted string) ([]byte, error) {
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o666); err != nil {
			return nil, err
		}
	}
	args = slices.Clone(args)
	for i, a := range args {
		if _, isFile := files[a]; isFile || a == wanted {
			args[i] = filepath.Join(folder, a)
		}
	}
	var out, bad bytes.Buffer
	if cli.Main(cli.Environment{Args: args, Stdout: &out, Stderr: &bad}) != 0 {
		return nil, errors.New(bad.String())
	}
	return os.ReadFile(filepath.Join(folder, wanted))
}

// TestVideoOfAnotherProgram promises that a video which another copy of the program writes from a tape, as a page has it
// written, is byte for byte the one that this copy writes: live with commands before the first tick and in the middle,
// of the past, where the viewer has changed the display, and of a comparison, whose best pane is green.
func TestVideoOfAnotherProgram(t *testing.T) {
	experiment.Skip(t)
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	p, err := library.New(plan.Settings{Panes: "rewind,noprediction", Network: "wifi-bad"}, plan.Settings{}, "")
	two, errTwo := library.New(plan.Settings{Scene: "two-players", Network: "latency=50ms"}, plan.Settings{}, "")
	declared, errDeclared := library.New(plan.Settings{Compare: "rollback-input-delay"}, plan.Settings{}, "")
	if err := errors.Join(err, errTwo, errDeclared); err != nil || declared.Best() == nil {
		t.Fatal(err)
	}
	for name, scenario := range map[string]func(s *session.Session, run func(n int, b sim.Buttons), stop func()){
		"other player": func(s *session.Session, run func(n int, b sim.Buttons), stop func()) {
			run(20, 0)
			s.Do(stage.Show("player", "2"))
			s.Do(stage.Show("net-graph", "on"))
			run(60, sim.Forward)
			s.Videos.Toggle()
			run(12, sim.Forward)
			stop()
		},
		"declared order": func(s *session.Session, run func(n int, b sim.Buttons), stop func()) {
			run(300, 0)
			s.Videos.Toggle()
			run(12, 0)
			stop()
		},
		"live": func(s *session.Session, run func(n int, b sim.Buttons), stop func()) {
			run(50, 0)
			s.Do(lab.Command{Verb: "focus", Pane: 1})
			s.Do(stage.Show("split", "on"))
			run(20, 0)
			s.Controls.NudgeServer()
			s.Do(stage.Show("yaw", "33.25"))
			s.Videos.Toggle()
			s.Do(stage.Show("pitch", "40"))
			run(12, sim.Forward)
			s.Do(lab.Command{Verb: "switch", Pane: 1, Name: "snapshot"})
			run(12, sim.Forward)
			stop()
		},
		"past": func(s *session.Session, run func(n int, b sim.Buttons), stop func()) {
			run(40, 0)
			s.Do(stage.Show("color", "age"))
			run(60, 0)
			s.Past.SeekFully(60)
			s.Do(stage.Show("color", "player"))
			s.Do(stage.Show("yaw", "70"))
			s.Videos.Toggle()
			run(20, 0)
			stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, w, h := p, 320, 180
			switch name {
			case "other player":
				p = two
			case "declared order":
				p, w, h = declared, 640, 360 // with room for the headline
			}
			record := func(inPage bool) []byte {
				s := session.New(session.Options{OutDir: t.TempDir(), Library: library, Platform: session.Platform{InPage: inPage, Deliver: filepath.ToSlash}})
				s.Platform.Run = func(args []string, files map[string][]byte, wanted string, _ func(float64)) (string, []byte, error) {
					b, err := runInFolder(s.OutDir, args, files, wanted)
					return "", b, errors.Join(err, os.Remove(filepath.Join(s.OutDir, wanted)))
				}
				if err := s.Start(p); err != nil {
					t.Fatal(err)
				}
				run := func(n int, b sim.Buttons) {
					in := session.Intents{Inputs: s.Controls.Inputs(b, 0)}
					for range n {
						if err := s.Tick(&in); err != nil {
							t.Fatal(err)
						}
					}
				}
				name := filepath.Join(s.OutDir, "video.webm")
				scenario(s, run, func() {
					if err := session.StopVideo(s, video.Format{File: name, W: w, H: h, FPS: 60}, "A title"); err != nil {
						t.Fatal(err)
					}
				})
				if err := errors.Join(s.Videos.WaitAll(nil, io.Discard), s.End()); err != nil {
					t.Fatal(err)
				}
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			here, there := record(false), record(true)
			if len(here) < 10000 || !bytes.Equal(here, there) {
				t.Errorf("%d bytes here, %d bytes there, and they differ", len(here), len(there))
			}
		})
	}
}
