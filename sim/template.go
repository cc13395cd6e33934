package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// SceneTemplate is a scene that can be asked for by its name.
type SceneTemplate struct {
	Name   string
	Params []Param

	build func(paramValues) Scene
}

// Param is a number that a named scene takes, such as cubes in
// "katamari:cubes=9".
type Param struct {
	Name, Help        string
	Default, Min, Max int
}

// paramValues are the numbers of one scene that was asked for.
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
	panic("sim: a scene asks for a number that it does not declare: " + name)
}

// Scenes are all scenes, in the order in which a list shows them.
var Scenes = []SceneTemplate{
	{Name: "plain", build: plain},
	{Name: "zen", build: zen},
	{Name: "katamari", build: katamari, Params: []Param{
		{"cubes", "small cubes on the grid", 900, 0, 2500}, {"players", "who gather them", 1, 1, 4},
	}},
	{Name: "pile", build: pile, Params: []Param{{"layers", "of 90 cubes", 10, 1, 20}}},
	{Name: "heap", build: heap, Params: []Param{{"layers", "of 90 cubes", 10, 1, 20}}},
	{Name: "tower", build: tower, Params: []Param{{"height", "cubes", 10, 1, 70}}},
	{Name: "two-players", build: twoPlayers},
	{Name: "turntable", build: turntable, Params: []Param{{"rpm", "turns a minute", 6, 1, 30}, {"aboard", "1: the player stands on it", 0, 0, 1}}},
	{Name: "ship", build: ship, Params: []Param{{"distance", "metres from end to end; over 530 it goes at 50 m/s", 40, 40, 530}, {"platform", "1: the player is on a platform that goes along beside the door", 0, 0, 1}}},
	{Name: "seesaw", build: seesaw},
	{Name: "billiards", build: billiards, Params: []Param{{"rows", "of pucks in the triangle", 6, 1, 14}}},
	{Name: "trailer", build: trailer, Params: []Param{{"speed", "m/s", 2, 1, 4}}},
	{Name: "hauler", build: hauler, Params: []Param{{"cargo", "cubes in its bays", 1, 0, 3}}},
	{Name: "fleet", build: largeWorld, Params: []Param{{"fields", "of 400 bodies", 25, 1, 100}}},
	{Name: "walker", build: walker, Params: []Param{
		{"rpm", "turns of the crank a minute", 30, 1, 60}, {"mounted", "1: the player's cube is fixed to its frame", 0, 0, 1},
	}},
	{Name: "train", build: train, Params: []Param{{"rods", "rods that the player tows", 8, 1, 32}}},
}

// Build makes the scene, with the numbers that its parameters have at first.
func (n *SceneTemplate) Build() Scene {
	s, err := n.buildWith("")
	if err != nil {
		panic(err)
	}
	return s
}

// buildWith makes the scene with parameters as text, such as "cubes=9".
func (n *SceneTemplate) buildWith(text string) (Scene, error) {
	p := paramValues{params: n.Params}
	for _, x := range n.Params {
		p.values = append(p.values, x.Default)
	}
	name := n.Name
	for text != "" {
		var item string
		item, text, _ = strings.Cut(text, ":")
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return Scene{}, fmt.Errorf("scene %q: %q: want a parameter as name=number, such as katamari:cubes=9", n.Name, item)
		}
		i := n.paramIndex(key)
		if i < 0 {
			return Scene{}, &UnknownSceneError{"parameter of " + n.Name, key, n.paramNames()}
		}
		x := &n.Params[i]
		v, err := strconv.Atoi(value)
		if err != nil || v < x.Min || v > x.Max {
			return Scene{}, fmt.Errorf("scene %q: %s=%s: want %d to %d", n.Name, key, value, x.Min, x.Max)
		}
		p.values[i] = v
	}
	for i, x := range n.Params {
		if p.values[i] != x.Default {
			name += ":" + x.Name + "=" + strconv.Itoa(p.values[i])
		}
	}
	s := n.build(p)
	s.Name = name
	return s, nil
}

func (n *SceneTemplate) paramIndex(name string) int {
	for i := range n.Params {
		if n.Params[i].Name == name {
			return i
		}
	}
	return -1
}

func (n *SceneTemplate) paramNames() (names []string) {
	for _, x := range n.Params {
		names = append(names, x.Name)
	}
	return names
}

// SceneNames returns the names of all scenes.
func SceneNames() []string {
	var names []string
	for i := range Scenes {
		names = append(names, Scenes[i].Name)
	}
	return names
}

// SceneNamed returns the scene that a text asks for: a name, and parameters
// after colons, such as "katamari:cubes=9". The error says what is wrong with
// it, and is an UnknownScene if it is a name.
func SceneNamed(spec string) (Scene, error) {
	name, text, more := strings.Cut(spec, ":")
	for i := range Scenes {
		if n := &Scenes[i]; n.Name == name {
			if more && text == "" {
				return Scene{}, fmt.Errorf("scene %q: want a parameter behind the colon, such as katamari:cubes=9", spec)
			}
			return n.buildWith(text)
		}
	}
	return Scene{}, &UnknownSceneError{"scene", name, SceneNames()}
}

// UnknownSceneError is the error for a scene, or a parameter of one, that does not
// exist.
type UnknownSceneError struct {
	Kind, Name string
	Known      []string
}

func (u *UnknownSceneError) Error() string {
	if len(u.Known) == 0 {
		return fmt.Sprintf("no %s %q (it has none)", u.Kind, u.Name)
	}
	return fmt.Sprintf("no %s %q (there are %s)", u.Kind, u.Name, strings.Join(u.Known, ", "))
}

// Names returns what was asked for and what there is, for a hint.
func (u *UnknownSceneError) Names() (kind, name string, known []string) {
	return u.Kind, u.Name, u.Known
}
