// Package copytest checks CopyFrom methods by reflection: it changes every field of a
// value, copies it, and looks for fields that differ and for memory that both share.
package copytest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// Checker knows which parts of a value a copy need not have.
type Checker struct {
	// Skip reports whether a field, or what a pointer points to, stays out of a copy: the
	// surroundings of a side, or memory that no later step depends on. field is empty for
	// types that are no fields of a struct.
	Skip func(owner reflect.Type, field string, t reflect.Type) bool

	// Elements returns what a container holds, in order, if v is one: of a ring only the slots
	// in use, wherever they are.
	Elements func(v reflect.Value) (elements []reflect.Value, ok bool)

	// MaxElements is how many elements of a slice or array are changed and compared; 0 is all.
	MaxElements int

	changes []change
	seen    map[visit]bool
	plain   map[reflect.Type]bool // by isPlain
}

type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

// Check changes every field of *from, copies it into *to with copy, and reports every
// difference and every shared piece of memory. Both are pointers to values of one type.
// Some values, such as the first index of a ring, cannot be changed alone: copy panics. Check
// finds them, leaves them as they are and returns their paths.
func (c *Checker) Check(t testing.TB, from, to any, copy func()) (unchanged []string) {
	t.Helper()
	c.seen = map[visit]bool{}
	c.changes = nil
	c.collect(reflect.ValueOf(from), nil, "", "")
	panics := func() (p bool) {
		defer func() { p = recover() != nil }()
		copy()
		return false
	}
	// Make the changes. Where copy panics, halve them until every one that it cannot take is
	// alone.
	changed := 0
	var try func(list []change)
	try = func(list []change) {
		for i := range list {
			list[i].apply()
		}
		if !panics() {
			changed += len(list)
			return
		}
		for i := len(list) - 1; i >= 0; i-- {
			list[i].undo()
		}
		if len(list) == 1 {
			unchanged = append(unchanged, list[0].path)
			return
		}
		try(list[:len(list)/2])
		try(list[len(list)/2:])
	}
	try(c.changes)
	copy()
	for _, problem := range c.Compare(from, to) {
		t.Error(problem)
	}
	if changed < 10*len(unchanged) {
		t.Errorf("%d fields changed, but %d could not be: %s", changed, len(unchanged), unchanged)
	}
	return unchanged
}

// change is a new value for one field.
type change struct {
	path        string
	apply, undo func()
}

func (c *Checker) add(path string, v reflect.Value, to reflect.Value) {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	c.changes = append(c.changes, change{path, func() { v.Set(to) }, func() { v.Set(was) }})
}

// collect finds the fields that v reaches, and another value for each.
func (c *Checker) collect(v reflect.Value, owner reflect.Type, field, path string) {
	t := v.Type()
	if c.skip(owner, field, t) {
		return
	}
	v = Settable(v)
	to := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		to.SetBool(!v.Bool())
		c.add(path, v, to)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		to.SetInt(v.Int() ^ 1)
		c.add(path, v, to)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		to.SetUint(v.Uint() ^ 1)
		c.add(path, v, to)
	case reflect.Float32, reflect.Float64:
		to.SetFloat(v.Float() + 1)
		c.add(path, v, to)
	case reflect.String:
		to.SetString(v.String() + " changed")
		c.add(path, v, to)
	case reflect.Struct:
		if list, ok := c.Elements(v); ok {
			for i := range c.limit(len(list)) {
				c.collect(list[i], owner, field, fmt.Sprint(path, "[", i, "]"))
			}
			return
		}
		for i := range t.NumField() {
			c.collect(v.Field(i), t, t.Field(i).Name, strings.TrimPrefix(path+"."+t.Field(i).Name, "."))
		}
	case reflect.Array:
		for i := range c.limit(v.Len()) {
			c.collect(v.Index(i), owner, field, fmt.Sprint(path, "[", i, "]"))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			c.add(path, v, reflect.MakeSlice(t, 1, 1))
		}
		for i := range c.limit(v.Len()) {
			c.collect(v.Index(i), owner, field, fmt.Sprint(path, "[", i, "]"))
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(t))
		for _, k := range v.MapKeys() {
			to.SetMapIndex(k, v.MapIndex(k))
		}
		to.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
		c.add(path, v, to)
	case reflect.Pointer:
		at := visit{v.UnsafePointer(), t}
		if v.IsNil() || c.seen[at] || c.skip(nil, "", t.Elem()) {
			return
		}
		c.seen[at] = true
		c.collect(v.Elem(), nil, "", path)
	case reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
			c.collect(v.Elem(), nil, "", path)
		}
	}
}

// Compare returns the paths at which *a and *b differ or share memory.
func (c *Checker) Compare(a, b any) (problems []string) {
	c.seen = map[visit]bool{}
	c.compare(reflect.ValueOf(a), reflect.ValueOf(b), nil, "", "", func(path, what string) {
		problems = append(problems, path+" "+what)
	})
	return problems
}

// isPlain reports whether values of a type are numbers, strings and booleans alone, which share no memory.
func (c *Checker) isPlain(t reflect.Type) bool {
	plain, known := c.plain[t]
	if known {
		return plain
	}
	switch k := t.Kind(); k {
	case reflect.Array:
		plain = c.isPlain(t.Elem())
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			plain = plain && c.isPlain(t.Field(i).Type)
		}
	default:
		plain = k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
	}
	if c.plain == nil {
		c.plain = map[reflect.Type]bool{}
	}
	c.plain[t] = plain
	return plain
}

// Settable returns v without the protection of unexported fields.
func Settable(v reflect.Value) reflect.Value {
	if v.CanSet() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func (c *Checker) skip(owner reflect.Type, field string, t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return c.Skip(owner, field, t)
}

func (c *Checker) limit(n int) int {
	if c.MaxElements > 0 {
		return min(n, c.MaxElements)
	}
	return n
}

func (c *Checker) compare(a, b reflect.Value, owner reflect.Type, field, path string, report func(path, what string)) {
	t := a.Type()
	if c.isPlain(t) && a.Equal(b) {
		return // as most of a state: all of it at once
	}
	if c.skip(owner, field, t) {
		return
	}
	a, b = Settable(a), Settable(b)
	switch t.Kind() {
	case reflect.Struct:
		if list, ok := c.Elements(a); ok {
			other, _ := c.Elements(b)
			if len(list) != len(other) {
				report(path, fmt.Sprintf("has %d elements, its copy %d", len(list), len(other)))
				return
			}
			for i := range c.limit(len(list)) {
				if list[i].CanAddr() && other[i].CanAddr() && list[i].UnsafeAddr() == other[i].UnsafeAddr() {
					report(path, "shares memory with its copy")
					return
				}
				c.compare(list[i], other[i], owner, field, fmt.Sprint(path, "[", i, "]"), report)
			}
			return
		}
		for i := range t.NumField() {
			c.compare(a.Field(i), b.Field(i), t, t.Field(i).Name, strings.TrimPrefix(path+"."+t.Field(i).Name, "."), report)
		}
	case reflect.Array:
		for i := range a.Len() {
			c.compare(a.Index(i), b.Index(i), owner, field, fmt.Sprint(path, "[", i, "]"), report)
		}
	case reflect.Slice:
		if a.Len() != b.Len() {
			report(path, fmt.Sprintf("has %d elements, its copy %d", a.Len(), b.Len()))
			return
		}
		if a.Len() > 0 && a.UnsafePointer() == b.UnsafePointer() {
			report(path, "shares memory with its copy")
			return
		}
		for i := range c.limit(a.Len()) {
			c.compare(a.Index(i), b.Index(i), owner, field, fmt.Sprint(path, "[", i, "]"), report)
		}
	case reflect.Map:
		if a.Len() != b.Len() || a.UnsafePointer() == b.UnsafePointer() {
			report(path, "is missing, or shares memory with its copy")
			return
		}
		for _, k := range a.MapKeys() {
			if x, y := a.MapIndex(k), b.MapIndex(k); !y.IsValid() {
				report(path, fmt.Sprintf("lacks %v in the copy", k))
			} else if x.Comparable() && !x.Equal(y) && x.Kind() != reflect.Pointer {
				report(fmt.Sprint(path, "[", k, "]"), "differs")
			}
		}
	case reflect.Pointer:
		if c.skip(nil, "", t.Elem()) || a.IsNil() && b.IsNil() {
			return
		}
		if a.IsNil() || b.IsNil() {
			report(path, "is nil on one side")
			return
		}
		if a.UnsafePointer() == b.UnsafePointer() {
			report(path, "shares memory with its copy")
			return
		}
		at := visit{a.UnsafePointer(), t}
		if c.seen[at] {
			return
		}
		c.seen[at] = true
		c.compare(a.Elem(), b.Elem(), nil, "", path, report)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				report(path, "is nil on one side")
			}
			return
		}
		if a.Elem().Kind() == reflect.Pointer {
			c.compare(a.Elem(), b.Elem(), nil, "", path, report)
		}
	default:
		if !a.Equal(b) {
			report(path, fmt.Sprintf("is %v, its copy has %v", a, b))
		}
	}
}
