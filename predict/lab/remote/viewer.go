package remote

import (
	"errors"
	"slices"

	"ghostcube/predict/lab"
)

// serverChoices say who decides what a viewer cannot: by the verbs of its commands.
var serverChoices = []struct {
	verbs []string
	why   string
}{
	{[]string{"switch", "set"}, "the server chooses the strategy and its knobs"},
	{[]string{"scene", "seat", "seed", "restart"}, "the server chooses the scene, and when it begins"},
	{[]string{"network", "condition", "blackout"}, "the network is a real one: the host lays conditions over it, or join --network"},
	{[]string{"nudge"}, "the server's world is in another process"},
	{[]string{"open", "close"}, "a session that you have joined has one pane"},
	{[]string{"clock", "freeze", "rejoin", "attack", "desync", "block"}, "faults are forced where both sides run in one process"},
}

// ownVerbs are the verbs of commands that concern the viewer alone: the picture, and bodies of the client's own world.
var ownVerbs = []string{"show", "focus", "drag"}

// Apply applies a command of the viewer between two ticks of the session: one of ownVerbs, or one for the client's own frame
// rate. The server decides everything else, because sides with different settings do not understand each other.
func (c *Client) Apply(x lab.Command) error {
	if slices.Contains(ownVerbs, x.Verb) || x.Verb == "clock" && x.Name == "fps" {
		return c.apply(x)
	}
	for _, choice := range serverChoices {
		if slices.Contains(choice.verbs, x.Verb) {
			return errors.New(choice.why)
		}
	}
	return errors.New("the server decides that")
}
