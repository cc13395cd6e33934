package historyoffset_test

import (
	"testing"

	"ghostcube/predict/lab/labtest"
)

func TestTranscript(t *testing.T)   { labtest.Transcript(t, "historyoffset") }
func TestHostDelay(t *testing.T)    { labtest.HostDelay(t, "historyoffset", 8) }
func TestInputLatency(t *testing.T) { labtest.InputLatency(t, "historyoffset", 0, 0, 0) }
