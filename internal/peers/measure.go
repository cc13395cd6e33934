package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// result is what an engine did in a scene.
type result struct {
	times    []float64 // ms, of each tick the smallest of all rounds
	awake    int       // bodies, mean of all ticks
	contacts int       // points, in the last tick
	last     []pose    // of the bodies, in the last tick
	before   []pose    // a second before
	dump     []byte    // the file of bodies
}

// measure runs every engine on every scene in turn. The results are by scene and engine.
func measure(dir string, engines []engine, rounds int) ([][]result, error) {
	list := benchScenes()
	results := make([][]result, len(list))
	for i := range list {
		results[i] = make([]result, len(engines))
	}
	for round := range rounds {
		for i := range list {
			file := filepath.Join(dir, "scene")
			if err := os.WriteFile(file, []byte(list[i].text()), 0o666); err != nil {
				return nil, err
			}
			for k := range engines {
				fmt.Fprintf(os.Stderr, "\rround %d of %d: %s: %-20s", round+1, rounds, list[i].name, engines[k].name)
				err := results[i][k].add(&list[i], engines[k].args(file, filepath.Join(dir, "out")), filepath.Join(dir, "out"))
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", engines[k].name, list[i].name, err)
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	return results, nil
}

// add runs an engine once more.
func (r *result) add(s *benchScene, args []string, out string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Stderr = new(bytes.Buffer)
	line, err := c.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, c.Stderr)
	}
	var summary struct{ Ticks, Awake, Contacts int }
	dump, err1 := os.ReadFile(out)
	times, err2 := os.ReadFile(out + ".ms")
	if err := errors.Join(err1, err2, json.Unmarshal(line, &summary)); err != nil {
		return err
	}
	ms, err := numbers(string(times))
	if err != nil || len(ms) != s.ticks || summary.Ticks != s.ticks {
		return fmt.Errorf("%d times of %d ticks, want %d: %v", len(ms), summary.Ticks, s.ticks, err)
	}
	if r.times != nil && !bytes.Equal(dump, r.dump) {
		return errors.New("two runs differ, so that the smallest time of each tick means nothing")
	}
	if r.times == nil {
		r.times = ms
	}
	for i := range ms {
		r.times[i] = min(r.times[i], ms[i])
	}
	r.awake, r.contacts, r.dump = summary.Awake, summary.Contacts, dump
	return r.readPoses(s)
}

// readPoses reads the bodies of the last two records of the dump.
func (r *result) readPoses(s *benchScene) error {
	lines, n := strings.Split(strings.TrimSpace(string(r.dump)), "\n"), len(s.bodies)
	if want := s.ticks / 60 * n; len(lines) != want {
		return fmt.Errorf("%d lines of bodies, want %d", len(lines), want)
	}
	r.last, r.before = nil, nil
	for i, l := range lines[len(lines)-2*n:] {
		v, err := numbers(l)
		if err != nil || len(v) != 15 {
			return fmt.Errorf("%q: want 15 numbers: %v", l, err)
		}
		p := pose{at: [3]float64(v[2:5]), axes: rotation([4]float64(v[5:9])), half: float64(s.bodies[i%n].Half.X)}
		if !(p.at[2] > -p.half) { // not a number, too
			return fmt.Errorf("body %d fell through the ground: %q", i%n, l)
		}
		if i < n {
			r.before = append(r.before, p)
		} else {
			r.last = append(r.last, p)
		}
	}
	return nil
}

func numbers(text string) (list []float64, err error) {
	for f := range strings.FieldsSeq(text) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// mean returns the mean time of the ticks that count, in ms.
func (r *result) mean(s *benchScene) (sum float64) {
	for _, x := range r.times[s.settling:] {
		sum += x
	}
	return sum / float64(s.ticks-s.settling)
}

// percentile99 returns the time that 99 % of the ticks take at most, in ms.
func (r *result) percentile99() float64 {
	sorted := slices.Sorted(slices.Values(r.times))
	return sorted[len(sorted)*99/100]
}
