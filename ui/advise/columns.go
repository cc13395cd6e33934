package advise

import (
	"fmt"
	"slices"
	"strings"
)

// Rows returns the rows of results that are stored by column, as a results.csv has them, with the heads in the first one.
// Lines name the settings (scene and tape), networks, panes and seeds. Then each measure has its values: of every setting,
// every pane in it, every network and every seed, the last one changing first; a dash stands for no value.
func Rows(columns string) ([][]string, error) {
	names := map[string][][]string{"setting": nil, "network": nil, "pane": nil, "seed": nil}
	values := map[Measure][]string{}
	var measure Measure
	for line := range strings.Lines(columns) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case slices.Contains(Measures, Measure(f[0])):
			measure = Measure(f[0])
		case measure != "":
			values[measure] = append(values[measure], f...)
		default:
			names[f[0]] = append(names[f[0]], f[1:])
		}
	}
	settings, networks, panes, seeds := names["setting"], names["network"], names["pane"], names["seed"]
	for _, m := range Measures {
		if n, want := len(values[m]), len(settings)*len(networks)*len(panes)*len(seeds); n != want {
			return nil, fmt.Errorf("%d values of %s: want %d", n, m, want)
		}
	}
	rows := [][]string{slices.Clone(SessionColumns)}
	for _, m := range Measures {
		rows[0] = append(rows[0], string(m))
	}
	for s, setting := range settings {
		for n, network := range networks {
			for p, pane := range panes {
				for k, seed := range seeds {
					row := slices.Concat(setting, network, pane, seed)
					at := ((s*len(panes)+p)*len(networks)+n)*len(seeds) + k
					for _, m := range Measures {
						row = append(row, strings.TrimPrefix(values[m][at], "-"))
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return rows, nil
}
