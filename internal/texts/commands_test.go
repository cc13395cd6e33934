package texts

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
)

// docCommand is a command line of the documentation.
type docCommand struct {
	page, text string
	args       []string // without the program's name
	output     string   // file that takes what it prints; empty: none
}

// placeholderWord matches a word that stands for a file or a name.
var placeholderWord = regexp.MustCompile(`(^|[=/:,])[A-Z][A-Z0-9_]*(\.[a-z]+)?($|[=,:])|…|\.\.\.|%s`)

// pageCommands returns the commands of a page: lines of code blocks that begin with ghostcube or go run ., which a
// backslash continues, and code in a text that begins so and names no placeholder.
func pageCommands(page, text string) (list []docCommand) {
	add := func(line string) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		rest, ok := strings.CutPrefix(line, "go run .")
		if !ok {
			rest, ok = strings.CutPrefix(line, "ghostcube")
		}
		if !ok || rest != "" && rest[0] != ' ' || strings.HasPrefix(rest, " tape ") { // the first line of a tape
			return
		}
		rest, _, _ = strings.Cut(rest, " #")
		rest, _, _ = strings.Cut(rest, " | ")
		rest, _, _ = strings.Cut(rest, " && ")
		rest, output, _ := strings.Cut(rest, " > ")
		list = append(list, docCommand{page, strings.TrimSpace(rest), shellWords(rest), strings.TrimSpace(output)})
	}
	fenced, continued := false, ""
	prose := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
			if continued += line; strings.HasSuffix(line, `\`) {
				continued = strings.TrimSuffix(continued, `\`) + " "
				continue
			}
			add(continued)
			continued = ""
		default:
			prose += line + " "
		}
	}
	for _, m := range regexp.MustCompile("`((?:ghostcube|go run \\.) [^`]+)`").FindAllStringSubmatch(prose, -1) {
		if !slices.ContainsFunc(strings.Fields(m[1]), placeholderWord.MatchString) {
			add(m[1])
		}
	}
	return list
}

// shellWords splits a command line, in which quotation marks may hold words together.
func shellWords(line string) (words []string) {
	var word strings.Builder
	quote, begun := byte(0), false
	for i := range len(line) {
		switch b := line[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '"' || b == '\''):
			quote, begun = b, true
		case quote == 0 && b == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(b)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// name returns the name of the command, or nothing if it is the default one.
func (c *docCommand) name() string {
	for _, a := range c.args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// flag returns the value of a flag of the command.
func (c *docCommand) flag(name string) string {
	for i, a := range c.args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
		if a == name && i+1 < len(c.args) {
			return c.args[i+1]
		}
	}
	return ""
}

// shortened returns the arguments of the same command with a session of some ticks.
func (c *docCommand) shortened() []string {
	args := slices.Clone(c.args)
	set := func(name, value string) { // replaces the flag's value, which may be given once
		for i, a := range args {
			if a == name {
				args = slices.Delete(args, i, min(i+2, len(args)))
				break
			}
			if strings.HasPrefix(a, name+"=") {
				args = slices.Delete(args, i, i+1)
				break
			}
		}
		args = append(args, name, value)
	}
	name := c.name()
	from, _ := strconv.ParseFloat(c.flag("--from"), 64)
	switch name {
	case "bench":
		if c.flag("--assert") == "" { // half a second has no figures
			set("--seconds", "0.5")
		}
		if c.flag("--seeds") != "" {
			set("--seeds", "2")
		}
	case "sweep":
		if !slices.Contains(args, "--report") {
			set("--seconds", "0.5")
			set("--seeds", "2")
		}
	case "tune":
		if !slices.Contains(args, "--list") {
			set("--seconds", "2")
			set("--seeds", "2")
			set("--test-seeds", "2")
			set("--sessions", "60")
		}
	case "claims":
		set("--seeds", "2")
		if c.flag("--only") == "" {
			set("--only", "lockstep-input-bits")
		}
	case "packets":
		if c.flag("--svg") == "" {
			set("--seconds", "0.2")
		}
	case "record":
		set("--seconds", strconv.FormatFloat(min(from, 1)+0.2, 'g', -1, 64))
		set("--size", "192x108")
		if from > 1 {
			set("--from", "1")
		}
		if c.flag("--slow") != "" {
			return nil // needs the whole session
		}
	case "network":
		set("--probes", "60")
	case "hash":
		if c.flag("--verify") == "" {
			set("--ticks", "10")
		}
	case "export":
		set("--ticks", "10")
		set("--from", "0")
	case "page":
		return nil // compiles the program
	case "tour":
		if slices.Contains(args, "--text") {
			return args
		}
	}
	return args
}

// TestDocCommands runs the commands of the documentation, in the order of each page and in a folder of its own. It
// compares the drawings of packets in the guides with those of the commands. It
// makes sessions short; with GHOSTCUBE_LONG it runs them as they are. No command may fail. A page
// named play --format json without a tape.
func TestDocCommands(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("runs all commands of the documentation")
	}
	long := experiment.Long()
	pages := map[string]string{}
	names := append(docPages(t), filepath.Join("docs", "guides", "pictures.txt"))
	for _, page := range names {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pages[page] = string(text)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, page := range names {
		commands := pageCommands(page, pages[page])
		if count += len(commands); len(commands) == 0 {
			continue
		}
		t.Run(filepath.ToSlash(page), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(root, "predict"), filepath.Join(dir, "predict")); err != nil { // test data that commands read
				t.Fatal(err)
			}
			t.Chdir(dir)
			writeUsersFiles(t)
			for _, c := range commands {
				args := c.args
				if !long {
					args = c.shortened()
				}
				if args == nil || needsMissing(&c) || slices.Contains([]string{"serve", "join"}, c.name()) { // need each other
					continue
				}
				if from, err := strconv.ParseFloat(c.flag("--from"), 64); err == nil && c.name() == "record" && c.flag("--seconds") != "" {
					if end, err := strconv.ParseFloat(c.flag("--seconds"), 64); err != nil || from >= end {
						t.Errorf("%s\nthe session ends before the video begins", c.text)
					}
				}
				if c.name() == "page" { // compiles the source
					t.Chdir(root)
					args = append(args, "-o", filepath.Join(dir, c.flag("-o")))
				}
				for _, flag := range []string{"-o", "--save-tape", "--ticks", "--game-log", "--svg"} { // no command replaces a file
					if info, err := os.Stat(c.flag(flag)); err == nil && info.Mode().IsRegular() {
						os.Remove(c.flag(flag))
					}
				}
				out, err := mainOutput(args)
				t.Chdir(dir)
				if err == nil && c.output != "" {
					err = os.WriteFile(c.output, []byte(out), 0o666)
				}
				if err != nil {
					t.Errorf("%s\n%v", c.text, err)
				} else if drawn := c.flag("--svg"); drawn != "" {
					compareDrawing(t, drawn, filepath.Join(root, filepath.Dir(page), filepath.Base(drawn)))
				}
			}
		})
	}
	if count == 0 {
		t.Error("no command was found")
	}
}

// compareDrawing compares a drawing that a command of a page has made with the one beside the page, if there is one, or
// writes it there with -update.
func compareDrawing(t *testing.T, drawn, shown string) {
	t.Helper()
	want, err := os.ReadFile(shown)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	got, drawnErr := os.ReadFile(drawn)
	if err = errors.Join(err, drawnErr); err != nil {
		t.Fatal(err)
	}
	switch {
	case bytes.Equal(got, want):
	case golden.Updating():
		if err := os.WriteFile(shown, got, 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from what its command draws: GHOSTCUBE_CI=1 go generate . writes it", shown)
	}
}

// writeUsersFiles writes the files that the documentation's reader brings along.
func writeUsersFiles(t *testing.T) {
	t.Helper()
	trace, err := fs.ReadFile(assets.Traces, "traces/wifi-stall.csv")
	if err != nil {
		t.Fatal(err)
	}
	var pairs bytes.Buffer
	z := gzip.NewWriter(&pairs)
	fmt.Fprintln(z, "3,200,260,256,3,201,256,250")
	fmt.Fprintln(z, "3,210,261,256,3,207,256,250")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sweep := []byte("panes = [\"noprediction\", \"rewind:lead=1|3\"]\nnetworks = [\"4g\"]\n")
	const server = `{"t":"s","k":60,"b":[[7,0,0,0.5]]}
{"t":"s","k":61,"b":[[7,0.1,0,0.5]]}
`
	const client = `{"t":"c","us":1000000,"k":60,"rtt":80000}
{"t":"i","us":1000000,"id":1,"keys":"W"}
{"t":"v","us":1016667,"k":61,"in":1,"b":[[7,0.1,0,0.5]]}
`
	for name, b := range map[string][]byte{
		"mine.csv": trace, "home-up.csv": trace, "home-down.csv": trace, "pairs.txt.gz": pairs.Bytes(), "plan.toml": sweep,
		"game.jsonl":   []byte(`{"t":"h","v":1,"role":"both","hz":60,"body":7}` + "\n" + server + client),
		"client.jsonl": []byte(`{"t":"h","v":1,"role":"client","hz":60,"body":7}` + "\n" + client),
		"server.jsonl": []byte(`{"t":"h","v":1,"role":"server","hz":60}` + "\n" + server),
	} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// needsMissing reports whether a command needs a program that is not installed, another machine, a server, or a terminal to ask.
func needsMissing(c *docCommand) bool {
	if c.name() == "probe" || c.name() == "worker" || c.flag("--nats") != "" || c.name() == "advise" && len(c.args) == 1 {
		return true
	}
	_, err := exec.LookPath("ffmpeg")
	output := c.flag("-o")
	return err != nil && (strings.HasSuffix(output, ".mp4") || strings.HasSuffix(output, ".mkv"))
}

// TestPageCommands checks which commands are found in a page, and how they are made short.
func TestPageCommands(t *testing.T) {
	text := "See `ghostcube list\nknobs` and `ghostcube --compare NAME` and `ghostcube play FILE.tape`.\n\n" +
		"```\n" +
		"go run . bench --seconds 60 \\\n" +
		"  --seeds 10  # a comment\n" +
		"free text\n" +
		"ghostcubes\n" +
		"$ ghostcube packets --fault 'a=b c' | head\n" +
		"ghostcube hash > a.txt\n" +
		"```\n" +
		"    ghostcube\n"
	var got []string
	for _, c := range pageCommands("x.md", text) {
		got = append(got, strings.Join(c.args, "·")+c.output)
	}
	if want := []string{"bench·--seconds·60·--seeds·10", "packets·--fault·a=b c", "hasha.txt", "", "list·knobs"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c := docCommand{args: strings.Fields("record --compare prediction --from 3 -o a.webm")}
	if got := strings.Join(c.shortened(), " "); !strings.HasSuffix(got, "--seconds 1.2 --size 192x108 --from 1") {
		t.Error(got)
	}
}

// scriptSession matches the arguments of bench in a script: a list of flags in quotation marks, or those of a command.
var scriptSession = regexp.MustCompile(`'(--[a-z][^'\n]*)'|\bbench (--[a-z][^|>\n]*)`)

// TestSessionsOfScripts runs three ticks of every session of the scripts in .ci, so that a knob, a tape or a network that no
// longer exists is found before the scripts come to it.
func TestSessionsOfScripts(t *testing.T) {
	experiment.Skip(t)
	scripts, err := filepath.Glob(".ci/*")
	if err != nil {
		t.Fatal(err)
	}
	seconds := regexp.MustCompile(`--seconds \S+`)
	found := map[string]int{}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range scriptSession.FindAllStringSubmatch(strings.ReplaceAll(string(text), "$work", t.TempDir()), -1) {
			found[filepath.Base(script)]++
			args := "bench " + seconds.ReplaceAllString(m[1]+m[2], "--seconds 0.05")
			if _, err := mainOutput(shellWords(args)); err != nil {
				t.Errorf("%s: %v", script, err)
			}
		}
	}
	if found["run"] < 10 || found["release"] == 0 {
		t.Errorf("sessions were found in %v", found)
	}
}
