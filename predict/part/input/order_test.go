package input

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
)

// orderRun feeds a queue with the inputs of a client of which some packets are lost or late, and
// counts how many inputs are used, each once and in order.
type orderRun struct {
	settings  orderSettings
	redundant int                            // inputs in a packet
	lateness  func(tick int) (ticks int)     // of the packet with a tick's input; below 0: it is lost
	frozen    func(tick int) bool            // the client makes no tick
	check     func(tick int, used, late int) // tick of the server; the client's tick whose input it used, or -1; how long ago that was sampled
}

func (r *orderRun) run(t *testing.T, ticks int) {
	t.Helper()
	var m predict.Counters
	q := Queue{counters: newQueueCounters(&m)}
	type arrival struct{ at, newest int }
	var waiting []arrival
	sampledAt := []int{}
	for now := range ticks {
		if r.frozen == nil || !r.frozen(now) {
			newest := len(sampledAt)
			sampledAt = append(sampledAt, now)
			if late := r.lateness(now); late >= 0 {
				waiting = append(waiting, arrival{now + late, newest})
			}
		}
		left := waiting[:0]
		for _, a := range waiting {
			if a.at > now {
				left = append(left, a)
				continue
			}
			for i := max(a.newest-r.redundant+1, 0); i <= a.newest; i++ {
				q.insert(sim.Tick(i), sim.Input{Buttons: sim.Forward, Heading: uint8(i)})
			}
		}
		waiting = left
		newest, any := q.NewestTick()
		if !any {
			continue
		}
		before := q.ConsumedTick()
		in := q.Pop(q.order.advance(newest, &r.settings, 60), Repetition{Enabled: true, Time: 60000, Rate: 60})
		used, late := -1, 0
		if end := q.ConsumedTick(); end != before {
			used, late = int(end)-1, now-sampledAt[end-1]
			if in.Heading != uint8(used) {
				t.Fatalf("tick %d: the input of tick %d has heading %d", now, used, in.Heading)
			}
		}
		r.check(now, used, late)
	}
}

// lossy is the fate of packets of which three in ten are lost or late by up to two ticks.
func lossy(tick int) int {
	switch x := uint32(tick) * 2654435761 >> 16 % 10; {
	case x < 2:
		return -1
	case x == 2:
		return 2
	}
	return 0
}

// TestInputsInOrder checks that with an adaptive buffer and redundant inputs nearly every input is used
// although packets are lost and late, and that the order costs no delay over a perfect path; that a
// fixed buffer delays as told; that without redundancy lost inputs stay unused; and that a second after
// the client was frozen, or its packets were lost for a while, inputs are used again, and soon without
// much delay.
func TestInputsInOrder(t *testing.T) {
	perfect := func(int) int { return 0 }
	away := func(tick int) bool { return tick >= 600 && tick < 780 }
	adaptive := orderSettings{adaptiveBuffer, 2}
	for name, c := range map[string]struct {
		run              orderRun
		from             int // first tick that counts
		usedMin          float64
		usedMax          float64
		lateMin, lateMax int
	}{
		"perfect":   {orderRun{settings: adaptive, redundant: 1, lateness: perfect}, 1, 1, 1, 0, 0},
		"fixed":     {orderRun{settings: orderSettings{fixedBuffer, 4}, redundant: 1, lateness: perfect}, 61, 1, 1, 4, 4},
		"lossy":     {orderRun{settings: adaptive, redundant: 8, lateness: lossy}, 121, 0.985, 1, 1, maxAdaptiveTicks},
		"fixed 3":   {orderRun{settings: orderSettings{fixedBuffer, 3}, redundant: 8, lateness: lossy}, 121, 0.985, 1, 3, 3},
		"not again": {orderRun{settings: adaptive, redundant: 1, lateness: lossy}, 121, 0.7, 0.85, 0, 2},
		"frozen":    {orderRun{settings: adaptive, redundant: 8, lateness: perfect, frozen: away}, 800, 1, 1, 0, maxAdaptiveTicks},
		"outage": {orderRun{settings: adaptive, redundant: 64, lateness: func(tick int) int {
			if away(tick) {
				return -1
			}
			return 0
		}}, 840, 1, 1, 0, maxAdaptiveTicks},
	} {
		ticks, used, lateMin, lateMax := 0, 0, 1000, -1
		last := -1
		c.run.check = func(tick, input, late int) {
			if tick < c.from || tick >= 3000 {
				return
			}
			ticks++
			if input >= 0 {
				if input <= last {
					t.Errorf("%s: tick %d uses input %d after %d", name, tick, input, last)
				}
				last = input
				used++
				lateMin, lateMax = min(lateMin, late), max(lateMax, late)
			}
		}
		c.run.run(t, 3000)
		if share := float64(used) / float64(ticks); share < c.usedMin || share > c.usedMax || lateMin < c.lateMin || lateMax > c.lateMax {
			t.Errorf("%s: a share of %.4f of the inputs is used, %d to %d ticks late", name, share, lateMin, lateMax)
		}
	}
}
