package recorder

import (
	"strings"
	"testing"

	"ghostcube/predict/lab"
)

// TestCaptions checks that a forced fault of a pane has a caption from the frame that first shows it, for as long as the
// picture shows it.
func TestCaptions(t *testing.T) {
	s := newJob(t, 60, 360, 0, 20, map[int]lab.Command{120: {Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}})
	r, err := Record(s)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range r.Captions {
		if c.From < 0 || c.To <= c.From || c.To > r.FrameCount || c.Text == "" {
			t.Errorf("caption %+v of %d frames", c, r.FrameCount)
		}
		if strings.HasPrefix(c.Text, "forced fault") {
			found = true
			if c.From != 40 || c.To != 54 { // after 0.7 s, its correction follows
				t.Errorf("the fault of frame 40 has its caption in frames %d to %d", c.From, c.To)
			}
		}
	}
	if !found {
		t.Errorf("no caption for the fault: %+v", r.Captions)
	}
}

// TestWriteVTT checks the file of captions.
func TestWriteVTT(t *testing.T) {
	var b strings.Builder
	err := WriteVTT(&b, []Caption{{"2  rewind: 3 < 4 & so on", 90, 150}, {"first", 0, 61}, {"late", 60 * 3600, 60*3600 + 1}}, 60)
	const want = `WEBVTT

00:00:00.000 --> 00:00:01.017
first

00:00:01.500 --> 00:00:02.500
2  rewind: 3 &lt; 4 &amp; so on

01:00:00.000 --> 01:00:00.017
late
`
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}
