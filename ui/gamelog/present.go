package gamelog

const (
	blockSeconds = 5    // of frames whose present is found together: the clocks of a log drift
	stallSeconds = 0.25 // without a new tick, after which the present of a log with both sides is unknown
	doubtMillis  = 3    // error of the present above which a card says so
	paceSettles  = 3.25 // seconds after which the world's steps have the pace of the frames, and the display delay is measured
)

// present sums how much later frames are than what they show, and than the world of the score. With a clock, lines c, the
// present is known. In a log with both sides it follows from the order of lines: a frame is between the newest tick and the next.
type present struct {
	rate   float64 // ticks a second
	start  int64   // microseconds, of the first frame
	frames int
	behind float64 // ticks from those that frames claim to show to the present, summed
	paced  int     // of the frames, those of a world that has their pace
	ahead  float64 // ticks from such a world's to the present, summed
	doubt  float64 // ticks by which the present may be off

	block   block
	offset  float64 // ticks by which the client's clock is ahead of the server's ticks, in the last block
	settled bool    // there has been a block
	newest  int64   // tick
	since   float64 // when the first frame after it was, in ticks of the client's clock
}

// block sums the frames of a few seconds whose present is not known yet.
type block struct {
	frames      int
	paced       int
	past        float64 // of the clock minus the newest tick, summed
	least, most float64 // of that
	behind      float64 // as in present, but from the clock instead of the present
	ahead       float64
	ticks       int64 // new ones at the last frame
	uneven      bool  // frames do not all have equally many
}

// add adds a frame: its time, the server's newest tick, and the ticks that the frame and the world show. clock is the present
// by lines c, if known. paced says that the world has the pace of the frames.
func (p *present) add(time, newest int64, clock float64, known bool, shown, world float64, paced bool) {
	n := 0
	if paced {
		n = 1
	}
	if p.start == 0 {
		p.start, p.newest = time, newest
	}
	if known {
		p.frames++
		p.behind += clock - shown
		p.paced += n
		p.ahead += float64(float64(n) * (clock - world))
		return
	}
	now := float64(time-p.start) * p.rate / 1e6
	ticks := newest - p.newest
	if p.newest = newest; ticks > 0 {
		p.since = now
	}
	if now-p.since > stallSeconds*p.rate {
		return
	}
	b, past := &p.block, now-float64(newest)
	if b.frames == 0 {
		b.least, b.most, b.ticks = past, past, max(ticks, 1)
	} else {
		b.uneven = b.uneven || ticks != b.ticks && b.frames > 1 || ticks == 0
		b.ticks = ticks
	}
	b.frames++
	b.past += past
	b.least, b.most = min(b.least, past), max(b.most, past)
	b.behind += now - shown
	b.paced += n
	b.ahead += float64(float64(n) * (now - world))
}

// settle ends a block if it is long enough, or the log ends.
func (p *present) settle(enough int, end bool) {
	b := p.block
	if b.frames == 0 || b.frames < blockSeconds*enough && !end {
		return
	}
	mean, latest := b.past/float64(b.frames), b.most-1
	switch {
	case b.frames < enough && p.settled: // too few
	case !b.uneven: // a loop in which each frame makes its ticks and draws them
		p.offset = mean
	case latest <= b.least:
		p.offset = (latest + b.least) / 2
		p.doubt = max(p.doubt, (b.least-latest)/2)
	default: // frames, or ticks, are written late
		p.offset = mean - 0.5
	}
	p.settled = true
	p.frames += b.frames
	p.behind += b.behind - float64(p.offset*float64(b.frames))
	p.paced += b.paced
	p.ahead += b.ahead - float64(p.offset*float64(b.paced))
	p.block = block{}
}

// means returns the mean ticks from what frames show, and from the world, to the present.
func (p *present) means() (behind, ahead float64) {
	return p.behind / float64(max(p.frames, 1)), p.ahead / float64(max(p.paced, 1))
}
