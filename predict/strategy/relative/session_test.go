package relative_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "relative") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "relative", 8) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "relative", 0, 0, 0) }
