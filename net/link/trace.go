package link

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Trace is a path as it was measured: how late a datagram was, and whether it
// was lost, from moment to moment. A datagram meets the last sample at or
// before the moment it is sent, and after its end the trace begins again. So a
// trace is a function of the moment alone, the same for every seed and seat.
// What else the conditions say comes on top: latency, jitter and the rest are
// added to its delays, and other losses strike besides its own.
//
// A Trace does not change once it is made, and may be shared.
type Trace struct {
	samples []sample
	length  time.Duration // from the first sample to the end of the last
	text    string        // as a weather writes it
}

// sample is how the path is from a moment on.
type sample struct {
	at    time.Duration // since the trace began
	delay time.Duration // one way; of a lost one: that of the last before it that was not
	lost  bool
}

// The bounds of a trace. Its text stands in every tape of a session with it,
// and two of them must fit into a line there.
const (
	maxTraceLength = time.Hour
	maxTraceText   = 28 << 10 // bytes of its text
)

// Samples returns how many samples the trace has.
func (t *Trace) Samples() int { return len(t.samples) }

// Length returns how long the trace is before it begins again.
func (t *Trace) Length() time.Duration { return t.length }

// String returns the trace as a weather's text holds it, whole: the unit (us,
// microseconds), and for each sample its delay one way, or - for a lost one;
// before it, with a colon, how long it holds, where that differs from the
// sample before.
//
//	us/20000:5012/4980/-/-/21000:5100
func (t *Trace) String() string { return t.text }

// summary says what trace it is in a few words, with a hash of all that it holds.
func (t *Trace) summary() string {
	h := uint32(2166136261) // FNV-1a
	for i := range len(t.text) {
		h = (h ^ uint32(t.text[i])) * 16777619
	}
	return fmt.Sprintf("%d samples of %v (%08x)", len(t.samples), t.length, h)
}

// at returns the one-way delay that the trace adds at a moment, and whether it
// loses what is sent then. Without a trace nothing is added.
func (t *Trace) at(now time.Duration) (delay time.Duration, lost bool) {
	if t == nil {
		return 0, false
	}
	now %= t.length
	low, high := 0, len(t.samples) // the sample is in [low, high)
	for high-low > 1 {
		if middle := (low + high) / 2; t.samples[middle].at <= now {
			low = middle
		} else {
			high = middle
		}
	}
	return t.samples[low].delay, t.samples[low].lost
}

// newTrace makes a trace of samples, the last of which ends at length. It
// gives lost ones the delay of the last before them that was not lost, or of
// the first after them.
func newTrace(samples []sample, length time.Duration) (*Trace, error) {
	last := time.Duration(0)
	for i := len(samples) - 1; i >= 0; i-- {
		if !samples[i].lost {
			last = samples[i].delay
		}
	}
	var b []byte
	holds := time.Duration(-1)
	b = append(b, traceUnit...)
	for i := range samples {
		s := &samples[i]
		end := length
		if i+1 < len(samples) {
			end = samples[i+1].at
		}
		b = append(b, '/')
		if h := end - s.at; h != holds {
			b = append(strconv.AppendInt(b, int64(h/time.Microsecond), 10), ':')
			holds = h
		}
		if s.lost {
			s.delay = last
			b = append(b, '-')
		} else {
			last = s.delay
			b = strconv.AppendInt(b, int64(s.delay/time.Microsecond), 10)
		}
	}
	if len(b) > maxTraceText {
		return nil, fmt.Errorf("a trace of %d samples takes %d bytes in a tape, and may take %d: shorten it or thin it out", len(samples), len(b), maxTraceText)
	}
	return &Trace{samples, length, string(b)}, nil
}

const traceUnit = "us"

// parseTrace reads what String wrote.
func parseTrace(text string) (*Trace, error) {
	if len(text) > maxTraceText {
		return nil, fmt.Errorf("trace: %d bytes: want %d at most", len(text), maxTraceText)
	}
	unit, rest, _ := strings.Cut(text, "/")
	if unit != traceUnit || rest == "" {
		return nil, fmt.Errorf("trace=%.40s: want none, or samples such as us/20000:5012/4980/- (microseconds that each holds, and its delay one way, - if lost)", text)
	}
	var samples []sample
	at, holds := time.Duration(0), time.Duration(0)
	for item := range strings.SplitSeq(rest, "/") {
		delay := item
		if h, d, ok := strings.Cut(item, ":"); ok {
			if holds, delay, ok = parseMicroseconds(h, maxTraceLength), d, true; holds <= 0 {
				return nil, fmt.Errorf("trace: sample %d: %.20q: want it to hold 1 to %d us", len(samples)+1, item, maxTraceLength/time.Microsecond)
			}
		}
		s := sample{at: at, lost: delay == "-"}
		if !s.lost {
			s.delay = parseMicroseconds(delay, maxDuration)
		}
		switch at += holds; {
		case s.delay < 0:
			return nil, fmt.Errorf("trace: sample %d: %.20q: want a delay of 0 to %d us, or -", len(samples)+1, item, maxDuration/time.Microsecond)
		case holds == 0:
			return nil, fmt.Errorf("trace: sample 1: %.20q: want to know how long it holds, such as 20000:%s", item, delay)
		case at > maxTraceLength:
			return nil, fmt.Errorf("trace: sample %d: the trace is longer than %v", len(samples)+1, maxTraceLength)
		}
		samples = append(samples, s)
	}
	return newTrace(samples, at)
}

// parseMicroseconds reads a whole number of microseconds, or returns -1 where there is
// none, or one above most.
func parseMicroseconds(text string, most time.Duration) time.Duration {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n > uint64(most/time.Microsecond) {
		return -1
	}
	return time.Duration(n) * time.Microsecond
}
