package stage

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

const (
	maxShotsShown  = 4    // the newest of a pane
	raySegments    = 24   // of a drawn ray; a segment that begins behind the eye is not drawn
	maxRayLength   = 60   // metres that are drawn
	minShotOpacity = 0.25 // at the end of the second in which a shot fades
)

// shotAgeFraction returns the age of an event, in ticks, as a share of the second for which it is shown; ok
// is false after that.
func shotAgeFraction(ticks int64, rate int) (share float32, ok bool) {
	return float32(ticks) / float32(rate), ticks >= 0 && ticks < int64(rate)
}

// addShots adds the shots of the last second to a picture. The client's picture has what the player saw: the
// ray, and the drawn pose of the body that it hit. The server's picture has the result from the tick in which
// it was resolved: the ray and the hit body in the player's past, and the ray in the present.
func (p *pane) addShots(v *Viewport, l *lab.Lab) {
	s, now, rate := &p.source.Shots, int64(l.Ticks())-1, l.Config().Rate
	for n := max(s.FirstIndex(), s.Total()-maxShotsShown); n < s.Total(); n++ {
		x := s.At(n)
		if share, ok := shotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != ServerSide {
			v.addRay(&x.ClientRay, shotColor(x.ClientRay.Hit.Body), share)
			p.addHitGhost(v, x.ClientRay.Hit.Body, x.TargetDrawn, share)
		}
		share, ok := shotAgeFraction(now-int64(x.ResolvedTick), rate)
		if x.ResolvedTick == 0 || !ok || v.Side == ClientSide {
			continue
		}
		d := &x.Result
		v.addRay(&d.Now, unrewoundColor, share)
		if d.Refused == predict.NotRefused {
			v.addRay(&d.Rewound, shotColor(d.Rewound.Hit.Body), share)
			p.addHitGhost(v, d.Rewound.Hit.Body, d.TargetThen, share)
		}
	}
}

// shotColor returns the colour of a ray that hit a body, or none.
func shotColor(body int) render.Color {
	if body == sim.NoBody {
		return missColor
	}
	return hitColor
}

// fadeShot returns a colour after a share of the second in which a shot fades.
func fadeShot(c render.Color, share float32) render.Color {
	return c.ScaleAlpha(1 - float32((1-minShotOpacity)*share))
}

// addRay adds a ray.
func (v *Viewport) addRay(r *predict.Ray, c render.Color, share float32) {
	var buffer [raySegments + raySegments/2 + 1]geom.Vec3 // the scene copies the points
	points := buffer[:0]
	for range raySegments / 2 { // the faint half of the trail gets no length
		points = append(points, r.Origin)
	}
	for i := range raySegments + 1 {
		points = append(points, r.Origin.AddScaled(float32(min(r.Hit.Distance, maxRayLength)*float32(i))/raySegments, r.Direction))
	}
	v.Scene.AddTrail(points, fadeShot(c, share))
}

// addHitGhost adds a ghost of the hit body at its pose of that moment.
func (p *pane) addHitGhost(v *Viewport, body int, at geom.Pose, share float32) {
	if body == sim.NoBody {
		return
	}
	c := fadeShot(hitColor, share)
	c.A = min(c.A, 254) // an opaque cube is no ghost
	box := &p.source.ServerWorld.Scene().Boxes[body]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at, Half: box.Half, Color: c})
	v.addParts(box.Parts, at, c)
}

// drawShotResults draws the result of the newest shot at the bottom of every picture.
func (d *overlay) drawShotResults(views []Viewport) {
	if !d.settings.Shots {
		return
	}
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for i := range views {
		v := &views[i]
		s := &d.l.Panes[v.Pane].Shots
		var clientText, serverText, shooterText string // shooterText: what the client saw of the shot in serverText
		for n := max(s.FirstIndex(), s.Total()-maxShotsShown); n < s.Total(); n++ {
			x := s.At(n)
			if _, ok := shotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != ServerSide {
				clientText = "client: " + hitOrMiss(x.ClientRay.Hit.Body) + learnedText(x)
			}
			if _, ok := shotAgeFraction(now-int64(x.ResolvedTick), rate); ok && x.ResolvedTick > 0 && v.Side != ClientSide {
				serverText, shooterText = hitResultText(&x.Result, rate), "client: "+hitOrMiss(x.ClientRay.Hit.Body)
			}
		}
		if serverText != "" && v.Side == Combined {
			clientText = shooterText // a later shot may be on its way
		}
		d.drawShotText(v, clientText, serverText)
	}
}

// hitOrMiss names the result of a ray.
func hitOrMiss(body int) string {
	if body == sim.NoBody {
		return "miss"
	}
	return "hit"
}

// learnedText returns the server's result of a shot that a message has brought to the client;
// nothing before that, or without messages.
func learnedText(x *probe.Shot) string {
	if x.LearnedTick == 0 {
		return ""
	}
	return ", server: " + hitOrMiss(x.LearnedBody)
}

// hitResultText returns the server's result of a shot: first the one that counts, then the other one in brackets.
func hitResultText(v *predict.HitResult, rate int) string {
	rewound := "rejected: " + strconv.FormatInt((v.Age*1000+int64(rate)*predict.SubticksPerTick/2)/(int64(rate)*predict.SubticksPerTick), 10) + " ms old"
	switch v.Refused {
	case predict.NotRefused:
		rewound = hitOrMiss(v.Rewound.Hit.Body) + ", rewound " + countText(int((v.Age+predict.SubticksPerTick/2)/predict.SubticksPerTick), "tick")
	case predict.TooNew:
		rewound = "rejected: in the future"
	}
	if !v.UseRewound {
		return hitOrMiss(v.Now.Hit.Body) + " without rewind (" + rewound + ")"
	}
	return rewound + " (" + hitOrMiss(v.Now.Hit.Body) + " without rewind)"
}

// drawShotText draws lines at the lower right of a picture.
func (d *overlay) drawShotText(v *Viewport, lines ...string) {
	f := d.font(15, true)
	y := float32(v.Y+v.H) - d.px(10)
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

// appendShotLegend appends the colours of shots to the legend while one is shown.
func (d *overlay) appendShotLegend(list []legendEntry) []legendEntry {
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for _, p := range d.l.Panes {
		if n := p.Shots.Total(); d.settings.Shots && n > 0 {
			x := p.Shots.At(n - 1)
			if _, ok := shotAgeFraction(now-int64(max(x.FiredTick, x.ResolvedTick)), rate); ok {
				return append(list, legendEntry{color: hitColor, label: "hit"}, legendEntry{color: missColor, label: "miss"}, legendEntry{color: unrewoundColor, label: "not rewound"})
			}
		}
	}
	return list
}
