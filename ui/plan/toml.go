package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ghostcube/net/link"
)

// document is a TOML file that has been decoded.
type document struct {
	name string
	keys map[string]unstable.Position // place of each table and key, such as comparison[2].network
}

// decodeTOML decodes a file into a pointer to a struct. A key that the struct lacks is an
// error. All errors name the file and the line.
func decodeTOML(name string, text []byte, into any) (*document, error) {
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var strict *toml.StrictMissingError
	var syntax *toml.DecodeError
	switch {
	case errors.As(err, &strict):
		line, column := strict.Errors[0].Position()
		return nil, fmt.Errorf("%s: line %d: %w", name, line, unknownKey(text, line, column, into))
	case errors.As(err, &syntax):
		line, column := syntax.Position()
		return nil, fmt.Errorf("%s: line %d, column %d: %s", name, line, column, decodeText(syntax))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &document{name, keyPositions(text)}, nil
}

// typePattern matches the decoder's error of a value of another type: the TOML type found, and the Go type wanted.
var typePattern = regexp.MustCompile(`cannot decode TOML ([a-z]+) into .*?([\[\]a-z0-9]+)$`)

// typeWords are the types of TOML and of Go in words.
var typeWords = map[string]string{"string": "a text in quotes", "integer": "a whole number", "int": "a whole number", "uint64": "a whole number",
	"float": "a number with a point", "float64": "a number", "boolean": "true or false", "bool": "true or false", "array": "a list",
	"[]string": "a list of texts", "table": "a table"}

// decodeText returns the text of a decoder's error, without Go's terms.
func decodeText(e *toml.DecodeError) string {
	text, key := strings.TrimPrefix(e.Error(), "toml: "), ""
	if len(e.Key()) > 0 {
		key = strings.Join(e.Key(), ".") + ": "
	}
	if m := typePattern.FindStringSubmatch(text); m != nil && typeWords[m[2]] != "" {
		return fmt.Sprintf("%swant %s, not %s", key, typeWords[m[2]], cmp.Or(typeWords[m[1]], m[1]))
	}
	if strings.HasPrefix(text, "negative integer") {
		return key + "want a whole number from 0 on"
	}
	return text
}

// checkKeys refuses a file whose keys and tables have more than limit names, each part of a dotted key counted. The
// decoder would need minutes to list as many unknown ones.
func checkKeys(name string, text []byte, limit int) error {
	var p unstable.Parser
	p.Reset(text)
	for count := 0; p.NextExpression(); {
		e := p.Expression()
		if count += countNames(e); count > limit {
			k := e.Key()
			k.Next()
			return fmt.Errorf("%s: line %d: want at most %d names of keys and tables", name, p.Shape(k.Node().Raw).Start.Line, limit)
		}
	}
	return nil // the decoder names an error in the syntax
}

// countNames returns the number of names in the keys of an expression.
func countNames(e *unstable.Node) (count int) {
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable, unstable.KeyValue:
		for k := e.Key(); k.Next(); {
			count++
		}
		if e.Kind == unstable.KeyValue {
			count += countNames(e.Value())
		}
	case unstable.Array, unstable.InlineTable:
		for c := e.Children(); c.Next(); {
			count += countNames(c.Node())
		}
	}
	return count
}

// errorAt adds file and line to the error of a setting in a table, which is "" for the
// top of the file. A setting that is missing is reported at its table.
func (d *document) errorAt(table string, err error) error {
	path := table
	var bad *SettingError
	if errors.As(err, &bad) {
		path = strings.TrimPrefix(table+"."+bad.Name, ".")
	}
	for {
		if at, ok := d.keys[path]; ok {
			return fmt.Errorf("%s: line %d: %w", d.name, at.Line, err)
		}
		end := strings.LastIndexByte(path, '.')
		if end < 0 {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		path = path[:end]
	}
}

// indexed returns the path of a table with the newest index of each array of tables above it, such as group[1].mechanism
// for group.mechanism. counts has the number of tables in each array.
func indexed(path string, counts map[string]int) string {
	names := strings.Split(path, ".")
	path = names[0]
	for _, name := range names[1:] {
		if n := counts[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
		path += "." + name
	}
	return path
}

// keyPositions returns the place of every table and key of a file that parses.
func keyPositions(text []byte) map[string]unstable.Position {
	keys, counts, table := map[string]unstable.Position{}, map[string]int{}, ""
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		path, at := keyPath(&p, e)
		switch e.Kind {
		case unstable.ArrayTable:
			path = indexed(path, counts)
			table = fmt.Sprintf("%s[%d]", path, counts[path])
			counts[path]++
			keys[table] = at
		case unstable.Table:
			table = indexed(path, counts)
			keys[table] = at
		case unstable.KeyValue:
			addKeys(&p, keys, table, e)
		}
	}
	return keys
}

// addKeys adds a key, and those of the inline table that is its value or the elements of the array that it is, such as
// panes[1].
func addKeys(p *unstable.Parser, keys map[string]unstable.Position, table string, e *unstable.Node) {
	path, at := keyPath(p, e)
	path = strings.TrimPrefix(table+"."+path, ".")
	keys[path] = at
	switch v := e.Value(); v.Kind {
	case unstable.InlineTable:
		for c := v.Children(); c.Next(); {
			addKeys(p, keys, path, c.Node())
		}
	case unstable.Array:
		for i, c := 0, v.Children(); c.Next(); i++ {
			keys[fmt.Sprintf("%s[%d]", path, i)] = p.Shape(c.Node().Raw).Start
		}
	}
}

// keyPath returns the dotted key of a table or of a value, and its place.
func keyPath(p *unstable.Parser, e *unstable.Node) (path string, at unstable.Position) {
	for k := e.Key(); k.Next(); {
		if path == "" {
			at = p.Shape(k.Node().Raw).Start
		} else {
			path += "."
		}
		path += string(k.Node().Data)
	}
	return path, at
}

// unknownKey returns the error of the key at a place, which the struct lacks.
func unknownKey(text []byte, line, column int, into any) error {
	for path, at := range keyPositions(text) {
		if at.Line != line || at.Column != column {
			continue
		}
		t := reflect.TypeOf(into)
		steps := strings.Split(path, ".")
		for _, step := range steps {
			key, _, _ := strings.Cut(step, "[")
			next, known := tableField(t, key)
			if next == nil {
				return &link.UnknownNameError{Kind: "key", Name: key, Choices: known}
			}
			t = next
		}
	}
	return errors.New("unknown key")
}

// tableField returns the type of a key's value in a struct, or nil if it lacks the key, and
// all keys of the struct.
func tableField(t reflect.Type, key string) (field reflect.Type, keys []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("toml")
		if name == "" { // an embedded struct, whose own fields follow
			continue
		}
		if keys = append(keys, name); name == key {
			field = f.Type
		}
	}
	return field, keys
}
