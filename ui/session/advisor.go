package session

import (
	"cmp"
	"slices"
	"strings"

	"ghostcube/ui/advise"
	"ghostcube/ui/plan"
)

// Advisor answers which strategies fit a game, and opens what it recommends. Its answers outlive sessions.
type Advisor struct {
	session  *Session
	evidence *advise.Evidence // nil: not read yet
	answers  []string         // to advise.Questions; empty ones are their fallbacks
	game     advise.Game
	advice   *advise.Advice // nil: not made yet
	shown    *plan.Plan     // of the choice that was opened last
	choice   int            // it
}

// Answer returns the present answer to a question, by its index.
func (a *Advisor) Answer(question int) string {
	if a.answers == nil {
		return advise.Questions[question].Fallback
	}
	return cmp.Or(a.answers[question], advise.Questions[question].Fallback)
}

// Check returns why an answer to a question is refused.
func (a *Advisor) Check(question int, answer string) error {
	return advise.Questions[question].Answer(&advise.Game{}, answer)
}

// SetAnswer answers a question anew. An answer that Check refuses becomes a notice.
func (a *Advisor) SetAnswer(question int, answer string) {
	answer = strings.Join(strings.Fields(answer), "")
	if err := a.Check(question, answer); err != nil {
		a.session.Notices.Post(err.Error())
		return
	}
	a.answers = slices.Grow(a.answers, len(advise.Questions))[:len(advise.Questions)]
	a.answers[question] = answer
	a.advice, a.shown = nil, nil
}

// Advice returns the advice for the present answers: the same until one of them changes.
func (a *Advisor) Advice() (*advise.Advice, error) {
	if a.advice != nil {
		return a.advice, nil
	}
	a.game = advise.Game{}
	for i := range advise.Questions {
		if err := advise.Questions[i].Answer(&a.game, a.Answer(i)); err != nil {
			return nil, err
		}
	}
	var err error
	if a.evidence == nil {
		if a.evidence, err = advise.ReadBuiltIn(a.session.Library); err != nil {
			return nil, err
		}
	}
	a.advice, err = a.evidence.Advise(&a.game)
	return a.advice, err
}

// CopyCommand copies the command line that prints the advice.
func (a *Advisor) CopyCommand() {
	answers := make([]string, len(advise.Questions))
	copy(answers, a.answers)
	line, _ := advise.Command(answers)
	a.session.Links.copyLine(line)
}

// Open plans the session that shows a choice of the advice beside another, which StartNext starts.
func (a *Advisor) Open(choice int) {
	p, err := a.advice.Session(a.session.Library, &a.game, choice)
	if err != nil {
		a.session.Notices.Post(err.Error())
		return
	}
	a.session.Next, a.shown, a.choice = p, p, choice
}

// Shown reports whether the session is that which shows a choice, whatever was changed in it.
func (a *Advisor) Shown(choice int) bool {
	return a.shown != nil && a.session.Plan == a.shown && a.choice == choice
}
