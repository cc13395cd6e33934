package plan

import (
	"errors"
	"strings"
)

// maxChoices is how many known names a message lists if a command lists them.
const maxChoices = 20

// Lists are the command lines that list the names of a kind, by kind.
var Lists = map[string]string{
	"scene": "list scenes", "strategy": "list strategies", "strategy or preset": "list strategies, list presets", "preset": "list presets",
	"network profile": "list networks", "trace": "list traces", "tape": "list tapes", "knob": "list knobs", "counter": "list counters",
	"measure": "list measures", "comparison": "list comparisons", "lesson": "list lessons", "claim": "list claims", "term": "list terms",
	"mechanism": "list mechanisms",
}

// ErrorText returns an error in one line, with the nearest known name if a name was wrong. The command that lists the known names
// stands in place of many of them.
func ErrorText(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var names interface {
		Names() (kind, name string, known []string)
	}
	if errors.As(err, &names) {
		kind, name, known := names.Names()
		if all := strings.Join(known, ", "); len(known) > maxChoices {
			list := Lists[kind]
			var other interface{ ListedBy() string }
			if errors.As(err, &other) && other.ListedBy() != "" {
				list = other.ListedBy()
			}
			if list != "" {
				text = strings.Replace(text, "there are "+all, "see "+list, 1)
			}
		}
		if n := NearestName(name, known); n != "" {
			text += "; did you mean " + n + "?"
		}
	}
	return text
}

// NearestName returns the known name with the smallest edit distance from name, or nothing
// if all are far away for the name's length. A name that is the first words of a known one is near it, unless there is another one
// with a single wrong letter.
func NearestName(name string, known []string) string {
	best, fewest := "", len(name)/2+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < fewest {
			best, fewest = k, d
		}
	}
	if fewest <= 1 {
		return best
	}
	for _, k := range known {
		if rest, ok := strings.CutPrefix(strings.ToLower(k), strings.ToLower(name)); ok && rest != "" && strings.Contains("_- ", rest[:1]) && name != "" {
			return k
		}
	}
	return best
}

// editDistance returns the number of letters to insert, delete, replace or swap with their
// neighbour to turn a into b.
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
