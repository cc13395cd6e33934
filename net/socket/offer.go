//go:build !js

package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// offer is all that the server takes from a browser's description of its session (SDP): the credentials of ICE and the
// digest of its certificate. The addresses in it are ignored, so no one can name one to which the server would send.
type offer struct {
	fragment, password string // of ICE
	digest             string // SHA-256 of the certificate
}

var (
	offerFragment = regexp.MustCompile(`(?m)^a=ice-ufrag:([A-Za-z0-9+/]{4,256})\r?$`)
	offerPassword = regexp.MustCompile(`(?m)^a=ice-pwd:([A-Za-z0-9+/]{22,256})\r?$`)
	offerDigest   = regexp.MustCompile(`(?mi)^a=fingerprint:sha-256 ([0-9a-f]{2}(?::[0-9a-f]{2}){31})\r?$`)
)

// parseOffer parses a description of a browser.
func parseOffer(text string) (o offer, err error) {
	for _, field := range []struct {
		to      *string
		pattern *regexp.Regexp
		name    string
	}{{&o.fragment, offerFragment, "a=ice-ufrag"}, {&o.password, offerPassword, "a=ice-pwd"}, {&o.digest, offerDigest, "a=fingerprint:sha-256"}} {
		found := field.pattern.FindStringSubmatch(text)
		if found == nil {
			return o, errors.New("the offer has no valid " + field.name)
		}
		*field.to = found[1]
	}
	return o, nil
}

// description returns an offer of one data channel's connection, without addresses.
func (o offer) description() string {
	return strings.Join([]string{
		"v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
		"m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:0",
		"a=ice-ufrag:" + o.fragment, "a=ice-pwd:" + o.password, "a=fingerprint:sha-256 " + o.digest,
		"a=setup:actpass", "a=sctp-port:5000", "",
	}, "\r\n")
}

// withCandidate returns a description with one address to connect to: that at which the browser has found the page. The
// other addresses of this machine are no one's business.
func withCandidate(description string, at netip.AddrPort) string {
	var b strings.Builder
	for line := range strings.SplitSeq(description, "\r\n") {
		if line != "" && !strings.HasPrefix(line, "a=candidate:") && line != "a=end-of-candidates" {
			b.WriteString(line + "\r\n")
		}
	}
	fmt.Fprintf(&b, "a=candidate:1 1 udp 2130706431 %v %d typ host\r\na=end-of-candidates\r\n", at.Addr().WithZone(""), at.Port())
	return b.String()
}
