package animated_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "animated") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "animated", 8) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "animated", 4, 13, 33) }
