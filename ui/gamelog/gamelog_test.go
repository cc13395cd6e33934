package gamelog

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ghostcube/internal/source"
)

func TestMain(m *testing.M) {
	source.EnterRoot()
	os.Exit(m.Run())
}

// head is the head of the logs of these tests.
const head = `{"t":"h","v":1,"role":"both","hz":60,"body":1}` + "\n"

// goodLines are lines after the head, one of each kind and with each field.
const goodLines = `{"t":"s","k":60,"b":[[1,0.5,0,0.5,0,0,0,1],[2,3.1,0,0.5]],"later":{"a":[1,null,"x\n"]}}
{"t":"c","us":1000000,"k":60.5,"rtt":102000}
{"t":"i","us":1010500,"id":67,"keys":"WD"}
{"t":"v","us":1016667,"k":67,"in":66,"b":[[1,0.5,0,0.5,0,0,0,1]],"ko":54.3,"o":[[2,3.0,0,0.5]]}
{"t":"p","us":1016667,"dir":"up","bytes":33,"delay":50000,"lost":false}
{"t":"r","us":1016700,"n":11}
`

// check reads a log to its end, and calls report with the error of each broken line. It returns the number of lines.
func check(name string, r io.Reader, report func(error)) (lines int, err error) {
	l, err := newLenientReader(name, r, report)
	if l == nil {
		return 1, err
	}
	err = l.drain()
	return l.number, err
}

// errorsOf returns the errors of a log, one for each broken line.
func errorsOf(t *testing.T, text string) (list []error) {
	t.Helper()
	if _, err := check("game.jsonl", strings.NewReader(text), func(err error) { list = append(list, err) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// brokenLine is a line that follows goodLines, or the head, and what its error has to say.
type brokenLine struct{ line, want string }

var brokenHeads = []brokenLine{
	{``, `field t: "s": want "h": a log begins with its head`},
	{`{"t":"h","v":2,"role":"both","hz":60,"body":1}`, "field v: \"2\": want 1"},
	{`{"t":"h","role":"both","hz":60,"body":1}`, "field v: missing: want 1"},
	{`{"t":"h","v":1,"role":"host","hz":60,"body":1}`, `field role: "host": want "client" or "server" or "both"`},
	{`{"t":"h","v":1,"role":"both","hz":0,"body":1}`, "field hz: \"0\": want a whole number from 10 to 240"},
	{`{"t":"h","v":1,"role":"both","hz":60}`, "field body: missing: want the id of the player's body"},
	{`{"t":"h","v":1,"role":"both","hz":60,"body":1,"unit":0}`, "field unit: \"0\": want a number from 0.000001"},
	{`{"t":"h","v":1,"role":"both","hz":60,"body":1,"game":"` + strings.Repeat("x", 81) + `"}`, "field game: "},
	{`hello`, `"hello": want a JSON object`},
	{`[]`, `want a JSON object`},
}

var brokenLines = []brokenLine{
	{`{"t":"h","v":1,"role":"both","hz":60,"body":1}`, "a second head"},
	{`{"t":"x","us":2000000}`, `field t: "x": want one of h s v i p c r`},
	{`{"us":2000000,"k":1}`, "field t: missing: want one of h s v i p c r"},
	{`{"us":2000000,"t":"c","k":1,"t":"c"}`, "field t: given twice: want it once"},
	{`{"us":2000000,"k":[1,"t":"c"}`, "field k: column 25: "},
	{`{"t":3,"us":2000000}`, `field t: "3": want one of`},
	{`{"t":"s","k":61.5,"b":[]}`, `field k: "61.5": want a whole number from 0 to 1000000000`},
	{`{"t":"s","k":-1,"b":[]}`, `field k: "-1": want a whole number`},
	{`{"t":"s","k":60,"b":[]}`, "field k: 60: want more than the 60 of line 2"},
	{`{"t":"s","k":99999,"b":[]}`, "field k: 99999: want at most 3660, 60 s after line 2"},
	{`{"t":"s","k":61}`, "field b: missing: want a list of at most 1024 bodies"},
	{`{"t":"s","k":61,"b":[[1,2,3]]}`, "field b: body 1 of the list: \"[1,2,3]]}\": want a list"},
	{`{"t":"s","k":61,"b":[[1,2,3,4],[2,1,1,1,0,0,0]]}`, "field b: body 2 of the list"},
	{`{"t":"s","k":61,"b":[[1,2,3,NaN]]}`, "field b: body 1"},
	{`{"t":"s","k":61,"b":[[1,1e14,3,4]]}`, "position 100000000000000: want -10000000000000 to"},
	{`{"t":"s","k":61,"b":[[1,1e9,3,4]]}`, "body 1: position 1000000000 m: want at most 10000000 from the origin"},
	{`{"t":"s","k":61,"b":[[1.5,1,3,4]]}`, "id 1.5: want a whole number"},
	{`{"t":"s","k":61,"b":[[1,0,0,0,0,0,0,2]]}`, "quaternion [0 0 0 2]: want one of length 1"},
	{`{"t":"s","k":61,"b":[[1,0,0,0],[1,0,0,0]]}`, "field b: body 1: given twice"},
	{`{"t":"s","k":61,"b":5}`, `field b: "5": want a list`},
	{`{"t":"s","k":61,"b":null}`, `field b: "null": want a list`},
	{`{"t":"s","k":61,"k":62,"b":[]}`, "field k: given twice"},
	{`{"t":"s","k":"61","b":[]}`, `field k: "61": want a whole number`},
	{`{"t":"s","k":061,"b":[]}`, `field k: "061": want a whole number`},
	{`{"t":"s","k":1e999,"b":[]}`, `field k: "1e999": want a whole number`},
	{`{"t":"s","k":61,"b":[]`, "the line ends before its object does"},
	{`{"t":"s","k":61,"b":[]} {}`, `"{" after the object`},
	{`{"t":"s","k":61 "b":[]}`, "column 17: "},
	{`{"t":"s",k:61,"b":[]}`, `column 10: "k:61": want the name of a field in quotes`},
	{`{"t":"v","us":1016666,"k":67,"b":[]}`, "field us: 1016666: want at least 1016667, as in line 5"},
	{`{"t":"v","us":99016700,"k":67,"b":[]}`, "field us: 99016700: want at most 60 s before or after the 1016700 of line 7"},
	{`{"t":"v","us":2000000,"b":[]}`, "field k: missing"},
	{`{"t":"v","us":2000000,"k":67,"b":[],"o":[[2,1,1,1]]}`, "field ko: missing: want the tick"},
	{`{"t":"v","us":2000000,"k":67,"b":[[2,0,0,0]],"ko":3,"o":[[2,1,1,1]]}`, "body 2: given twice"},
	{`{"t":"v","us":2000000,"k":67,"b":[],"in":-2}`, "field in: \"-2\": want a whole number from -1"},
	{`{"t":"i","us":2000000,"id":67,"keys":""}`, "field id: 67: want more than the 67 of line 4"},
	{`{"t":"i","us":2000000,"id":68,"keys":"Q"}`, `field keys: "Q": want the keys that are held, such as WD, letters of WASDUZEC: forward, left`},
	{`{"t":"i","us":2000000,"id":68,"keys":["W"]}`, "field keys: "},
	{`{"t":"p","us":2000000,"dir":"in","bytes":3}`, `field dir: "in": want "up" or "down"`},
	{`{"t":"p","us":2000000,"dir":"up","bytes":65536}`, `field bytes: "65536": want a whole number from 0 to 65535`},
	{`{"t":"p","us":2000000,"dir":"up","bytes":1,"lost":1}`, `field lost: "1": want true or false`},
	{`{"t":"c","us":2000000,"k":61,"rtt":-3}`, `field rtt: "-3": want a whole number`},
	{`{"t":"r","us":2000000,"n":1.5}`, `field n: "1.5": want a whole number`},
	{`{"t":"r","us":2000000,"n":1,"x":` + strings.Repeat("[", 99) + `}`, "field x: deeper than 16"},
	{`{"t":"r","us":2000000,"x":tru}`, "field x: column 27"},
	{`{"t":"r","us":2000000,"x":"` + strings.Repeat("y", MaxLine) + `"}`, "longer than 262144 bytes"},
	{"{\"t\":\"r\",\"us\":2000000,\"x\":\"\xff\"}", "not UTF-8"},
	{"{\"t\":\"r\",\"us\":2000000,\"x\":\"a\tb\"}", "want a JSON string"},
}

// TestBrokenLogs checks that each of 200 broken logs has one error of one line, which names the line and says what is
// allowed: one of each kind by hand, and the others by damage to a good one. No error follows from the broken line.
func TestBrokenLogs(t *testing.T) {
	const name = "game.jsonl: line "
	logs := 0
	one := func(text string, line int, want string) {
		logs++
		list := errorsOf(t, text)
		if len(list) != 1 {
			t.Errorf("%d errors of %.200q: %v", len(list), text, list)
			return
		}
		got := list[0].Error()
		if !strings.HasPrefix(got, fmt.Sprint(name, line, ": ")) || strings.Contains(got, "\n") || !strings.Contains(got, want) || len(got) > 300 {
			t.Errorf("%.200q: error %q, want line %d and %q", text, got, line, want)
		}
	}
	if list := errorsOf(t, head+goodLines); len(list) > 0 {
		t.Fatal(list)
	}
	one("", 1, "the log is empty")
	for _, b := range brokenHeads {
		line := b.line + "\n"
		if b.line == "" {
			line = ""
		}
		one(line+goodLines, 1, b.want)
	}
	for _, b := range brokenLines {
		one(head+goodLines+b.line+"\n"+`{"t":"r","us":2000001}`+"\n", 8, b.want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	good := strings.SplitAfter(strings.TrimSuffix(goodLines, "\n"), "\n")
	for logs < 200 {
		k := random.IntN(len(good))
		line := []byte(strings.TrimSuffix(good[k], "\n"))
		at := random.IntN(len(line))
		switch random.IntN(3) {
		case 0:
			line = line[:at]
		case 1:
			line[at] = "\"{}[],:x-.\x00\x80"[random.IntN(12)]
		default:
			line = append(line[:at:at], line[min(len(line), at+1+random.IntN(4)):]...)
		}
		lines := strings.Join(good[:k], "") + string(line) + "\n"
		if list := errorsOf(t, head+lines); len(list) > 0 {
			one(head+lines, k+2, "")
		}
	}
}

// TestOrderOfFields checks that field t may have any place in its line.
func TestOrderOfFields(t *testing.T) {
	for text := range strings.Lines(head + goodLines) {
		var want, got Line
		var p parser
		if err := p.parse([]byte(text[:len(text)-1]), &want); err != nil {
			t.Fatal(err)
		}
		kind, rest, _ := strings.Cut(text[1:len(text)-2], ",")
		first, others, _ := strings.Cut(rest, ",")
		for _, order := range []string{rest + "," + kind, first + " , " + kind + "," + others} {
			if err := p.parse([]byte("{ "+order+"}"), &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v, error %v", order, got, want, err)
			}
		}
	}
}

// TestForeignFiles checks that a log that is compressed, or in another encoding, is called that.
func TestForeignFiles(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, head)
	_ = z.Close()
	wide := func(order binary.AppendByteOrder, mark string) string {
		var b []byte
		for _, c := range mark + head {
			b = order.AppendUint16(b, uint16(c))
		}
		return string(b)
	}
	for text, want := range map[string]string{packed.String(): "compressed by gzip", "PK\x03\x04": "a zip archive", "\x28\xb5\x2f\xfd": "compressed by zstd",
		wide(binary.LittleEndian, ""): "UTF-16", wide(binary.BigEndian, ""): "UTF-16", wide(binary.LittleEndian, "\uFEFF"): "UTF-16",
		wide(binary.BigEndian, "\uFEFF"): "UTF-16"} {
		if list := errorsOf(t, text); len(list) != 1 || list[0].Error() != "game.jsonl: line 1: "+want+": want JSON lines in UTF-8" {
			t.Errorf("%q: %v", text, list)
		}
	}
}

// TestErrorsDoNotEndALog checks that all broken lines of a log are reported, in their order.
func TestErrorsDoNotEndALog(t *testing.T) {
	text := head
	for _, b := range brokenLines {
		text += `{"t":"p","us":5,"dir":"up","bytes":-1}` + "\n" + goodLines + b.line + "\n"
		break
	}
	list := errorsOf(t, text+`{"t":"p"}`+"\n\n"+`{"t":"q"}`)
	want := []string{"line 2: field bytes", "line 9: field t", "line 10: field us: missing", "line 12: field t"}
	if len(list) != len(want) {
		t.Fatalf("errors: %v", list)
	}
	for i, err := range list {
		if !strings.Contains(err.Error(), want[i]) {
			t.Errorf("error %d: %v, want %s", i, err, want[i])
		}
	}
}

// TestLineCutOff checks that a last line that a crash has cut off is no error at any place, and that the card says so; a whole
// last line without an end counts.
func TestLineCutOff(t *testing.T) {
	text, _ := (&game{fps: 60, delay: 6, seconds: 0.5, unit: 1}).logs()
	whole := strings.TrimSuffix(text, "\n")
	last := whole[strings.LastIndex(whole, "\n")+1:]
	for cut := range len(last) {
		r, err := NewReader("log", strings.NewReader(strings.TrimSuffix(whole, last[len(last)-cut:])))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Score(r, r, nil)
		if err != nil {
			t.Fatalf("%d bytes cut off: %v", cut, err)
		}
		warned := strings.Contains(fmt.Sprint(c.Warnings), fmt.Sprintf("log: line %d, the last, is cut off", strings.Count(whole, "\n")+1))
		if warned != (cut > 0) {
			t.Errorf("%d bytes cut off: warnings %q", cut, c.Warnings)
		}
	}
	zeros := strings.Repeat("\x00", 9) // of a file that has grown before the machine went down
	if list := errorsOf(t, text+zeros); len(list) > 0 {
		t.Error(list)
	}
	if list := errorsOf(t, text+zeros+"\n"); len(list) != 1 {
		t.Errorf("zeros inside a log: %v", list)
	}
}

// TestSwappedLines checks that two lines that are swapped have two errors: the first one that follows, and one about the others.
func TestSwappedLines(t *testing.T) {
	text, _ := (&game{fps: 60, delay: 6, seconds: 8, unit: 1}).logs()
	lines := strings.SplitAfter(text, "\n")
	lines[101], lines[501] = lines[501], lines[101]
	var got []string
	count := 0
	_, _, err := CheckScore([]string{"log"}, []io.Reader{strings.NewReader(strings.Join(lines, ""))}, func(err error) {
		got = append(got, err.Error())
		var e *LineError
		if errors.As(err, &e) {
			count += max(e.Lines, 1)
		}
	})
	if err != nil || len(got) != 2 || count != 200 || !strings.HasPrefix(got[0], "log: line 104: ") ||
		got[1] != "log: line 502: the last of 199 more that contradict line 102, which may be the one out of place" {
		t.Errorf("error %v, %d lines: %q", err, count, got)
	}
}

// TestErrorsAlike checks that an error that each frame has is reported ten times, and then as one about all others.
func TestErrorsAlike(t *testing.T) {
	text := head
	for i := range 5000 {
		text += fmt.Sprintf(`{"t":"v","us":%d.5,"k":1,"b":[]}`, i) + "\n"
	}
	text += `{"t":"v","us":1,"k":-1,"b":[]}` + "\n"
	var got []string
	count := 0
	_, _, _ = CheckScore([]string{"log"}, []io.Reader{strings.NewReader(text)}, func(err error) {
		got = append(got, err.Error())
		var e *LineError
		if errors.As(err, &e) {
			count += max(e.Lines, 1)
		}
	})
	if len(got) != 12 || count != 5001 || !strings.HasPrefix(got[9], "log: line 11: field us: \"9.5\": want ") ||
		!strings.HasPrefix(got[10], "log: line 5002: field k: ") ||
		got[11] != "log: line 5001: the last of 4990 more: field us: want a whole number from 0 to 9000000000000000" {
		t.Errorf("%d lines: %q", count, got)
	}
}

// TestTooManyBodies checks the limits of bodies in a line and in a log.
func TestTooManyBodies(t *testing.T) {
	list := func(from, n int) string {
		var b []string
		for i := range n {
			b = append(b, fmt.Sprintf("[%d,0,0,0]", from+i))
		}
		return "[" + strings.Join(b, ",") + "]"
	}
	for _, c := range []struct{ text, want string }{
		{`{"t":"s","k":1,"b":` + list(0, MaxBodies) + "}", ""},
		{`{"t":"s","k":1,"b":` + list(0, MaxBodies+1) + "}", "more than 1024 bodies"},
		{`{"t":"s","k":1,"b":` + list(0, MaxBodies) + "}\n" + `{"t":"s","k":2,"b":[[5000,0,0,0]]}`, "at most 1024 different bodies"},
	} {
		got := errorsOf(t, head+c.text)
		if (len(got) == 0) != (c.want == "") || len(got) == 1 && !strings.Contains(got[0].Error(), c.want) {
			t.Errorf("errors %v, want %q", got, c.want)
		}
	}
}

// TestFieldsInDocs checks that docs/gamelog.md has a row for each field, with what it allows, and no other row.
func TestFieldsInDocs(t *testing.T) {
	text, err := os.ReadFile("docs/gamelog.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, kind := map[string]string{}, byte(0)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[2], " `") {
			continue
		}
		if c := strings.TrimSpace(cells[1]); c != "" {
			kind = c[1]
		}
		rows[string(kind)+" "+strings.Trim(cells[2], " `")] = strings.TrimSpace(cells[3])
	}
	count, optional := 0, ""
	for i, list := range fields {
		for k := range list {
			f := &list[k]
			want := f.want()
			switch {
			case f.kind == bodies:
				want = "bodies"
			case f.kind == keys:
				want = "letters of " + keyLetters
			case f.name == "us" && kinds[i] != 'v':
				want = "as in `v`"
			}
			count++
			if got := rows[string(kinds[i])+" "+f.name]; got != want {
				t.Errorf("line %c, field %s: the page allows %q, want %q", kinds[i], f.name, got, want)
			}
			if f.optional && f.name != "body" {
				optional += "`" + f.name + "`, "
			}
		}
	}
	if len(rows) != count {
		t.Errorf("the page has %d fields, want %d", len(rows), count)
	}
	if !strings.Contains(string(text), "Optional: "+optional) {
		t.Errorf("the page does not say Optional: %s", optional)
	}
}

// TestLogOfTheDocs checks that the lines that docs/gamelog.md shows are a log.
func TestLogOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("docs/gamelog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, log, _ := strings.Cut(string(text), "```\n{")
	log, _, _ = strings.Cut("{"+log, "```")
	if list := errorsOf(t, log); len(list) > 0 || strings.Count(log, "\n") != 5 {
		t.Errorf("%s\n%v", log, list)
	}
}

// FuzzReader checks that no log makes the reader panic, go on for ever or keep more than a line, that each broken line has
// an error of one line, and that a log can be scored or is refused.
func FuzzReader(f *testing.F) {
	f.Add([]byte(head + goodLines))
	for _, b := range brokenLines {
		if len(b.line) < 1000 {
			f.Add([]byte(head + goodLines + b.line + "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		broken := 0
		lines, err := check("log", strings.NewReader(string(log)), func(err error) {
			broken++
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Errorf("error %q", err)
			}
		})
		if err != nil || broken > lines || lines > 1+strings.Count(string(log), "\n") {
			t.Errorf("%d lines, %d broken, error %v", lines, broken, err)
		}
		r, err := NewReader("log", strings.NewReader(string(log)))
		if err != nil {
			return
		}
		if _, err = Score(r, r, nil); (err == nil) && broken > 0 {
			t.Errorf("a log with %d broken lines has a score", broken)
		}
	})
}

// failing is a reader that fails after a text.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

// TestFailingFile checks that an error of a file ends the log, and is not taken for its end.
func TestFailingFile(t *testing.T) {
	disk := errors.New("disk on fire")
	lines, err := check("game.jsonl", &failing{strings.NewReader(head + goodLines), disk}, func(err error) { t.Error(err) })
	if !errors.Is(err, disk) || !strings.Contains(err.Error(), "after line 7") {
		t.Errorf("%d lines, error %v", lines, err)
	}
}
