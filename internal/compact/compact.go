// Package compact keeps copies of a large value that are mostly equal, such as those of a session at different times. It
// takes the contents of slices out of a copy, in blocks, and keeps equal blocks of all copies once.
//
// It knows no types: it finds slices by reflection. A copy whose contents are out must not be used.
package compact

import (
	"bytes"
	"hash/maphash"
	"reflect"
	"unsafe"
)

// blockSize is the length of a block in bytes. Slices that are shorter stay in the copy. Measured with copies of four panes
// of 901 moving bodies, 40 MB each and a second apart: with their lists, blocks of 256 bytes take 16 MB a copy, of 512 and of
// 1024 bytes 17 MB; the smaller ones take longer.
const blockSize = 1024

// Store has the contents of copies. Use NewStore. It is not safe for concurrent use.
type Store struct {
	blocks map[uint64]*block // by hash
	size   int               // bytes of all blocks
	seed   maphash.Seed
	plain  map[reflect.Type]bool // by isPlain
}

// block is content that copies share.
type block struct {
	uses int // places that have it
	hash uint64
	data []byte
}

// Copy is a copy whose contents go into a Store.
type Copy struct {
	store  *Store
	slices []slice // one within the elements of another stands after it
	taken  int     // the slices from here on are in the store
	left   int     // bytes of the others
}

// slice is a slice of a copy.
type slice struct {
	at       reflect.Value // where it is; invalid if that is in an element of a slice that is in the store
	parent   int           // the slice in an element of which it is
	offset   uintptr       // from the first element of the parent
	t        reflect.Type
	length   int // elements
	blocks   []*block
	pointers []pointer // what its elements have besides bytes
}

// pointer is a pointer, or another value that is more than bytes, in an element of a slice.
type pointer struct {
	offset uintptr // from the first element
	v      reflect.Value
}

// NewStore returns a store without contents.
func NewStore() *Store {
	return &Store{blocks: map[uint64]*block{}, seed: maphash.MakeSeed(), plain: map[reflect.Type]bool{}}
}

// Size returns the memory of the blocks in bytes.
func (s *Store) Size() int { return s.size }

// New returns copied, a pointer to a copy of what the pointer original points to, as one whose contents Take takes. What the
// two share stays in the copy.
func (s *Store) New(copied, original any) *Copy {
	w := walk{store: s, seen: map[visit]bool{}}
	w.visit(reflect.ValueOf(copied), reflect.ValueOf(original))
	c := &Copy{store: s, slices: w.arrange()}
	c.taken = len(c.slices)
	for i := range c.slices {
		c.left += len(contents(c.slices[i].at))
	}
	return c
}

// Left returns how many bytes Take has not taken yet.
func (c *Copy) Left() int { return c.left }

// Take moves about n bytes of the copy into the store, or what is left. From now on the copy may only be used between
// Fill and Empty.
func (c *Copy) Take(n int) {
	for c.taken > 0 && n > 0 {
		c.taken--
		p := &c.slices[c.taken]
		if !c.store.isPlain(p.t.Elem()) {
			first := p.at.Pointer()
			for i := range p.length {
				p.pointers = c.takePointers(p.pointers, p.at.Index(i), first)
			}
			for i := c.taken + 1; i < len(c.slices); i++ {
				if c.slices[i].parent == c.taken {
					c.slices[i].at = reflect.Value{}
				}
			}
		}
		content := contents(p.at)
		n, c.left = n-len(content), c.left-len(content)
		p.blocks = c.store.keep(content)
		p.at.SetZero()
	}
}

// Fill puts the contents that were taken back, in memory of their own, until Empty.
func (c *Copy) Fill() {
	for i := c.taken; i < len(c.slices); i++ {
		p := &c.slices[i]
		if p.parent >= c.taken {
			p.at = at(c.slices[p.parent].at, p.offset, p.t)
		}
		v := reflect.MakeSlice(p.t, p.length, p.length)
		to := contents(v)
		for _, b := range p.blocks {
			to = to[copy(to, b.data):]
		}
		for _, q := range p.pointers {
			at(v, q.offset, q.v.Type()).Set(q.v)
		}
		p.at.Set(v)
	}
}

// Empty forgets the memory that Fill has filled. The copy must be as Fill left it.
func (c *Copy) Empty() {
	for i := c.taken; i < len(c.slices); i++ {
		if p := &c.slices[i]; p.parent >= c.taken {
			p.at = reflect.Value{}
		} else {
			p.at.SetZero()
		}
	}
}

// Drop removes the contents from the store. The copy is lost.
func (c *Copy) Drop() {
	for i := c.taken; i < len(c.slices); i++ {
		for _, b := range c.slices[i].blocks {
			c.store.release(b)
		}
	}
	c.slices, c.taken, c.left = nil, 0, 0
}

// takePointers appends what v has besides bytes, and clears it there. first is the address of the first element.
func (c *Copy) takePointers(list []pointer, v reflect.Value, first uintptr) []pointer {
	t := v.Type()
	if c.store.isPlain(t) {
		return list
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			list = c.takePointers(list, v.Field(i), first)
		}
	case reflect.Array:
		for i := range t.Len() {
			list = c.takePointers(list, v.Index(i), first)
		}
	default:
		if v = settable(v); !v.IsZero() {
			x := reflect.New(t).Elem()
			x.Set(v)
			list = append(list, pointer{v.UnsafeAddr() - first, x})
			v.SetZero()
		}
	}
	return list
}

// at returns the value of a type at a distance from the first element of a slice.
func at(list reflect.Value, offset uintptr, t reflect.Type) reflect.Value {
	return reflect.NewAt(t, unsafe.Add(list.UnsafePointer(), offset)).Elem()
}

// settable returns v without the protection of unexported fields.
func settable(v reflect.Value) reflect.Value {
	if v.CanSet() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// contents returns the memory of the elements of a slice.
func contents(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

// keep returns the blocks of a content.
func (s *Store) keep(content []byte) []*block {
	list := make([]*block, 0, (len(content)+blockSize-1)/blockSize)
	for len(content) > 0 {
		n := min(blockSize, len(content))
		list = append(list, s.block(content[:n]))
		content = content[n:]
	}
	return list
}

// block returns the block that has some data.
func (s *Store) block(data []byte) *block {
	h := maphash.Bytes(s.seed, data)
	b := s.blocks[h]
	if b != nil && bytes.Equal(b.data, data) {
		b.uses++
		return b
	}
	n := &block{1, h, bytes.Clone(data)}
	s.size += len(data)
	if b == nil {
		s.blocks[h] = n
	}
	return n
}

// release gives up one use of a block.
func (s *Store) release(b *block) {
	if b.uses--; b.uses > 0 {
		return
	}
	s.size -= len(b.data)
	if s.blocks[b.hash] == b {
		delete(s.blocks, b.hash)
	}
}
