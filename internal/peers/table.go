package main

import (
	"errors"
	"fmt"
	"strings"
)

// The marks of the tables in the page.
const (
	tablesBegin = "<!-- peers: by go run ./internal/peers -update -->\n"
	tablesEnd   = "<!-- end of peers -->"
)

// replaceTables returns the page with other tables.
func replaceTables(page, text string) (string, error) {
	before, rest, begins := strings.Cut(page, tablesBegin)
	_, after, ends := strings.Cut(rest, tablesEnd)
	if !begins || !ends {
		return "", errors.New("no marks of the tables")
	}
	return before + tablesBegin + text + tablesEnd + after, nil
}

// tables returns three tables in Markdown: the times of our scenes, what the engines did in them, and the times of resting cubes.
func tables(engines []engine, results [][]result, measured string) string {
	scenes := benchScenes()
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s.\n\n", measured)
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	head := func(cells ...string) {
		row(append([]string{""}, cells...)...)
		b.WriteString(strings.Repeat("|---", len(cells)+1) + "|\n")
	}
	b.WriteString("Milliseconds per step, mean and p99:\n\n")
	head(scenes[0].name, scenes[1].name, scenes[2].name)
	for k, e := range engines {
		cells := []string{e.name}
		for i := range scenes[:3] {
			cells = append(cells, fmt.Sprintf("%.3f, %.3f", results[i][k].mean(&scenes[i]), results[i][k].percentile99()))
		}
		row(cells...)
	}
	b.WriteString("\nBodies awake, contact points and bodies in the end:\n\n")
	head("katamari: awake", "pile: contacts", "standing of 900", "drift, mm/s", "heap: contacts", "overlap, mm")
	for k, e := range engines {
		katamari, pile, heap := &results[0][k], &results[1][k], &results[2][k]
		row(e.name, fmt.Sprint(katamari.awake)+unequal(katamari.awake, results[0][0].awake, 1.25),
			fmt.Sprint(pile.contacts)+unequal(pile.contacts, results[1][0].contacts, 2),
			fmt.Sprint(pile.standing(&scenes[1])), fmt.Sprintf("%.1f", pile.drift()*1000),
			fmt.Sprint(heap.contacts)+unequal(heap.contacts, results[2][0].contacts, 2), fmt.Sprintf("%.2f", heap.meanOverlap()*1000))
	}
	if strings.Contains(b.String(), "*") {
		b.WriteString("\n\\* not the same work: more than 1.25 times as many bodies awake, or twice as many contact points, or as much less.\n")
	}
	b.WriteString("\nCubes on the ground, microseconds per step; awake:\n\n")
	var names []string
	for _, s := range scenes[3:] {
		names = append(names, s.name)
	}
	head(names...)
	for k, e := range engines {
		cells := []string{e.name}
		for i := range scenes[3:] {
			cells = append(cells, micros(results[3+i][k].mean(&scenes[3+i])))
		}
		row(cells...)
	}
	return b.String()
}

// unequal marks a number that differs from ours by more than a factor.
func unequal(n, ours int, factor float64) string {
	if float64(n) > factor*float64(ours) || float64(n)*factor < float64(ours) {
		return "\\*"
	}
	return ""
}

// micros returns milliseconds as microseconds, with three figures if they need a point.
func micros(ms float64) string {
	if us := ms * 1000; us < 100 {
		return fmt.Sprintf("%.3g", us)
	}
	return fmt.Sprintf("%.0f", ms*1000)
}
