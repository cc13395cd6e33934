package cli

import (
	"errors"
	"strings"
)

// errorText puts an error into one line, with the nearest name where a name was
// wrong.
func errorText(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var names interface {
		Names() (kind, name string, known []string)
	}
	if errors.As(err, &names) {
		_, name, known := names.Names()
		if n := nearestName(name, known); n != "" {
			text += "; did you mean " + n + "?"
		}
	}
	return text
}

// nearestName returns the known name that is the fewest changed letters away from
// name, if they are few for its length, else nothing.
func nearestName(name string, known []string) string {
	best, fewest := "", len(name)/2+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < fewest {
			best, fewest = k, d
		}
	}
	return best
}

// editDistance counts the letters to add, drop, change or swap with their
// neighbour between a and b.
func editDistance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range len(a) {
		two, prev, cur := rows[0], rows[1], rows[2]
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], two[j-1]+1)
			}
		}
		rows[0], rows[1], rows[2] = prev, cur, two
	}
	return rows[1][len(b)]
}
