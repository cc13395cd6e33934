package score

import "testing"

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{
		"key_to_screen_ms": "ms", "path_error_rms_m": "m", "pop_energy_all_m2": "m²", "pops_per_minute": "1/min",
		"down_kbit_per_second": "kbit/s", "wrong_parent_s": "s", "jerk_ratio": "", "first_divergent_tick": "tick", "freeze_percent": "%",
	} {
		if got := Unit(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestUnits demands a unit of every measure but ratios and numbers of events.
func TestUnits(t *testing.T) {
	none := map[string]bool{"jerk_ratio": true, "jerk_ratio_all": true}
	for _, m := range new(Score).Measures(nil, Counts{}) {
		if (Unit(m.Name) == "") != none[m.Name] {
			t.Errorf("%s has unit %q", m.Name, Unit(m.Name))
		}
	}
}
