package stage

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The colours of shots, by what they met.
var (
	HitColor       = render.Color{R: 0, G: 168, B: 72, A: 255}
	MissColor      = render.Color{R: 46, G: 50, B: 60, A: 255}
	UnrewoundColor = render.Color{R: 28, G: 92, B: 255, A: 255} // without going back
)

const (
	maxShotsShown  = 4  // the newest of a pane, at most
	raySegments    = 24 // that a ray is drawn in, so that one that leaves the picture is drawn as far as it is in it
	maxRayLength   = 60 // metres of a ray that are drawn
	minShotOpacity = 0.25
)

// shotAgeFraction is how much of the second is over for which something is shown that was so
// many ticks ago; ok is false if all of it is.
func shotAgeFraction(ticks int64, rate int) (share float32, ok bool) {
	return float32(ticks) / float32(rate), ticks >= 0 && ticks < int64(rate)
}

// addShots adds the shots of the last second to a picture. In the client's that is what
// the player saw: the ray, and where the body that it met was drawn. In the server's it
// is what it makes of it, from when it does: the ray in the player's past and the body
// that it met as it was then, and the ray in the present.
func (p *pane) addShots(v *Viewport, l *lab.Lab) {
	s, now, rate := &p.source.Shots, int64(l.Ticks())-1, l.Config().Rate
	for n := max(s.FirstIndex(), s.Total()-maxShotsShown); n < s.Total(); n++ {
		x := s.At(n)
		if share, ok := shotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != ServerSide {
			v.addRay(&x.ClientRay, shotColor(x.ClientRay.Hit.Body), share)
			p.addHitGhost(v, x.ClientRay.Hit.Body, x.TargetDrawn, share)
		}
		share, ok := shotAgeFraction(now-int64(x.JudgedTick), rate)
		if x.JudgedTick == 0 || !ok || v.Side == ClientSide {
			continue
		}
		d := &x.Result
		v.addRay(&d.Now, UnrewoundColor, share)
		if d.Refused == predict.NotRefused {
			v.addRay(&d.Rewound, shotColor(d.Rewound.Hit.Body), share)
			p.addHitGhost(v, d.Rewound.Hit.Body, d.TargetThen, share)
		}
	}
}

// shotColor is the colour of a shot that met a body.
func shotColor(body int) render.Color {
	if body == sim.NoBody {
		return MissColor
	}
	return HitColor
}

// fadeShot is a colour of which a share of the time is over.
func fadeShot(c render.Color, share float32) render.Color {
	return c.ScaleAlpha(1 - float32((1-minShotOpacity)*share))
}

// addRay adds a ray.
func (v *Viewport) addRay(r *predict.Ray, c render.Color, share float32) {
	points := make([]geom.Vec3, 0, raySegments+raySegments/2+1)
	for range raySegments / 2 { // a trail is faint at its beginning: that is of no length here
		points = append(points, r.Origin)
	}
	for i := range raySegments + 1 {
		points = append(points, r.Origin.AddScaled(float32(min(r.Hit.Distance, maxRayLength)*float32(i))/raySegments, r.Direction))
	}
	v.Scene.Trails = append(v.Scene.Trails, render.Trail{Points: points, Color: fadeShot(c, share)})
}

// addHitGhost adds the ghost of a body that was hit, where it was.
func (p *pane) addHitGhost(v *Viewport, body int, at geom.Pose, share float32) {
	if body == sim.NoBody {
		return
	}
	c := fadeShot(HitColor, share)
	c.A = min(c.A, 254) // a ghost
	box := &p.source.ServerWorld.Scene().Boxes[body]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at, Half: box.Half, Color: c})
	v.addParts(box.Parts, at, c)
}

// drawShotResults writes at the foot of every picture what became of the newest shot in it.
func (d *overlay) drawShotResults(views []Viewport) {
	if !d.settings.Shots {
		return
	}
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for i := range views {
		v := &views[i]
		s := &d.l.Panes[v.Pane].Shots
		var seen, made, of string
		for n := max(s.FirstIndex(), s.Total()-maxShotsShown); n < s.Total(); n++ {
			x := s.At(n)
			if _, ok := shotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != ServerSide {
				seen = "saw a " + hitOrMiss(x.ClientRay.Hit.Body)
			}
			if _, ok := shotAgeFraction(now-int64(x.JudgedTick), rate); ok && x.JudgedTick > 0 && v.Side != ClientSide {
				made, of = hitResultText(&x.Result, rate), "saw a "+hitOrMiss(x.ClientRay.Hit.Body)
			}
		}
		if made != "" && v.Side == Combined {
			seen = of // of the same shot: a later one may have been fired since
		}
		d.drawShotText(v, seen, made)
	}
}

func hitOrMiss(body int) string {
	if body == sim.NoBody {
		return "miss"
	}
	return "hit"
}

// hitResultText are what the server makes of a shot, the judgement that counts first.
func hitResultText(v *predict.HitResult, rate int) string {
	back := "refused: " + strconv.FormatInt((v.Age*1000+int64(rate)*sim.SubticksPerTick/2)/(int64(rate)*sim.SubticksPerTick), 10) + " ms old"
	switch v.Refused {
	case predict.NotRefused:
		back = hitOrMiss(v.Rewound.Hit.Body) + ", " + countText(int((v.Age+sim.SubticksPerTick/2)/sim.SubticksPerTick), "tick") + " back"
	case predict.TooNew:
		back = "refused: of the future"
	}
	if !v.UseRewound {
		return hitOrMiss(v.Now.Hit.Body) + " now (" + back + ")"
	}
	return back + " (" + hitOrMiss(v.Now.Hit.Body) + " now)"
}

// drawShotText writes a line or two at the foot of a picture, at its right, and above the
// graph that the client's has.
func (d *overlay) drawShotText(v *Viewport, lines ...string) {
	f := d.font(15, true)
	y := float32(v.Y+v.H) - d.px(10)
	if v.Side != ServerSide && d.settings.Graphs && float32(v.H) > d.px(300) {
		y -= d.px(64 + 8)
	}
	if begins := d.gaugeTops[v.Pane]; v.Side != ClientSide && begins > 0 {
		y = min(y, begins)
	}
	for _, text := range lines {
		if text != "" {
			y -= d.px(26)
		}
	}
	for _, text := range lines {
		if text == "" {
			continue
		}
		text = f.Truncate(text, float32(v.W)-d.px(36))
		w := f.Width(text) + d.px(16)
		d.Rect(float32(v.X+v.W)-d.px(10)-w, y, w, d.px(24), panelColor)
		d.Text(float32(v.X+v.W)-d.px(2)-w, y+d.px(17), f, textColor, text)
		y += d.px(26)
	}
}

// appendShotLegend is what the colours of shots mean, while any is shown.
func (d *overlay) appendShotLegend(list []legendEntry) []legendEntry {
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for _, p := range d.l.Panes {
		if n := p.Shots.Total(); d.settings.Shots && n > 0 {
			x := p.Shots.At(n - 1)
			if _, ok := shotAgeFraction(now-int64(max(x.FiredTick, x.JudgedTick)), rate); ok {
				return append(list, legendEntry{color: HitColor, label: "shot that hits"}, legendEntry{color: MissColor, label: "misses"}, legendEntry{color: UnrewoundColor, label: "judged now"})
			}
		}
	}
	return list
}
