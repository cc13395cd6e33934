package stage

import (
	"reflect"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage/stagetest"
)

// TestParseShow promises that --show becomes show commands that a session stores and SettingsOf reads back,
// and that a text that the screen does not know is refused with the settings or values that there are.
func TestParseShow(t *testing.T) {
	list, err := ParseShow("color=age, simulated=on,packet=on,ages=on,pitch=30")
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	l := stagetest.Session(t, "perfect", "rewind")
	if got := SettingsOf(l); got != DefaultsOf("zen") {
		t.Errorf("a new session has %+v", got)
	}
	for _, c := range list {
		if err := l.Apply(c); err != nil {
			t.Error(err)
		}
	}
	want := DefaultsOf("zen")
	want.Coloring, want.Simulated, want.Packet, want.Ages, want.Pitch = ByAge, true, true, true, 30
	if got := SettingsOf(l); got != want {
		t.Errorf("%+v", got)
	}
	if list, err := ParseShow(""); list != nil || err != nil {
		t.Error(list, err)
	}
	for text, want := range map[string]string{
		"simulated": "such as color=age", "simulated=on,": "such as color=age",
		"colr=age":           `no display setting "colr" (there are split, ghosts,`,
		"zoom=3":             `no display setting "zoom"`,
		"color=agee":         `no color "agee" (there are off, priority, age, encoding, authority, joint-depth, rate, prediction, bits, path-error)`,
		"color=":             "no color",
		"ages=2":             "ages=2: want on or off",
		"split=maybe":        "on or off",
		"packet=":            "on or off",
		"headline=down_kbit": `no headline "down_kbit" (there are off, snapshot_age_ms, and all of list measures`,
		"yaw=720":            "-360 to 360",
		"pitch=NaN":          "2 to 85",
		"speed=0":            "0.0625 to 4",
		"distance=10m":       "3 to 60",
	} {
		if _, err := ParseShow(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// TestCheckEntries promises that the first show command of a session that the screen does not know is named
// with its tick, and that SettingsOf keeps the default of one that was never checked.
func TestCheckEntries(t *testing.T) {
	entries := make([]lab.Entry, 9)
	entries[4].Commands = []lab.Command{{Verb: "restart", Pane: lab.AllPanes}, Show("yaw", "20")}
	if err := CheckEntries(entries); err != nil {
		t.Error(err)
	}
	entries[7].Commands = []lab.Command{Show("yaw", "far")}
	if err := CheckEntries(entries); err == nil || err.Error() != "tick 7: show all yaw far: yaw=far: want -360 to 360" {
		t.Error(err)
	}
	l := stagetest.Session(t, "perfect", "rewind")
	for _, c := range []lab.Command{Show("yaw", "far"), Show("no-such-setting", "1"), Show("ghosts", "off")} {
		stagetest.Apply(t, l, c)
	}
	want := DefaultsOf("zen")
	want.Ghosts = false
	if got := SettingsOf(l); got != want {
		t.Errorf("%+v", got)
	}
}

// TestSettingTable promises that every field of Settings has one row in the table, that the defaults are
// allowed, that no two rows share a name or a key, and that each help fits a tooltip.
func TestSettingTable(t *testing.T) {
	s := DefaultSettings
	rows, names := map[any]bool{}, map[string]bool{}
	for i := range SettingTable {
		d := &SettingTable[i]
		rows[d.field(&s)] = true
		if names[d.Name] || d.Key != "" && names[d.Key] {
			t.Errorf("%s: its name or its key %s occurs twice", d.Name, d.Key)
		}
		names[d.Name], names[d.Key] = true, true
		if d.Help == "" || len(d.Help) > 110 || strings.HasSuffix(d.Help, ".") {
			t.Errorf("%s: the help %q", d.Name, d.Help)
		}
		other := Settings{}
		if err := d.parse(&other, d.Value(&s)); err != nil || d.Value(&other) != d.Value(&s) {
			t.Errorf("%s: the default %s becomes %s: %v", d.Name, d.Value(&s), d.Value(&other), err)
		}
	}
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		if !rows[fields.Field(i).Addr().Interface()] {
			t.Errorf("the field %s has no row", fields.Type().Field(i).Name)
		}
	}
	if len(rows) != fields.NumField() || len(rows) != len(SettingTable) {
		t.Errorf("%d rows for %d values of %d fields", len(SettingTable), len(rows), fields.NumField())
	}
	for i, name := range coloringNames {
		if Coloring(i).String() != name || Coloring(i).Meaning() == "" {
			t.Errorf("colouring %d is called %s", i, name)
		}
	}
}
