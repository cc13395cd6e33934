package wire

import (
	"ghostcube/net/quant"
	"ghostcube/predict/inputs"
	"ghostcube/sim"
)

// InputsAndSnapshots looks into the packets of a strategy whose clients send
// inputs and whose server sends snapshots.
func InputsAndSnapshots(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return inputs.FieldsOr(up, payload, see, func() error { return Fields(payload, scene, see) })
}
