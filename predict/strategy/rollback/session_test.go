package rollback_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "rollback") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "rollback", 5) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "rollback", 0, 0, 0) }

// TestInputDelayLatency checks that an input delay is what it says, whatever the network.
func TestInputDelayLatency(t *testing.T) {
	labtest.InputLatency(t, "rollback:input-delay=4", 4, 4, 4)
}
