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
	ShotHit  = render.Color{R: 0, G: 168, B: 72, A: 255}
	ShotMiss = render.Color{R: 46, G: 50, B: 60, A: 255}
	ShotNow  = render.Color{R: 28, G: 92, B: 255, A: 255} // without going back
)

const (
	shotsShown = 4  // the newest of a pane, at most
	shotPieces = 24 // that a ray is drawn in, so that one that leaves the picture is drawn as far as it is in it
	shotFar    = 60 // metres of a ray that are drawn
	shotFaint  = 0.25
)

// shotShare is how much of the second is over for which something is shown that was so
// many ticks ago; ok is false if all of it is.
func shotShare(ticks int64, rate int) (share float32, ok bool) {
	return float32(ticks) / float32(rate), ticks >= 0 && ticks < int64(rate)
}

// shoot adds the shots of the last second to a picture. In the client's that is what
// the player saw: the ray, and where the body that it met was drawn. In the server's it
// is what it makes of it, from when it does: the ray in the player's past and the body
// that it met as it was then, and the ray in the present.
func (p *pane) shoot(v *View, l *lab.Lab) {
	if !l.Display().Shots {
		return
	}
	s, now, rate := &p.of.Shots, int64(l.Ticks())-1, l.Config().Rate
	for n := max(s.First(), s.Total()-shotsShown); n < s.Total(); n++ {
		x := s.Number(n)
		if share, ok := shotShare(now-int64(x.At), rate); ok && v.Side != ServerSide {
			v.ray(&x.Seen, hue(x.Seen.Hit.Body), share)
			p.struck(v, x.Seen.Hit.Body, x.Target, share)
		}
		share, ok := shotShare(now-int64(x.Judged), rate)
		if x.Judged == 0 || !ok || v.Side == ClientSide {
			continue
		}
		d := &x.Result
		v.ray(&d.Now, ShotNow, share)
		if d.Refused == predict.NotRefused {
			v.ray(&d.Rewound, hue(d.Rewound.Hit.Body), share)
			p.struck(v, d.Rewound.Hit.Body, d.TargetThen, share)
		}
	}
}

// hue is the colour of a shot that met a body.
func hue(body int) render.Color {
	if body == sim.NoBody {
		return ShotMiss
	}
	return ShotHit
}

// dim is a colour of which a share of the time is over.
func dim(c render.Color, share float32) render.Color {
	return c.Faint(1 - float32((1-shotFaint)*share))
}

// ray adds a ray.
func (v *View) ray(r *predict.Ray, c render.Color, share float32) {
	points := make([]geom.Vec3, 0, shotPieces+shotPieces/2+1)
	for range shotPieces / 2 { // a trail is faint at its beginning: that is of no length here
		points = append(points, r.From)
	}
	for i := range shotPieces + 1 {
		points = append(points, r.From.Plus(float32(min(r.Hit.Length, shotFar)*float32(i))/shotPieces, r.Along))
	}
	v.Scene.Trails = append(v.Scene.Trails, render.Trail{Points: points, Color: dim(c, share)})
}

// struck adds the ghost of a body that was hit, where it was.
func (p *pane) struck(v *View, body int, at geom.Pose, share float32) {
	if body == sim.NoBody {
		return
	}
	c := dim(ShotHit, share)
	c.A = min(c.A, 254) // a ghost
	box := &p.of.ServerWorld.Scene().Boxes[body]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at, Half: box.Half, Color: c})
	v.addParts(box.Parts, at, c)
}

// shots writes at the foot of every picture what became of the newest shot in it.
func (d *drawing) shots(views []View) {
	if !d.l.Display().Shots {
		return
	}
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for i := range views {
		v := &views[i]
		s := &d.l.Panes[v.Pane].Shots
		var seen, made, of string
		for n := max(s.First(), s.Total()-shotsShown); n < s.Total(); n++ {
			x := s.Number(n)
			if _, ok := shotShare(now-int64(x.At), rate); ok && v.Side != ServerSide {
				seen = "saw a " + verb(x.Seen.Hit.Body)
			}
			if _, ok := shotShare(now-int64(x.Judged), rate); ok && x.Judged > 0 && v.Side != ClientSide {
				made, of = verdictWords(&x.Result, rate), "saw a "+verb(x.Seen.Hit.Body)
			}
		}
		if made != "" && v.Side == Overlay {
			seen = of // of the same shot: a later one may have been fired since
		}
		d.shotWords(v, seen, made)
	}
}

func verb(body int) string {
	if body == sim.NoBody {
		return "miss"
	}
	return "hit"
}

// verdictWords are what the server makes of a shot, the judgement that counts first.
func verdictWords(v *predict.HitResult, rate int) string {
	back := "refused: " + strconv.FormatInt((v.Age*1000+int64(rate)*sim.SeenParts/2)/(int64(rate)*sim.SeenParts), 10) + " ms old"
	switch v.Refused {
	case predict.NotRefused:
		back = verb(v.Rewound.Hit.Body) + ", " + count(int((v.Age+sim.SeenParts/2)/sim.SeenParts), "tick") + " back"
	case predict.TooNew:
		back = "refused: of the future"
	}
	if !v.UseRewound {
		return verb(v.Now.Hit.Body) + " now (" + back + ")"
	}
	return back + " (" + verb(v.Now.Hit.Body) + " now)"
}

// shotWords writes a line or two at the foot of a picture, at its right, and above the
// graph that the client's has.
func (d *drawing) shotWords(v *View, lines ...string) {
	f := d.font(15, true)
	y := float32(v.Y+v.H) - d.px(10)
	if show := d.l.Display(); v.Side != ServerSide && show.Graphs && float32(v.H) > d.px(300) {
		y -= d.px(64 + 8)
	}
	if begins := d.gauged[v.Pane]; v.Side != ClientSide && begins > 0 {
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
		text = f.Fit(text, float32(v.W)-d.px(36))
		w := f.Width(text) + d.px(16)
		d.Rect(float32(v.X+v.W)-d.px(10)-w, y, w, d.px(24), veil)
		d.Text(float32(v.X+v.W)-d.px(2)-w, y+d.px(17), f, ink, text)
		y += d.px(26)
	}
}

// shotLegend is what the colours of shots mean, while any is shown.
func (d *drawing) shotLegend(list []entry) []entry {
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for _, p := range d.l.Panes {
		if n := p.Shots.Total(); d.l.Display().Shots && n > 0 {
			x := p.Shots.Number(n - 1)
			if _, ok := shotShare(now-int64(max(x.At, x.Judged)), rate); ok {
				return append(list, entry{color: ShotHit, name: "shot that hits"}, entry{color: ShotMiss, name: "misses"}, entry{color: ShotNow, name: "judged now"})
			}
		}
	}
	return list
}
