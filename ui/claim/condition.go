package claim

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Condition compares two or more operands, or says in which range one lies.
type Condition struct {
	text      string
	operands  []*operand
	relations []relation // between the operands; empty: the only operand lies in [low, high]
	low, high float64
}

// String returns the condition as it was parsed.
func (c *Condition) String() string { return c.text }

// relation is one of < <= = >= >.
type relation string

// Figure is a figure of a pane, or of what a command prints.
type Figure struct {
	Pane int    // index of the pane; -1: what a command prints
	Name string // measure, counter or figure of the traffic; name of what a command prints
}

// operand is a number, a figure, or an operator between two operands.
type operand struct {
	text        string
	operator    byte // + - * / or f for a figure, n for a number
	number      float64
	figure      Figure
	left, right *operand
}

var (
	relationPattern = regexp.MustCompile(`<=|>=|<|>|=`)
	tokenPattern    = regexp.MustCompile(`^(?:(\d+)\.([a-z]\w*)|(\d+(?:\.\d+)?(?:e-?\d+)?)|([a-z]\w*)|([-+*/()]))`)
)

// ParseCondition parses a condition, such as 2.corrections < 0.5*1.corrections, 1.pops < 2.pops < 3.pops or
// 1.down_kbit_per_second in 200..256. A figure is that of a pane, which counts from 1.
func ParseCondition(text string) (c Condition, err error) {
	c.text = text
	rest, limits, isRange := strings.Cut(text, " in ")
	if isRange {
		low, high, _ := strings.Cut(limits, "..")
		var bad error
		c.low, err = strconv.ParseFloat(low, 64)
		c.high, bad = strconv.ParseFloat(high, 64)
		if err != nil || bad != nil || !(c.low <= c.high) || math.IsInf(c.low, 0) || math.IsInf(c.high, 0) {
			return c, fmt.Errorf("%q: want a range LOW..HIGH", text)
		}
	}
	for _, r := range relationPattern.FindAllString(rest, -1) {
		c.relations = append(c.relations, relation(r))
	}
	for _, part := range relationPattern.Split(rest, -1) {
		p := parser{rest: strings.TrimSpace(part)}
		o := p.sum()
		if p.err == nil && p.rest != "" {
			p.fail()
		}
		if p.err != nil {
			return c, fmt.Errorf("%q: %w", text, p.err)
		}
		o.text = strings.TrimSpace(part)
		c.operands = append(c.operands, o)
	}
	if isRange != (len(c.relations) == 0) {
		return c, fmt.Errorf("%q: want operands with < <= = >= > between them, or one in LOW..HIGH", text)
	}
	figures := false
	for _, o := range c.operands {
		figures = figures || o.figures(nil) != nil
	}
	if !figures {
		return c, fmt.Errorf("%q: nothing in it is measured", text)
	}
	return c, nil
}

// maxDepth is the depth of the deepest parentheses.
const maxDepth = 20

// parser parses an operand from left to right.
type parser struct {
	rest  string
	depth int
	err   error // the first error
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = fmt.Errorf("at %q: want a number, a figure such as 1.pops_per_minute, or one of + - * / ( )", p.rest)
	}
}

// next takes one of some characters, and returns 0 if another follows.
func (p *parser) next(characters string) byte {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" || !strings.Contains(characters, p.rest[:1]) {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// sum parses products with + and - between them.
func (p *parser) sum() *operand { return p.chain("+-", p.product) }

// product parses factors with * and / between them.
func (p *parser) product() *operand { return p.chain("*/", p.factor) }

func (p *parser) chain(operators string, part func() *operand) *operand {
	o := part()
	for p.err == nil {
		operator := p.next(operators)
		if operator == 0 {
			break
		}
		o = &operand{operator: operator, left: o, right: part()}
	}
	return o
}

// factor parses a number, a figure, or a sum in parentheses.
func (p *parser) factor() *operand {
	p.rest = strings.TrimLeft(p.rest, " ")
	m := tokenPattern.FindStringSubmatch(p.rest)
	switch {
	case p.err != nil:
		return nil
	case m == nil:
		p.fail()
		return nil
	case m[1] != "":
		pane, err := strconv.Atoi(m[1])
		if err != nil || pane < 1 {
			p.fail()
			return nil
		}
		p.rest = p.rest[len(m[0]):]
		return &operand{operator: 'f', figure: Figure{pane - 1, m[2]}}
	case m[3] != "":
		number, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			p.fail()
			return nil
		}
		p.rest = p.rest[len(m[0]):]
		return &operand{operator: 'n', number: number}
	case m[4] != "":
		p.rest = p.rest[len(m[0]):]
		return &operand{operator: 'f', figure: Figure{-1, m[4]}}
	case m[5] == "(" && p.depth < maxDepth:
		p.rest = p.rest[1:]
		p.depth++
		o := p.sum()
		p.depth--
		if p.err == nil && p.next(")") == 0 {
			p.fail()
		}
		return o
	}
	p.fail()
	return nil
}

// figures appends the figures of the operand to a list.
func (o *operand) figures(list []Figure) []Figure {
	switch {
	case o.operator == 'f':
		return append(list, o.figure)
	case o.left != nil:
		return o.right.figures(o.left.figures(list))
	}
	return list
}

// value returns the operand's value. ok is false if a figure has none, or the result is not finite, as a ratio
// to 0.
func (o *operand) value(figure func(Figure) (float64, bool)) (v float64, ok bool) {
	switch o.operator {
	case 'n':
		return o.number, true
	case 'f':
		v, ok = figure(o.figure)
		return v, ok && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	a, ok := o.left.value(figure)
	b, also := o.right.value(figure)
	switch o.operator {
	case '+':
		v = a + b
	case '-':
		v = a - b
	case '*':
		v = float64(a * b)
	default:
		v = a / b
	}
	return v, ok && also && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// figurePattern matches the figures of panes, and other names, in the text of a condition.
var figurePattern = regexp.MustCompile(`(?:\b(\d+)\.)?\b([a-z]\w*)`)

// InWords returns an operand or a condition with words for its figures.
func InWords(text string, word func(f Figure) string) string {
	return figurePattern.ReplaceAllStringFunc(strings.ReplaceAll(text, "*", " × "), func(figure string) string {
		pane, name, ok := strings.Cut(figure, ".")
		if !ok {
			return word(Figure{-1, figure})
		}
		n, _ := strconv.Atoi(pane) // a number of a parsed condition
		return word(Figure{n - 1, name})
	})
}
