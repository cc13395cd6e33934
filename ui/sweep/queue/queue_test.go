package queue

import (
	"strings"
	"testing"
)

// TestAddress checks that credentials are never shown, neither in addresses nor in errors.
func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"nats://host":                        "nats://host",
		"nats://me:secret@host:4222":         "nats://host:4222",
		"tls://secret@host:4222/secret":      "tls://host:4222",
		"nats://me:secret%@host":             "",
		"host:4222":                          "",
		"http://me:secret@host":              "",
		"nats://me:se\x01cret@host":          "",
		"nats://secret@[::1:4222":            "",
		"":                                   "",
		"nats://me:secret@:port-is-no-digit": "",
	} {
		got, err := Address(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Dial("nats://me:secret@127.0.0.1:1", "a"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// TestProgramsNeverMeet checks that a task of another program is refused, with the names of both, and that two programs
// have two streams.
func TestProgramsNeverMeet(t *testing.T) {
	_, err := parseTask([]byte(`{"program":"ghostcube 1","key":"00ff","session":"?scene=zen","trial":1}`), "ghostcube 2")
	if err == nil || !strings.Contains(err.Error(), "ghostcube 1") || !strings.Contains(err.Error(), "ghostcube 2") {
		t.Errorf("%v", err)
	}
	if nameOf("ghostcube 1") == nameOf("ghostcube 2") {
		t.Error("both have the same stream")
	}
}

// FuzzTask checks that no message is taken that is too long, of another program or of no seed.
func FuzzTask(f *testing.F) {
	f.Add([]byte(`{"program":"p","key":"00ff","session":"?scene=zen","trial":1}`))
	f.Add([]byte(`{"program":"p","key":"00ff","session":"?scene=zen","trial":-1}`))
	f.Add([]byte(`{"program":"p","more":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if x, err := parseTask(text, "p"); err == nil && (x.Program != "p" || x.Trial < 0 || len(text) > maxTask) {
			t.Errorf("%q: %+v", text, x)
		}
	})
}
