package plan

import (
	"errors"
	"fmt"
	"strings"
)

// Mechanism is something that the classic articles describe, and where this program has it.
type Mechanism struct {
	Number  int    // place in the list, from 1
	Group   string // source, or topic
	Name    string
	Code    []string // declarations, such as net/packet.Endpoint.Send; a package alone stands for all of it
	Command string   // arguments of the program that show it
	Figure  string   // what the command measures; {} are values of its output, see docs/reference/assets.md
}

// mechanismFile is the file of mechanisms.
type mechanismFile struct {
	Groups []struct {
		Title      string `toml:"title"`
		Mechanisms []struct {
			Name    string `toml:"name"`
			Code    string `toml:"code"`
			Command string `toml:"command"`
			Figure  string `toml:"figure"`
		} `toml:"mechanism"`
	} `toml:"group"`
}

// Mechanisms returns all mechanisms in the order of their file. Errors name the line.
func (l *Library) Mechanisms() ([]Mechanism, error) {
	const name = "mechanisms.toml"
	var f mechanismFile
	d, err := decodeTOML(name, l.MechanismFile, &f)
	if err != nil {
		return nil, err
	}
	var list []Mechanism
	for g, group := range f.Groups {
		for i, m := range group.Mechanisms {
			at := fmt.Sprintf("group[%d].mechanism[%d]", g, i)
			for _, required := range [...]struct{ name, value string }{
				{"name", m.Name}, {"code", m.Code}, {"command", m.Command}, {"figure", m.Figure},
			} {
				if required.value == "" {
					return nil, d.errorAt(at, &SettingError{required.name, "", errors.New("it is missing")})
				}
			}
			list = append(list, Mechanism{
				Number: len(list) + 1, Group: group.Title,
				Name: m.Name, Code: strings.Fields(m.Code), Command: m.Command, Figure: m.Figure,
			})
		}
	}
	return list, nil
}
