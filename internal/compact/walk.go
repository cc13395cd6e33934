package compact

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// walk finds the slices of a copy.
type walk struct {
	store *Store
	seen  map[visit]bool
	found []slice

	// starts are the addresses of all values that may have pointers and that a pointer or a slice leads to, as often as it
	// does.
	starts []uintptr
}

type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

// visit finds the slices that a, a part of the copy, reaches. b is that part of the original.
func (w *walk) visit(a, b reflect.Value) {
	t := a.Type()
	if w.store.isPlain(t) {
		return
	}
	a, b = settable(a), settable(b)
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			w.visit(a.Field(i), b.Field(i))
		}
	case reflect.Array:
		for i := range a.Len() {
			w.visit(a.Index(i), b.Index(i))
		}
	case reflect.Slice:
		w.visitSlice(a, b)
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.UnsafePointer() == b.UnsafePointer() {
			return
		}
		if !w.again(a.UnsafePointer(), t) {
			w.starts = append(w.starts, a.Pointer())
			w.visit(a.Elem(), b.Elem())
		}
	case reflect.Interface:
		if !a.IsNil() && !b.IsNil() && a.Elem().Type() == b.Elem().Type() && a.Elem().Kind() == reflect.Pointer {
			w.visit(a.Elem(), b.Elem())
		}
	}
}

// visitSlice is visit for a slice.
func (w *walk) visitSlice(a, b reflect.Value) {
	t := a.Type()
	if a.Len() == 0 || a.UnsafePointer() == b.UnsafePointer() || w.again(unsafe.Pointer(a.UnsafeAddr()), t) {
		return
	}
	if a.Len()*int(t.Elem().Size()) >= blockSize {
		w.found = append(w.found, slice{at: a, parent: noSlice, t: t, length: a.Len()})
	}
	if !w.store.isPlain(t.Elem()) {
		w.starts = append(w.starts, a.Pointer())
		for i := range min(a.Len(), b.Len()) {
			w.visit(a.Index(i), b.Index(i))
		}
	}
}

// again reports whether a value has been visited before, and notes that it has.
func (w *walk) again(at unsafe.Pointer, t reflect.Type) bool {
	v := visit{at, t}
	was := w.seen[v]
	w.seen[v] = true
	return was
}

// arrange returns the slices that can be taken, those within elements of others after these. A slice whose elements have
// pointers cannot if something else leads to its elements, too.
func (w *walk) arrange() []slice {
	slices.Sort(w.starts)
	list := slices.DeleteFunc(w.found, func(s slice) bool {
		if w.store.isPlain(s.t.Elem()) {
			return false
		}
		from := s.at.Pointer()
		first, _ := slices.BinarySearch(w.starts, from)
		end, _ := slices.BinarySearch(w.starts, from+uintptr(len(contents(s.at))))
		return end-first > 1
	})

	// Those with pointers in their elements, by the address of the elements.
	type outer struct {
		from, to uintptr
		at       uintptr // of the slice itself
		parent   int     // in outers
		depth    int
	}
	var outers []outer
	for i := range list {
		if s := &list[i]; !w.store.isPlain(s.t.Elem()) {
			from := s.at.Pointer()
			outers = append(outers, outer{from, from + uintptr(len(contents(s.at))), s.at.UnsafeAddr(), noSlice, -1})
		}
	}
	slices.SortFunc(outers, func(a, b outer) int { return cmp.Compare(a.from, b.from) })
	around := func(at uintptr) int {
		i, found := slices.BinarySearchFunc(outers, at, func(o outer, at uintptr) int { return cmp.Compare(o.from, at) })
		if !found {
			i--
		}
		if i >= 0 && at < outers[i].to {
			return i
		}
		return noSlice
	}
	var depth func(i int) int
	depth = func(i int) int {
		if i == noSlice {
			return 0
		}
		if o := &outers[i]; o.depth < 0 {
			o.depth = 1 + depth(around(o.at))
		}
		return outers[i].depth
	}
	slices.SortStableFunc(list, func(a, b slice) int {
		return cmp.Compare(depth(around(a.at.UnsafeAddr())), depth(around(b.at.UnsafeAddr())))
	})
	index := map[uintptr]int{} // in list, by the address of the elements
	for i := range list {
		s := &list[i]
		if o := around(s.at.UnsafeAddr()); o != noSlice {
			s.parent, s.offset = index[outers[o].from], s.at.UnsafeAddr()-outers[o].from
		}
		if !w.store.isPlain(s.t.Elem()) {
			index[s.at.Pointer()] = i
		}
	}
	return list
}

// noSlice is the index of no slice.
const noSlice = -1

// isPlain reports whether values of a type have no pointers.
func (s *Store) isPlain(t reflect.Type) bool {
	plain, known := s.plain[t]
	if known {
		return plain
	}
	switch k := t.Kind(); k {
	case reflect.Array:
		plain = s.isPlain(t.Elem())
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			plain = plain && s.isPlain(t.Field(i).Type)
		}
	default:
		plain = k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
	}
	s.plain[t] = plain
	return plain
}
