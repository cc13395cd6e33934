package tidy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/source"
	"ghostcube/predict/lab"
)

func TestMain(m *testing.M) {
	source.EnterRoot()
	os.Exit(m.Run())
}

// module is the prefix of the import paths of this module.
const module = "ghostcube/"

// promise is a property of the results of a folder's code.
type promise int

const (
	free       promise = iota // none
	repeatable                // results depend on the arguments alone, but their last bits differ between machines
	exact                     // arithmetic never fuses, because results are compared between machines
	pure                      // exact, and results depend on the arguments alone
)

// folders lists the promise of each folder and its allowed imports from this module, in five
// layers. No folder imports from a higher layer. Test files are exempt. A star stands for any
// one folder, but a folder matched by a star never imports another match: no strategy imports
// another strategy, the lab, the score, rendering or net/link.
var folders = map[string]struct {
	promise promise
	imports string // separated by blanks
}{
	// 1
	"internal/atomicfile": {free, ""},
	"internal/compact":    {free, ""},
	"internal/experiment": {free, ""},
	"internal/golden":     {free, ""},
	"internal/inputtest":  {free, ""},
	"internal/planted":    {free, ""},
	"internal/process":    {free, ""},
	"internal/repeated":   {free, ""},
	"internal/source":     {free, ""},
	"internal/statistics": {exact, ""},
	"sim/geom":            {pure, ""},
	"sim":                 {pure, "sim/geom"},
	"sim/scene":           {pure, "sim sim/geom"},
	"net/quant":           {pure, ""},
	"net/entropy":         {pure, ""},
	"net/link":            {pure, ""},
	"net/packet":          {pure, "net/link"},
	"net/socket":          {free, "net/link"},
	"net/measure":         {pure, "net/link"},

	// 2
	"net/message":          {pure, "net/packet net/quant"},
	"net/delta":            {pure, "sim/geom net/quant net/entropy"},
	"smoothing":            {pure, "sim sim/geom"},
	"predict":              {pure, "sim sim/geom net/link net/packet net/quant smoothing"},
	"predict/part/history": {pure, "sim"},
	"predict/part/clock": {pure, `
		sim net/packet predict
		predict/part/codec predict/part/history predict/part/input`},
	"predict/part/playout":    {pure, "sim"},
	"predict/part/input":      {pure, "sim net/packet net/quant predict predict/part/playout"},
	"predict/part/jointtree":  {pure, "sim sim/geom"},
	"predict/part/validation": {pure, "sim sim/geom"},
	"predict/part/desync":     {pure, "sim net/quant predict predict/part/input"},
	"predict/part/codec": {pure, `
		sim sim/geom net/packet net/quant predict
		predict/part/input predict/part/interest predict/part/jointtree predict/part/validation`},
	"predict/part/interest":    {pure, "sim sim/geom predict"},
	"predict/part/serverworld": {pure, "sim predict predict/part/hit predict/part/input"},
	"predict/part/hit":         {pure, "sim sim/geom smoothing predict predict/part/history predict/part/input"},
	"predict/part/playback": {pure, `
		sim sim/geom smoothing net/packet predict
		predict/part/interest predict/part/jointtree predict/part/codec predict/part/playout`},
	"predict/part/others":                {pure, "sim sim/geom smoothing predict predict/part/playback"},
	"predict/localprediction/correction": {pure, "sim sim/geom smoothing net/packet predict predict/part/input"},
	"predict/localprediction/fallback":   {pure, "sim sim/geom smoothing predict"},
	"predict/localprediction/frame": {pure, `
		sim sim/geom smoothing net/quant predict
		predict/part/codec predict/part/input predict/part/playback`},
	"predict/localprediction/nearby": {pure, `
		sim sim/geom smoothing predict predict/part/history predict/part/others predict/part/playback
		predict/localprediction/correction`},
	"predict/localprediction/jointchain": {pure, `
		sim sim/geom smoothing predict
		predict/part/history predict/part/jointtree predict/part/playback
		predict/localprediction/correction`},
	"predict/localprediction/localreplay": {pure, `
		sim sim/geom predict predict/part/history
		predict/localprediction/frame predict/localprediction/nearby`},
	"predict/localprediction": {pure, `
		sim sim/geom smoothing net/packet net/quant predict predict/part/*
		predict/localprediction/*`},

	// 3
	"predict/strategy/*": {pure, `
		sim sim/geom smoothing net/packet net/quant net/delta predict
		predict/part/* predict/localprediction predict/localprediction/*`},
	"predict/score":        {pure, "sim sim/geom predict predict/part/jointtree predict/localprediction/frame"},
	"predict/predicttest":  {pure, "sim sim/geom sim/scene net/link net/packet predict"},
	"predict/lab/probe":    {pure, "sim sim/geom net/link predict"},
	"predict/lab/trace":    {pure, "sim net/link net/packet net/quant predict"},
	"predict/lab/reliable": {pure, "net/message net/packet net/quant predict"},
	"predict/lab/tape":     {pure, "sim predict/lab"},
	"predict/lab/capture":  {pure, "sim net/link net/packet predict/lab predict/lab/tape"},
	"predict/lab/remote": {pure, `
		sim sim/geom net/link net/packet predict predict/score
		predict/lab predict/lab/capture predict/lab/reliable predict/lab/tape`},
	"predict/lab/labtest":          {free, "internal/golden sim predict/lab"},
	"predict/lab/labtest/copytest": {free, ""},
	"predict/lab": {pure, `
		sim sim/geom sim/scene net/link net/packet net/quant
		predict predict/lab/reliable predict/score predict/lab/probe predict/lab/trace predict/strategy/*
		predict/part/codec predict/part/hit predict/part/input`},

	// 4
	"render":             {exact, "sim/geom assets"},
	"render/raster":      {exact, "render sim/geom"},
	"render/video/vp8":   {pure, ""},
	"render/video/webm":  {pure, ""},
	"render/video":       {exact, "internal/atomicfile internal/process render render/video/vp8 render/video/webm"},
	"ui/stage":           {pure, "render sim sim/geom smoothing net/link predict predict/lab predict/lab/probe"},
	"ui/stage/stagetest": {free, "sim predict/lab"},
	"ui/hud": {repeatable, `
		sim sim/geom smoothing net/link
		predict predict/lab predict/lab/probe predict/lab/trace predict/score
		render ui/stage`},
	"ui/timeline":    {repeatable, "internal/compact render net/link predict predict/lab ui/stage ui/hud"},
	"ui/diagram":     {pure, "sim net/link net/packet net/quant predict predict/lab predict/lab/trace"},
	"ui/gamelog":     {pure, "sim sim/geom net/link net/packet net/quant predict predict/score"},
	"ui/platform":    {free, ""},
	"ui/page":        {free, "internal/atomicfile internal/process"},
	"ui/recorder":    {exact, "internal/atomicfile ui/stage ui/hud render/raster render/video predict/lab sim"},
	"ui/claim":       {exact, "internal/statistics"},
	"ui/plan":        {free, "sim net/link predict/lab predict/lab/tape ui/stage ui/claim"},
	"ui/sweep":       {free, "internal/atomicfile internal/statistics"},
	"ui/sweep/queue": {free, ""},
	"ui/tune":        {exact, "internal/statistics net/link predict"},
	"ui/advise":      {free, "internal/statistics net/link sim/scene predict/lab ui/plan"},
	"ui/tour":        {free, "ui/plan sim net/link predict/lab predict/score"},
	"ui/cli": {free, `
		sim sim/geom sim/scene net/link net/packet net/quant net/entropy net/delta net/measure net/socket
		predict/lab/capture predict/lab/remote
		predict/lab/tape predict predict/lab predict/lab/probe predict/lab/trace predict/score
		render/video
		ui/plan ui/claim ui/sweep ui/sweep/queue ui/tune ui/advise ui/session ui/diagram ui/gamelog ui/page ui/tour ui/recorder ui/stage ui/hud
		internal/atomicfile internal/statistics`},
	"ui/session": {free, `
		sim sim/geom net/link
		predict/lab/tape predict predict/lab predict/lab/probe render/video
		ui/plan ui/tour ui/advise ui/recorder ui/timeline ui/hud ui/stage internal/atomicfile`},
	"ui/widget":  {free, "render"},
	"render/gpu": {free, "render assets sim/geom"},
	"ui/window": {free, `
		sim sim/geom sim/scene smoothing net/link net/quant
		predict/lab/tape predict/score predict predict/lab predict/lab/trace
		render render/video render/gpu
		ui/platform ui/session ui/plan ui/tour ui/advise ui/stage ui/hud ui/timeline ui/widget ui/recorder internal/atomicfile`},

	// 5
	"assets":             {free, ""}, // data; the folders below it generate the data
	"assets/make/tapes":  {exact, "sim sim/geom sim/scene predict predict/lab predict/lab/tape"},
	"assets/make/traces": {free, "net/link"},
	"assets/make/font":   {free, ""},
	"ui/program":         {free, "ui/cli ui/platform ui/window assets"},
	".":                  {free, "ui/cli ui/program"},
	"internal/peers":     {free, "sim sim/geom sim/scene"},
	"docs/examples/*":    {free, ""}, // programs of their own, to be read beside the guides
}

// restrictedPackages are packages of other modules and of the standard library, by prefix of
// their paths, and the only folders that may import them. The first prefix that fits counts.
var restrictedPackages = []struct {
	prefix string
	in     []string
}{
	{"github.com/hajimehoshi/ebiten/", []string{"render/gpu", "ui/window", "internal/inputtest"}},
	{"github.com/ebitengine/debugui", []string{"ui/widget"}},
	{"github.com/go-gl/mathgl", []string{"render/gpu", "ui/window"}},
	{"github.com/alecthomas/kong", []string{"ui/cli"}},
	{"github.com/pelletier/go-toml/", []string{"ui/plan"}},
	{"github.com/mas-bandwidth/serialize.go", []string{"net/quant"}},
	{"github.com/yuin/goldmark", []string{"ui/page"}},
	{"github.com/flynn/noise", []string{"net/socket"}},
	{"github.com/pion/", []string{"net/socket"}},
	{"golang.org/x/crypto/", []string{"net/socket"}},
	{"github.com/nats-io/", []string{"ui/sweep/queue"}},
	{"net/url", []string{"ui/page", "ui/plan", "ui/stage", "ui/sweep/queue"}},
	{"net", []string{"net/socket", "docs/examples/prediction", "docs/examples/snapshots", "docs/examples/rollback"}},
}

// TestRestrictedPackages checks that only the listed folders import restricted packages, and that they exist.
// It has caught nothing yet.
func TestRestrictedPackages(t *testing.T) {
	for _, g := range restrictedPackages {
		for _, dir := range g.in {
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("%s is restricted to a folder that does not exist: %v", g.prefix, err)
			}
		}
	}
	for _, file := range goFiles(t, ".") {
		for _, p := range importsOf(t, file) {
			for _, g := range restrictedPackages {
				if p != g.prefix && !strings.HasPrefix(p, strings.TrimSuffix(g.prefix, "/")+"/") {
					continue
				}
				if !slices.Contains(g.in, path.Dir(file)) {
					t.Errorf("%s imports %s, allowed only in %v", file, p, g.in)
				}
				break
			}
		}
	}
}

// TestHeadlessBuildHasNoWindow checks that the build for machines without a
// display links no package that needs one. It has caught nothing yet.
func TestHeadlessBuildHasNoWindow(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "headless", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), module+"predict/lab\n") {
		t.Fatalf("go list does not list predict/lab:\n%s", out)
	}
	for p := range strings.FieldsSeq(string(out)) {
		for _, window := range []string{"ebiten", "purego", "mathgl", module + "ui/window", module + "render/gpu"} {
			if strings.Contains(p, window) {
				t.Errorf("the headless build links %s", p)
			}
		}
	}
}

// starred returns the key in folders of a folder: its path, or the star of its parent.
func starred(dir string) string {
	if _, ok := folders[dir]; !ok {
		return path.Dir(dir) + "/*"
	}
	return dir
}

// foldersThat returns the folders of the module that make a promise.
func foldersThat(t *testing.T, keep promise) (list []string) {
	t.Helper()
	for _, file := range goFiles(t, ".") {
		if dir := path.Dir(file); !slices.Contains(list, dir) && folders[starred(dir)].promise >= keep && folders[starred(dir)].promise != free {
			list = append(list, dir)
		}
	}
	return list
}

// TestImportsPointDown checks that every folder imports only what the table allows. ui/plan once read the players of a scene
// from sim/scene.
func TestImportsPointDown(t *testing.T) {
	for _, file := range goFiles(t, ".") {
		dir := path.Dir(file)
		f, known := folders[starred(dir)]
		if !known {
			t.Errorf("%s: its folder is not in the table folders", file)
			continue
		}
		allowed := strings.Fields(f.imports)
		for _, p := range importsOf(t, file) {
			rel, ours := strings.CutPrefix(p, module)
			if !ours || slices.Contains(allowed, rel) {
				continue
			}
			if parent := path.Dir(rel); parent == path.Dir(dir) || !slices.Contains(allowed, parent+"/*") {
				t.Errorf("%s imports %s, which the table folders does not allow", file, rel)
			}
		}
	}
}

// TestInterfaceKnowsNoNames checks that no code below ui asks for a counter or a knob by a name that it contains: what it
// shows of a strategy stands in the contract (predict.Quantity, Motion, Correction, InputProgress).
func TestInterfaceKnowsNoNames(t *testing.T) {
	for _, file := range goFiles(t, "ui") {
		visitNodes(t, file, func(at token.Position, n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return
			}
			f, isMethod := call.Fun.(*ast.SelectorExpr)
			name, isText := call.Args[0].(*ast.BasicLit)
			if isMethod && isText && name.Kind == token.STRING && (f.Sel.Name == "Lookup" || f.Sel.Name == "Value") {
				t.Errorf("%v: %s(%s)", at, f.Sel.Name, name.Value)
			}
		})
	}
}

// goFiles returns the Go files below a folder, without test files.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	return slices.DeleteFunc(goFilesAndTests(t, root), func(file string) bool {
		return strings.HasSuffix(file, "_test.go")
	})
}

// goFilesAndTests returns the Go files below a folder.
func goFilesAndTests(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && p != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return fs.SkipDir
		}
		if strings.HasSuffix(p, ".go") {
			files = append(files, filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// goFilesIn returns the Go files of one folder, without test files.
func goFilesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	for _, f := range goFiles(t, dir) {
		if path.Dir(f) == dir {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		t.Fatalf("no Go files in %s", dir)
	}
	return files
}

func importsOf(t *testing.T, file string) (paths []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, im := range f.Imports {
		p, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", file, err))
		}
		paths = append(paths, p)
	}
	return paths
}

func visitNodes(t *testing.T, file string, visit func(at token.Position, n ast.Node)) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			visit(set.Position(n.Pos()), n)
		}
		return true
	})
}

// TestStrategiesAreNamedOnce checks that no string in the program names a strategy, except in
// the strategy's own folder and in the list in predict/lab. All other code takes strategies
// from that list. Names that are also common words are not checked. The page's generator had an order of
// guides with lockstep in it.
func TestStrategiesAreNamedOnce(t *testing.T) {
	experiment.Skip(t)
	common := []string{"snapshot", "relative", "rewind"}
	for _, file := range goFiles(t, ".") {
		quotesArticles := file == "net/link/profiles.go"
		if strings.HasPrefix(file, "predict/strategy/") || file == "predict/lab/strategies.go" || quotesArticles {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING || strings.Contains(text.Value, "ghostcube ") { // examples of commands are documentation
				return true
			}
			for _, name := range lab.StrategyNames() {
				if !slices.Contains(common, name) && regexp.MustCompile(`\b`+name+`\b`).MatchString(text.Value) {
					t.Errorf("%s names strategy %s: %s", file, name, text.Value)
				}
			}
			return true
		})
	}
}

// receiverFolders are the folders below which receivers begin like their types.
var receiverFolders = []string{"sim", "net", "predict", "smoothing", "render", "ui"}

// typeWord matches the words of a type's name: block and Sender of blockSender.
var typeWord = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// TestReceiversBeginLikeTheirTypes checks that the receiver of a method begins like a word of its type.
// After renames of types a third did not: a Score was c, and the controls were h.
func TestReceiversBeginLikeTheirTypes(t *testing.T) {
	for _, folder := range receiverFolders {
		for _, file := range goFiles(t, folder) {
			visitNodes(t, file, func(at token.Position, n ast.Node) {
				m, ok := n.(*ast.FuncDecl)
				if !ok || m.Recv == nil || len(m.Recv.List[0].Names) == 0 {
					return
				}
				receiver, of := m.Recv.List[0].Names[0].Name, strings.TrimLeft(types.ExprString(m.Recv.List[0].Type), "*")
				of, _, _ = strings.Cut(of, "[")
				if !slices.ContainsFunc(typeWord.FindAllString(of, -1), func(word string) bool { return strings.EqualFold(word[:1], receiver[:1]) }) {
					t.Errorf("%v: the receiver of a %s is %s", at, of, receiver)
				}
			})
		}
	}
}

// TestPartsAreShared checks that every package of predict/part has at least two users: other parts, the
// lab, and families of strategies. localprediction and its two strategies are one family. A package
// with one user lives with it.
func TestPartsAreShared(t *testing.T) {
	const family = "predict/localprediction"
	users := map[string][]string{} // of each part
	for _, dir := range foldersThat(t, pure) {
		var imports []string
		for _, file := range goFilesIn(t, dir) {
			imports = append(imports, importsOf(t, file)...)
		}
		user := dir
		if strings.HasPrefix(dir, family) || slices.Contains(imports, module+family) {
			user = family
		}
		if strings.HasPrefix(dir, "predict/part/") {
			users[dir] = append([]string{}, users[dir]...)
		}
		for _, p := range imports {
			if part := strings.TrimPrefix(p, module); strings.HasPrefix(part, "predict/part/") && !slices.Contains(users[part], user) {
				users[part] = append(users[part], user)
			}
		}
	}
	for part, of := range users {
		if len(of) < 2 {
			t.Errorf("%s has one user, %v: move it there", part, of)
		}
		t.Logf("%s: %v", part, of)
	}
}
