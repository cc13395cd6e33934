package remote

import (
	"errors"

	"ghostcube/predict/lab"
)

// withTransport returns the spec of a pane over wires that are ordered or not. A strategy that has the choice sends over an ordered
// one as over TCP, unless the spec says otherwise.
func withTransport(spec string, ordered bool) (string, error) {
	const knob = "transport"
	s, set, err := lab.ParseSpec(spec)
	if err != nil {
		return "", err
	}
	if knobs, _ := lab.Describe(s); knobs.Lookup(knob) == nil {
		return spec, nil
	}
	value := ""
	for _, x := range set {
		if x.Name == knob {
			value = x.Value
		}
	}
	switch {
	case value == "tcp" && !ordered:
		return "", errors.New("transport=tcp: the connections are UDP: serve and join with --transport tcp")
	case value == "" && ordered:
		spec += ":" + knob + "=tcp"
	}
	return spec, nil
}
