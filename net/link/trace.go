package link

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Trace is a measured path: delay and loss over time. A datagram meets the last sample
// at or before the time it is sent; after its end the trace repeats. A trace depends on
// the time alone and is the same for every seed and seat. The other conditions are
// added: latency and jitter to its delays, and further losses to its own.
//
// A Trace is immutable and may be shared.
type Trace struct {
	samples []sample
	length  time.Duration // from the first sample to the end of the last
	text    string        // as returned by String
}

// sample is the state of the path from a time on.
type sample struct {
	at    time.Duration // since the start of the trace
	delay time.Duration // one way; of a lost sample: that of the last one not lost
	lost  bool
}

// Bounds of a trace. Its text is part of every tape that uses it, and two of them must
// fit into a line there.
const (
	maxTraceLength = time.Hour
	maxTraceText   = 28 << 10 // bytes of its text
)

// Samples returns the number of samples.
func (t *Trace) Samples() int { return len(t.samples) }

// Length returns the duration after which the trace repeats.
func (t *Trace) Length() time.Duration { return t.length }

// String returns the whole trace as it appears in the text of a Network: the unit (us,
// microseconds), then for each sample its one-way delay, or - for a lost one, preceded
// by its duration and a colon where that differs from the sample before.
//
//	us/20000:5012/4980/-/-/21000:5100
func (t *Trace) String() string { return t.text }

// summary returns the length of the trace, to 10 ms, and a hash of its text.
func (t *Trace) summary() string {
	h := uint32(2166136261) // FNV-1a
	for i := range len(t.text) {
		h = (h ^ uint32(t.text[i])) * 16777619
	}
	return fmt.Sprintf("%d samples of %v (%08x)", len(t.samples), t.length.Round(10*time.Millisecond), h)
}

// at returns the one-way delay that the trace adds at a time, and whether a datagram
// sent then is lost. A nil trace adds nothing.
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

// newTrace returns a trace of samples, the last of which ends at length. Lost samples
// get the delay of the last one before them that was not lost, or of the first after
// them.
func newTrace(samples []sample, length time.Duration) (*Trace, error) {
	last := time.Duration(0)
	for i := len(samples) - 1; i >= 0; i-- {
		if !samples[i].lost {
			last = samples[i].delay
		}
	}
	var b []byte
	duration := time.Duration(-1)
	b = append(b, traceUnit...)
	for i := range samples {
		s := &samples[i]
		end := length
		if i+1 < len(samples) {
			end = samples[i+1].at
		}
		b = append(b, '/')
		if h := end - s.at; h != duration {
			b = append(strconv.AppendInt(b, int64(h/time.Microsecond), 10), ':')
			duration = h
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
		return nil, fmt.Errorf("a trace of %d samples takes %d bytes in a tape, at most %d are allowed: shorten or thin out the trace",
			len(samples), len(b), maxTraceText)
	}
	return &Trace{samples, length, string(b)}, nil
}

const traceUnit = "us"

// parseTrace parses the result of String.
func parseTrace(text string) (*Trace, error) {
	if len(text) > maxTraceText {
		return nil, fmt.Errorf("trace: %d bytes: want at most %d", len(text), maxTraceText)
	}
	unit, rest, _ := strings.Cut(text, "/")
	if unit != traceUnit || rest == "" {
		return nil, fmt.Errorf("trace=%.40s: want none, or samples such as us/20000:5012/4980/- (duration and one-way delay in microseconds, - if lost)", text)
	}
	var samples []sample
	at, duration := time.Duration(0), time.Duration(0)
	for item := range strings.SplitSeq(rest, "/") {
		delay := item
		if h, d, ok := strings.Cut(item, ":"); ok {
			if duration, delay, ok = parseMicroseconds(h, maxTraceLength), d, true; duration <= 0 {
				return nil, fmt.Errorf("trace: sample %d: %.20q: want a duration of 1 to %d us", len(samples)+1, item, maxTraceLength/time.Microsecond)
			}
		}
		s := sample{at: at, lost: delay == "-"}
		if !s.lost {
			s.delay = parseMicroseconds(delay, maxDuration)
		}
		switch at += duration; {
		case s.delay < 0:
			return nil, fmt.Errorf("trace: sample %d: %.20q: want a delay of 0 to %d us, or -", len(samples)+1, item, maxDuration/time.Microsecond)
		case duration == 0:
			return nil, fmt.Errorf("trace: sample 1: %.20q: want a duration first, such as 20000:%s", item, delay)
		case at > maxTraceLength:
			return nil, fmt.Errorf("trace: sample %d: the trace is longer than %v", len(samples)+1, maxTraceLength)
		}
		samples = append(samples, s)
	}
	return newTrace(samples, at)
}

// parseMicroseconds parses a whole number of microseconds. It returns -1 on an error or
// above limit.
func parseMicroseconds(text string, limit time.Duration) time.Duration {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n > uint64(limit/time.Microsecond) {
		return -1
	}
	return time.Duration(n) * time.Microsecond
}
