package lockstep_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "lockstep") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "lockstep", 11) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "lockstep", 0, 0, 0) }
