package hud

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// drawShotResults draws the result of the newest shot at the bottom of every picture.
func (d markDrawer) drawShotResults(views []stage.Viewport) {
	if !d.settings.Shots {
		return
	}
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for i := range views {
		v := &views[i]
		s := &d.l.Panes[v.Pane].Shots
		var clientText, serverText, shooterText string // shooterText: what the client saw of the shot in serverText
		for n := max(s.FirstIndex(), s.Total()-stage.MaxShotsShown); n < s.Total(); n++ {
			x := s.At(n)
			if _, ok := stage.ShotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != stage.ServerSide {
				clientText = "client: " + hitOrMiss(x.ClientRay.Hit.Body) + learnedText(x)
			}
			if _, ok := stage.ShotAgeFraction(now-int64(x.ResolvedTick), rate); ok && x.ResolvedTick > 0 && v.Side != stage.ClientSide {
				serverText, shooterText = hitResultText(&x.Result, rate), "client: "+hitOrMiss(x.ClientRay.Hit.Body)
			}
		}
		if serverText != "" && v.Side == stage.Combined {
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
	rewound := "too old: " + millis(v.Age, rate) + ", at most " + millis(v.MaxAge, rate)
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

// millis returns a time in subticks as text, in whole milliseconds.
func millis(subticks int64, rate int) string {
	second := int64(rate) * predict.SubticksPerTick
	return strconv.FormatInt((subticks*1000+second/2)/second, 10) + " ms"
}

// drawShotText draws lines at the lower right of a picture.
func (d markDrawer) drawShotText(v *stage.Viewport, lines ...string) {
	f := d.font(15, true)
	left, _, right, bottom := edges(v.Rect)
	y := bottom - d.px(10)
	for _, text := range lines {
		if text != "" {
			y -= d.px(26)
		}
	}
	for _, text := range lines {
		if text == "" {
			continue
		}
		text = f.Truncate(text, right-left-d.px(36))
		w := f.Width(text) + d.px(16)
		d.Rect(right-d.px(10)-w, y, w, d.px(24), stage.PanelColor)
		d.Text(right-d.px(2)-w, y+d.px(17), f, stage.TextColor, text)
		y += d.px(26)
	}
}
