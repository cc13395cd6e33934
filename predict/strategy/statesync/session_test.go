package statesync_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "statesync") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "statesync", 10) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "statesync", 6, 15, 35) }
