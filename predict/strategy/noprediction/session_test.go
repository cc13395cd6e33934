package noprediction_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "noprediction") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "noprediction", 5) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "noprediction", 1, 10, 30) }
