package plan

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// item is a setting under the name that flags and settings files share.
type item struct{ name, value string }

// items returns the settings that are given, in a fixed order.
func (s Settings) items() (list []item) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, item{name, value})
		}
	}
	for _, x := range s.texts() {
		if x.name == "fault" && s.FaultEvery != 0 {
			add("fault-every", s.FaultEvery.String())
		}
		add(x.name, *x.value)
	}
	if s.Seconds != 0 {
		add("seconds", strconv.FormatFloat(s.Seconds, 'g', -1, 64))
	}
	return list
}

// CommandLine returns the flags that give the settings, quoted for a POSIX shell.
func (s Settings) CommandLine() string {
	var words []string
	for _, i := range s.items() {
		words = append(words, "--"+i.name, quote(i.value))
	}
	return strings.Join(words, " ")
}

// quote quotes a word for a POSIX shell if it needs that.
func quote(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=:,./%@+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// TOML returns the settings file that ReadSettings reads as these settings. A rate that is no number is an error,
// and so is a seed above 2^63-1, the largest number of TOML.
func (s Settings) TOML() ([]byte, error) {
	table := map[string]any{}
	for _, i := range s.items() {
		var value any = i.value
		var err error
		switch i.name {
		case "panes":
			value = strings.Split(i.value, ",")
		case "rate":
			value, err = strconv.Atoi(i.value)
		case "seed":
			value, err = strconv.ParseInt(i.value, 10, 64) // a number of TOML has a sign
		case "seconds":
			value = s.Seconds
		}
		if err != nil {
			return nil, &SettingError{i.name, i.value, err}
		}
		table[i.name] = value
	}
	return toml.Marshal(table)
}
