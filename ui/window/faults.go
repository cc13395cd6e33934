package window

import (
	"slices"
	"strconv"

	"ghostcube/predict/lab"
)

// nudgeServer moves the server's cube by 1 m, which clients cannot predict.
func (g *game) nudgeServer() {
	g.execute(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
}

// freezeClients stops all clients for 2 s.
func (g *game) freezeClients() {
	g.execute(lab.Command{Verb: "freeze", Pane: lab.AllPanes, Value: "2s"})
}

// clockChoices are the values of keys and panel for each setting of the clients' clocks.
var clockChoices = map[string][]string{"skew": {"off", "500", "-500"}, "fps": {"off", "20", "144"}}

// clockSetting returns a setting of the first client of the focused pane, as a command has it.
func (g *game) clockSetting(name string) string {
	c := g.lab.Panes[g.lab.Focus()].ClockFault(0)
	n := map[string]int{"skew": c.Skew, "fps": c.FrameRate}[name]
	if n == 0 {
		return "off"
	}
	return strconv.Itoa(n)
}

// setClock sets a setting of all clients' clocks.
func (g *game) setClock(name, value string) {
	g.execute(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: value})
}

// cycleClock gives a setting of all clients' clocks the next of its choices.
func (g *game) cycleClock(name string) {
	choices := clockChoices[name]
	g.setClock(name, choices[(slices.Index(choices, g.clockSetting(name))+1)%len(choices)])
}
