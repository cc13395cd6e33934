package snapshot_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "snapshot") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "snapshot", 10) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "snapshot", 6, 15, 35) }
