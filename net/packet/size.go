package packet

import "ghostcube/net/link"

const (
	datagramOverhead = link.UDPIPHeaderBytes + headerBytes
	fragmentOverhead = datagramOverhead + fragmentHeaderBytes
)

// WireBytes returns the number of bytes that Send puts on the wire for a payload,
// including all headers of its datagrams and those of IP and UDP.
func WireBytes(payload int) int {
	if payload <= maxUnfragmented {
		return payload + datagramOverhead
	}
	fragments := (payload + FragmentBytes - 1) / FragmentBytes
	return payload + fragments*fragmentOverhead
}

// PayloadWithin returns the size of the largest payload whose WireBytes do not exceed
// wireBytes. It is negative if not even an empty payload fits.
func PayloadWithin(wireBytes int) int {
	largest := min(wireBytes-datagramOverhead, maxUnfragmented)
	full := wireBytes / (FragmentBytes + fragmentOverhead)
	for n := max(full, 2); n <= min(full+1, MaxFragments); n++ {
		largest = max(largest, min(wireBytes-n*fragmentOverhead, n*FragmentBytes))
	}
	return largest
}
