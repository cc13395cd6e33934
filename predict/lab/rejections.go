package lab

import "ghostcube/net/packet"

// Rejection is a number of datagrams that endpoints dropped for one reason.
type Rejection struct {
	Name  string // for a list
	Key   string // for JSON
	Count uint64
}

// Rejections returns the datagrams that both ends of a connection dropped, by reason, without
// the reasons that have not occurred.
func Rejections(client, server *packet.Stats) (list []Rejection) {
	for _, r := range rejections(client, server) {
		if r.Count > 0 {
			list = append(list, r)
		}
	}
	return list
}

// RejectionKeys returns the keys of all reasons.
func RejectionKeys() (keys []string) {
	for _, r := range rejections(&packet.Stats{}, &packet.Stats{}) {
		keys = append(keys, r.Key)
	}
	return keys
}

// rejections returns the datagrams of a client and its server by all reasons.
func rejections(client, server *packet.Stats) []Rejection {
	return []Rejection{
		{"rejected: checksum", "checksum", client.RejectedChecksum + server.RejectedChecksum},
		{"rejected: range", "range", client.RejectedRange + server.RejectedRange},
		{"rejected: fragments", "fragments", client.RejectedFragments + server.RejectedFragments},
		{"rejected: false fragments", "false_fragments", client.FalseFragments + server.FalseFragments},
		{"rejected: sequence jump", "sequence_jump", client.Unconfirmed + server.Unconfirmed},
		{"rejected: received before", "received_before", client.Duplicates + server.Duplicates},
		{"rejected: too old", "too_old", client.Stale + server.Stale},
		{"ignored: acknowledgements", "acknowledgements", client.InvalidAcks + server.InvalidAcks},
	}
}
