// Package claim judges what sources claim about strategies by figures of sessions. A claim's rule is
// a list of conditions, such as 1.pops_per_minute < 0.5*2.pops_per_minute, on figures of panes; the verdict
// follows from the conditions and the figures of all sessions alone.
package claim

import (
	"math"

	"ghostcube/internal/statistics"
)

// Verdict is what a claim has come to.
type Verdict int

// Verdicts.
const (
	Holds     Verdict = iota // direction and figure hold
	Differs                  // the direction holds, the figure does not
	Undecided                // the intervals neither show nor exclude what decides: there are too few sessions
	Fails                    // the direction does not hold, or, if there is none, the figure
)

// String returns the verdict in words.
func (v Verdict) String() string {
	return [...]string{"holds", "holds with a difference", "undecided", "does not hold here"}[v]
}

// Answer is what an interval says of a condition.
type Answer int

// Answers, those that weigh more later.
const (
	Yes  Answer = iota
	Open        // some of the interval agrees with the condition and some does not, or it has no value
	No          // the interval excludes the condition
)

// Rule is what a claim expects. All conditions of a list have to hold, each by a 95 % interval, so a longer list
// is no easier to satisfy and the intervals need no correction for their number.
type Rule struct {
	Direction []Condition // without it the claim does not hold here
	Figure    []Condition // may be empty; without it the claim holds with a difference
}

// Judge returns the verdict on the figures of some sessions.
func (r *Rule) Judge(sessions int, figure func(session int, f Figure) (value float64, ok bool)) (Verdict, []Outcome) {
	var outcomes []Outcome
	all := func(list []Condition) Answer {
		answer := Yes
		for i := range list {
			o := list[i].judge(sessions, figure)
			outcomes, answer = append(outcomes, o), max(answer, o.Answer)
		}
		return answer
	}
	direction, number := all(r.Direction), all(r.Figure)
	switch {
	case direction == No:
		return Fails, outcomes
	case direction == Open || number == Open:
		return Undecided, outcomes
	case number == Yes:
		return Holds, outcomes
	case len(r.Direction) > 0:
		return Differs, outcomes
	}
	return Fails, outcomes
}

// Figures returns all figures that the rule reads.
func (r *Rule) Figures() (list []Figure) {
	for _, conditions := range [][]Condition{r.Direction, r.Figure} {
		for i := range conditions {
			for _, operand := range conditions[i].operands {
				list = operand.figures(list)
			}
		}
	}
	return list
}

// Outcome is what the sessions say of a condition.
type Outcome struct {
	Condition *Condition
	Answer    Answer
	Missing   int // sessions in which a figure had no value; then it is Open
	Needed    int // sessions that decide an open one if mean and spread stay; 0: it is decided, or has no value

	Operands    []Measured            // the operands that are not numbers
	Differences []statistics.Interval // of each operand from the next, over the sessions; none for a range
}

// Measured is an operand of a condition over all sessions.
type Measured struct {
	Text string // as the condition has it
	statistics.Interval
}

// judge returns the outcome of a condition.
func (c *Condition) judge(sessions int, figure func(session int, f Figure) (float64, bool)) Outcome {
	o := Outcome{Condition: c, Answer: Open}
	values := make([][]float64, len(c.operands))
	for session := range sessions {
		missing := false
		for i, operand := range c.operands {
			v, ok := operand.value(func(f Figure) (float64, bool) { return figure(session, f) })
			values[i], missing = append(values[i], v), missing || !ok
		}
		if missing {
			o.Missing++
		}
	}
	if o.Missing > 0 || sessions == 0 {
		return o
	}
	for i, operand := range c.operands {
		if operand.figures(nil) != nil {
			o.Operands = append(o.Operands, Measured{operand.text, statistics.Mean(values[i])})
		}
	}
	o.Answer = Yes
	add := func(s statistics.Interval, answer Answer, away float64) {
		o.Answer = max(o.Answer, answer)
		if answer == Open {
			o.Needed = max(o.Needed, sessions+1, s.NeededSeeds(away))
		}
	}
	if len(c.relations) == 0 {
		s := statistics.Mean(values[0])
		add(s, c.inRange(s), min(math.Abs(s.Mean-c.low), math.Abs(s.Mean-c.high)))
	}
	for i, relation := range c.relations {
		differences := make([]float64, sessions)
		for k := range differences {
			differences[k] = values[i+1][k] - values[i][k]
		}
		s := statistics.Mean(differences)
		o.Differences = append(o.Differences, s)
		add(s, relation.judge(s), math.Abs(s.Mean))
	}
	if o.Answer != Open {
		o.Needed = 0
	}
	return o
}

// inRange says whether a value lies in the range of a condition, by its interval.
func (c *Condition) inRange(s statistics.Interval) Answer {
	switch {
	case c.low <= s.Low && s.High <= c.high:
		return Yes
	case s.High < c.low || c.high < s.Low:
		return No
	}
	return Open
}

// judge says whether a relation holds between two operands, by the interval of the second minus the first. Equality is that
// of each session, so one other session excludes it.
func (r relation) judge(s statistics.Interval) Answer {
	yes, no := s.Low == 0 && s.High == 0, s.Low != 0 || s.High != 0
	switch r {
	case "<":
		yes, no = s.Low > 0, s.High <= 0
	case "<=":
		yes, no = s.Low >= 0, s.High < 0
	case ">":
		yes, no = s.High < 0, s.Low >= 0
	case ">=":
		yes, no = s.High <= 0, s.Low > 0
	}
	switch {
	case yes:
		return Yes
	case no:
		return No
	}
	return Open
}
