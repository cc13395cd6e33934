// Package sweep keeps the results of a sweep: sessions of many panes on many networks, with many tapes and seeds. It
// stores each session as soon as it has ended, and makes tables, statistics and a report of them. It runs no session
// and knows no strategy.
package sweep

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Plan is what a sweep runs: its points, each with the same seeds.
type Plan struct {
	Title     string   `json:"title"`
	Panes     []string `json:"panes"`
	Baseline  string   `json:"baseline"` // of Panes: the one that the others are compared with
	FirstSeed uint64   `json:"first_seed"`
	Seeds     int      `json:"seeds"` // consecutive ones
	Points    []Point  `json:"points"`
	LeftOut   []string `json:"left_out"` // sentences that say which panes cannot run in which scenes
}

// Point is a point of a plan without its seeds.
type Point struct {
	Key        string            `json:"key"` // hash of everything that determines its sessions but the seed, with the program
	Pane       string            `json:"pane"`
	Strategy   string            `json:"strategy"`
	Spec       string            `json:"spec"`  // with the knobs of a preset
	Knobs      map[string]string `json:"knobs"` // of the spec
	Scene      string            `json:"scene"`
	Tape       string            `json:"tape"`
	Network    string            `json:"network"`
	Conditions string            `json:"network_conditions"`
	Seat       string            `json:"seat"`
	Rate       int               `json:"rate_hz"`
	Ticks      int               `json:"ticks"`
	Command    string            `json:"command"` // that runs it with all seeds
	Link       string            `json:"link"`    // to its first seed; empty: there is none
}

// Cell is the result of a session: a point with a seed.
type Cell struct {
	Key    string             `json:"key"`
	Seed   uint64             `json:"seed"`
	Hash   string             `json:"session_hash"` // of lab.Pane.Hash
	Values map[string]float64 `json:"values"`       // by the names of columns; a measure without a value is absent
}

// CellKey returns the key of the session of a point with a seed.
func CellKey(point string, seed uint64) string {
	h := sha256.New()
	h.Write([]byte(point))
	_ = binary.Write(h, binary.BigEndian, seed) // a hash returns no error
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Column describes a column of the results.
type Column struct {
	Name   string // with the unit at its end
	Unit   string
	Title  string
	Help   string
	Better string // how two values compare; empty: the column describes the session
	Digits int    // of a value in the report
	Leads  bool   // it stands in the report
}

// Missing returns the cells of a plan that a store lacks: the indices of their points and seeds, in the order of the plan.
func (p *Plan) Missing(s *Store) (list [][2]int) {
	for i := range p.Points {
		for k := range p.Seeds {
			if !s.Has(p.CellKey(i, k)) {
				list = append(list, [2]int{i, k})
			}
		}
	}
	return list
}

// Lacks returns how many cells of an earlier plan that a store has are not in this one.
func (p *Plan) Lacks(earlier *Plan, s *Store) (n int) {
	keys := map[string]bool{}
	for i := range p.Points {
		for k := range p.Seeds {
			keys[p.CellKey(i, k)] = true
		}
	}
	for i := range earlier.Points {
		for k := range earlier.Seeds {
			if key := earlier.CellKey(i, k); !keys[key] && s.Has(key) {
				n++
			}
		}
	}
	return n
}

// CellKey returns the key of the cell of point i with seed number k.
func (p *Plan) CellKey(i, k int) string { return CellKey(p.Points[i].Key, p.FirstSeed+uint64(k)) }

// Cells returns the number of cells.
func (p *Plan) Cells() int { return len(p.Points) * p.Seeds }
