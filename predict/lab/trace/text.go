package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

// HeaderText returns the fields of a header: name, size in bits, value.
func HeaderText(h *packet.Header) string {
	s := fmt.Sprintf("checksum 32 = %08x, sequence 16 = %d, ack 16 = %d, ack_bits 32 = %08x, ack_delay 15 = %v, fragment 1 = %t",
		h.Checksum, h.Sequence, h.Ack, h.AckBits, h.AckDelay, h.IsFragment)
	if h.IsFragment {
		s += fmt.Sprintf(", fragment_id 8 = %d, fragment_count 8 = %d, payload_checksum 32 = %08x", h.FragmentID, h.FragmentCount, h.PayloadChecksum)
	}
	return s
}

// FieldText returns the line of the fields from index i on that are one element of a group, or a run of
// elements that are a single clear bit each: what they belong to, and name, size in bits and value of each. next is
// the index of the next field.
func FieldText(fields []quant.Field, i int) (text string, next int) {
	end := func(i int) (j int) {
		for j = i + 1; j < len(fields) && fields[j].Group == fields[i].Group && fields[j].Index == fields[i].Index; j++ {
		}
		return j
	}
	oneClearBit := func(i, j int) bool {
		return j == i+1 && fields[i].Group != "" && fields[i].Kind == "Bool" && fields[i].Raw == 0
	}
	f := &fields[i]
	j := end(i)
	if oneClearBit(i, j) {
		last := i
		for j < len(fields) && fields[j].Group == f.Group && fields[j].Name == f.Name && oneClearBit(j, end(j)) {
			last, j = j, end(j)
		}
		if last > i {
			return fmt.Sprintf("%s %d to %d: %s 1 = false each", f.Group, f.Index, fields[last].Index, f.Name), j
		}
	}
	var b strings.Builder
	if f.Group == "" {
		b.WriteString("payload:")
	} else {
		fmt.Fprintf(&b, "%s %d:", f.Group, f.Index)
	}
	for k := i; k < j; k++ {
		comma := ","
		if k == j-1 {
			comma = ""
		}
		fmt.Fprintf(&b, " %s %d = %s%s", fields[k].Name, fields[k].Bits, ValueText(&fields[k]), comma)
	}
	return b.String(), j
}

// ValueText returns the value of a field.
func ValueText(f *quant.Field) string {
	switch f.Kind {
	case "Bool":
		return strconv.FormatBool(f.Raw != 0)
	case "Float":
		return strconv.FormatFloat(float64(math.Float32frombits(f.Raw)), 'g', -1, 32)
	}
	return strconv.FormatUint(uint64(f.Raw), 10)
}
