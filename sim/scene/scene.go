// Package scene is the list of named scenes, with parameters, such as "katamari:cubes=9". It builds
// them from exported names of package sim and knows nothing about stepping.
package scene

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/sim"
)

// Template is a named scene with its parameters.
type Template struct {
	Name   string
	Params []Param

	build func(paramValues) sim.Scene
}

// Templates are all scenes, in the order of lists.
var Templates = []Template{
	{Name: "plain", build: plain, Params: []Param{avatarParam}},
	{Name: "zen", build: zen, Params: []Param{avatarParam}},
	{Name: "katamari", build: katamari, Params: []Param{
		{"cubes", "small cubes on the grid", 900, 0, 2500}, {"players", "players", 1, 1, sim.MaxPlayers},
	}},
	{Name: "pile", build: pile, Params: []Param{{"layers", "layers of 90 cubes", 10, 1, 20}}},
	{Name: "heap", build: heap, Params: []Param{{"layers", "layers of 90 cubes", 10, 1, 20}}},
	{Name: "tower", build: tower, Params: []Param{{"height", "height of the stack, cubes", 10, 1, 70}}},
	{Name: "two-players", build: twoPlayers, Params: []Param{avatarParam}},
	{Name: "turntable", build: turntable, Params: []Param{{"rpm", "speed of the table, turns per minute", 6, 1, 30},
		{"aboard", "1: the player starts on the table", 0, 0, 1}, avatarParam}},
	{Name: "ship", build: ship,
		Params: []Param{{"distance", "distance between the ends, m; top speed 7.5 m/s for 40 m, 50 m/s for 530 m", 40, 40, 530},
			{"platform", "1: the player starts on a platform that moves beside the door", 0, 0, 1}, avatarParam,
			{"jetpack", "1: the player is an avatar that flies; without platform=1 it starts in the air beside the ship", 0, 0, 1},
			{"players", "2: the second player flies the ship, at up to 50 m/s; the first has a jetpack; other parameters have no effect", 1, 1, 2}}},
	{Name: "seesaw", build: seesaw, Params: []Param{{"right", "cubes on the right arm, against three on the left", 3, 0, 3}}},
	{Name: "billiards", build: billiards, Params: []Param{{"rows", "rows of pucks in the triangle", 6, 1, 14}}},
	{Name: "trailer", build: trailer, Params: []Param{{"speed", "speed of the tractor, m/s", 2, 1, 4}}},
	{Name: "hauler", build: hauler, Params: []Param{{"cargo", "cubes in the sled's bays", 1, 0, 3}}},
	{Name: "fleet", build: fleet, Params: []Param{{"fields", "fields of 400 bodies", 25, 1, 100}}},
	{Name: "walker", build: walker, Params: []Param{
		{"rpm", "speed of the crank, turns per minute", 30, 1, 60}, {"mounted", "1: the player's cube is fixed to the frame", 0, 0, 1},
	}},
	{Name: "convoy", build: convoy, Params: []Param{
		{"wagons", "wagons coupled to each rover; one more stands behind, uncoupled", 3, 1, 8}, {"players", "players, each with a rover of its own", 1, 1, 2},
	}},
	{Name: "crowd", build: crowd, Params: []Param{{"walkers", "avatars that walk about, as remote players do", 120, 1, 500}}},
	{Name: "train", build: train, Params: []Param{{"rods", "rods in the chain", 8, 1, 32}}},
}

// Build returns the scene with default parameters.
func (t *Template) Build() sim.Scene {
	s, err := t.buildWith("")
	if err != nil {
		panic(err)
	}
	return s
}

// buildWith returns the scene with parameters as text, such as "cubes=9".
func (t *Template) buildWith(text string) (sim.Scene, error) {
	p := paramValues{params: t.Params}
	for _, x := range t.Params {
		p.values = append(p.values, x.Default)
	}
	name := t.Name
	for text != "" {
		var item string
		item, text, _ = strings.Cut(text, ":")
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return sim.Scene{}, fmt.Errorf("scene %q: %q: want a parameter as name=number, such as katamari:cubes=9", t.Name, item)
		}
		i := t.paramIndex(key)
		if i < 0 {
			return sim.Scene{}, &UnknownNameError{"parameter of " + t.Name, key, t.paramNames()}
		}
		x := &t.Params[i]
		v, err := strconv.Atoi(value)
		if err != nil || v < x.Min || v > x.Max {
			return sim.Scene{}, fmt.Errorf("scene %q: %s=%s: want %d to %d", t.Name, key, value, x.Min, x.Max)
		}
		p.values[i] = v
	}
	for i, x := range t.Params {
		if p.values[i] != x.Default {
			name += ":" + x.Name + "=" + strconv.Itoa(p.values[i])
		}
	}
	s := t.build(p)
	if i := t.paramIndex(avatarParam.Name); i >= 0 && p.values[i] == 1 {
		makeAvatars(&s)
	}
	s.Name = name
	return s, nil
}

// Names returns the names of all scenes.
func Names() []string {
	var names []string
	for i := range Templates {
		names = append(names, Templates[i].Name)
	}
	return names
}

// Named returns the scene of a specification: a name, and parameters after colons, such as
// "katamari:cubes=9". The error for an unknown name is an UnknownNameError.
func Named(spec string) (sim.Scene, error) {
	name, text, more := strings.Cut(spec, ":")
	for i := range Templates {
		if n := &Templates[i]; n.Name == name {
			if more && text == "" {
				return sim.Scene{}, fmt.Errorf("scene %q: want a parameter after the colon, such as katamari:cubes=9", spec)
			}
			return n.buildWith(text)
		}
	}
	return sim.Scene{}, &UnknownNameError{"scene", name, Names()}
}
