package score

import "testing"

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{
		"key_to_screen_ms": "ms", "path_error_rms_m": "m", "pop_energy_m2": "m²", "inconsistency_m_s_per_minute": "m s/min",
		"speed_modulation_m_per_s": "m/s", "down_kbit_per_second": "kbit/s", "down_packets_per_second": "1/s",
		"in_parent_s": "s", "jerk_ratio": "", "stops": "", "first_divergent_body": "index", "floor_penetration_bodies": "bodies",
	} {
		if got := Unit(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestUnits demands a unit of every measure but ratios and numbers of events.
func TestUnits(t *testing.T) {
	none := map[string]bool{"stops": true, "freezes": true, "jerk_ratio": true, "jerk_ratio_all": true, "spectral_arc_length": true, "spectral_arc_length_server": true}
	for _, m := range new(Score).Measures(nil) {
		if (Unit(m.Name) == "") != none[m.Name] {
			t.Errorf("%s has unit %q", m.Name, Unit(m.Name))
		}
	}
}
