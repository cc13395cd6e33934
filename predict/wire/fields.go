package wire

import (
	"ghostcube/net/quant"
	"ghostcube/predict/inputs"
	"ghostcube/sim"
)

// InputsAndSnapshots looks into the packets of a strategy whose clients send
// inputs and whose server sends snapshots.
func InputsAndSnapshots(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	switch {
	case len(payload) == 0:
		return nil
	case up:
		return inputs.Fields(payload, see)
	}
	return Fields(payload, scene, see)
}
