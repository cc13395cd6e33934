package predict

// PacketBits says what the bits of a payload with body states were spent on. The encoder charges them while it writes:
// all bits up to a position that were not charged before. An arithmetic coder spends fractions of bits.
type PacketBits struct {
	Bodies  []float64 // by body
	Indices float64   // lists of the bodies in the payload, which no single body costs
	Other   float64   // everything else: ticks, inputs, formats, digests, padding

	charged float64
}

// Begin empties b and makes room for a number of bodies.
func (b *PacketBits) Begin(bodies int) {
	if len(b.Bodies) != bodies {
		b.Bodies = make([]float64, bodies)
	}
	clear(b.Bodies)
	b.Indices, b.Other, b.charged = 0, 0, 0
}

// ChargeBody charges the bits up to a position to a body.
func (b *PacketBits) ChargeBody(body, upTo int) { b.charge(&b.Bodies[body], upTo) }

// ChargeIndices charges the bits up to a position to the list of bodies.
func (b *PacketBits) ChargeIndices(upTo int) { b.charge(&b.Indices, upTo) }

// ChargeOther charges the bits up to a position to everything else.
func (b *PacketBits) ChargeOther(upTo int) { b.charge(&b.Other, upTo) }

func (b *PacketBits) charge(on *float64, upTo int) {
	*on += float64(upTo) - b.charged
	b.charged = float64(upTo)
}

// ChargeShares charges bits that an encoder of another layer has counted: by body, and of the list of bodies.
func (b *PacketBits) ChargeShares(bodies []float64, indices float64) {
	for i, n := range bodies {
		b.Bodies[i] += n
		b.charged += n
	}
	b.Indices += indices
	b.charged += indices
}

// Sum returns the sum of all bits.
func (b *PacketBits) Sum() (sum float64) {
	sum = b.Indices + b.Other
	for _, n := range b.Bodies {
		sum += n
	}
	return sum
}

// CopyFrom makes b a copy of o that shares no memory with it.
func (b *PacketBits) CopyFrom(o *PacketBits) {
	bodies := append(b.Bodies[:0], o.Bodies...)
	*b = *o
	b.Bodies = bodies
}
