package scene

import (
	"fmt"
	"strings"
)

// Param is an integer parameter of a scene, such as cubes in "katamari:cubes=9".
type Param struct {
	Name, Help        string
	Default, Min, Max int
}

// paramValues are the parameters of one scene.
type paramValues struct {
	params []Param
	values []int
}

func (p paramValues) value(name string) int {
	for i := range p.params {
		if p.params[i].Name == name {
			return p.values[i]
		}
	}
	panic("scene: a template reads a parameter that it does not declare: " + name)
}

func (t *Template) paramIndex(name string) int {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return i
		}
	}
	return -1
}

func (t *Template) paramNames() (names []string) {
	for _, x := range t.Params {
		names = append(names, x.Name)
	}
	return names
}

// UnknownNameError reports an unknown scene or an unknown parameter of a scene.
type UnknownNameError struct {
	Kind, Name string
	Choices    []string
}

func (u *UnknownNameError) Error() string {
	if len(u.Choices) == 0 {
		return fmt.Sprintf("no %s %q (it has none)", u.Kind, u.Name)
	}
	return fmt.Sprintf("no %s %q (there are %s)", u.Kind, u.Name, strings.Join(u.Choices, ", "))
}

// Names returns the kind of name, the unknown name and the known ones.
func (u *UnknownNameError) Names() (kind, name string, choices []string) {
	return u.Kind, u.Name, u.Choices
}
