package stage

import (
	"strings"

	"ghostcube/sim/geom"
)

// sceneView is where the camera of a scene stands unless a show command says otherwise, and what it looks at besides
// the player's body.
type sceneView struct {
	scene    string // a name, or a name with one parameter
	yaw      float64
	pitch    float64
	distance float64

	beside besideKind
	body   int
	point  geom.Vec3 // metres, world frame
	keep   bool      // the camera moves away to keep it in the picture, as far as for the player's bodies
}

// besideKind says what a camera looks at besides the player's body.
type besideKind uint8

// The kinds.
const (
	besideNothing besideKind = iota
	besideBody               // index sceneView.body
	besideCarrier            // the first one
	besidePoint              // sceneView.point
)

// sceneViews are the views of scenes; other scenes use DefaultSettings. The first row that matches holds. In most of
// these scenes the player's body would otherwise hide what it stands in front of, or push it to the edge of the
// picture.
var sceneViews = []sceneView{
	{scene: "zen", yaw: 20, pitch: 27, distance: 13},
	{scene: "katamari", yaw: 0, pitch: 30, distance: 16},
	{scene: "pile", yaw: 35, pitch: 28, distance: 16, beside: besidePoint, point: geom.Vec3{Z: 2}},
	{scene: "heap", yaw: 35, pitch: 28, distance: 18, beside: besidePoint, point: geom.Vec3{Z: 2}},
	{scene: "tower", yaw: 30, pitch: 22, distance: 13, beside: besidePoint, point: geom.Vec3{Z: 2}},
	{scene: "two-players", yaw: 0, pitch: 32, distance: 18, beside: besideBody, body: 1},
	{scene: "turntable", yaw: 20, pitch: 32, distance: 18, beside: besidePoint},
	{scene: "ship", yaw: 25, pitch: 32, distance: 18, beside: besideCarrier},
	{scene: "seesaw", yaw: -25, pitch: 28, distance: 13, beside: besideBody, body: 1},
	{scene: "billiards", yaw: 15, pitch: 40, distance: 16, beside: besidePoint, point: geom.Vec3{Y: 1}},
	{scene: "trailer", yaw: 25, pitch: 28, distance: 15, beside: besideBody, body: 1, keep: true},
	{scene: "hauler", yaw: 30, pitch: 30, distance: 9},
	{scene: "fleet", yaw: 15, pitch: 32, distance: 24, beside: besidePoint},
	{scene: "walker:mounted=1", yaw: 30, pitch: 12, distance: 11},
	{scene: "walker", yaw: -40, pitch: 20, distance: 13, beside: besideBody, body: 1, keep: true},
	{scene: "convoy", yaw: 25, pitch: 30, distance: 14, beside: besideBody, body: 2},
	{scene: "crowd", yaw: 0, pitch: 35, distance: 18},
	{scene: "train", yaw: 50, pitch: 28, distance: 13, beside: besideBody, body: 4},
}

// viewOf returns the view of a scene, which is named as for scene.Named.
func viewOf(scene string) *sceneView {
	for i := range sceneViews {
		v := &sceneViews[i]
		name, param, _ := strings.Cut(v.scene, ":")
		rest, ok := strings.CutPrefix(scene, name)
		if ok && (rest == "" || rest[0] == ':') && hasParam(rest, param) {
			return v
		}
	}
	return &defaultView
}

// defaultView is the view of the scenes without a row.
var defaultView = sceneView{pitch: DefaultSettings.Pitch, distance: DefaultSettings.Distance}

// hasParam reports whether parameters such as :a=1:b=2 contain one. They all contain the empty one.
func hasParam(params, param string) bool {
	for param != "" {
		var next string
		var found bool
		if next, params, found = strings.Cut(params, ":"); next == param {
			return true
		}
		if !found {
			return false
		}
	}
	return true
}

// DefaultsOf returns the settings without show commands of a scene, which is named as for scene.Named.
func DefaultsOf(scene string) Settings {
	s, v := DefaultSettings, viewOf(scene)
	s.Yaw, s.Pitch, s.Distance = v.yaw, v.pitch, v.distance
	return s
}

// lookBeside returns what the camera looks at besides the player, in a pane's server world.
func (v *sceneView) lookBeside(p *pane) (at geom.Vec3, ok bool) {
	world := p.source.ServerWorld
	switch {
	case v.beside == besidePoint:
		return focusPoint(v.point), true
	case v.beside == besideBody && v.body < len(p.current.server):
		return focusPoint(p.current.server[v.body].Pos), true
	case v.beside == besideCarrier && len(world.Scene().Carriers) > 0:
		c := &world.Scene().Carriers[0]
		return focusPoint(c.Path.PoseAt(c.Boxes[0].Start.Pose, p.current.serverAt, world.Rate()).Pos), true
	}
	return at, false
}
