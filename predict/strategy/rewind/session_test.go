package rewind_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "rewind") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "rewind", 5) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "rewind", 0, 0, 0) }
