package input

import (
	"math/rand/v2"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// TestPacketClock checks that ticks of any width are completed correctly although the client stands
// still for up to a minute, the network loses packets for as long, and packets arrive late, and that
// a client that skips ticks is never taken to go back.
func TestPacketClock(t *testing.T) {
	t.Parallel()
	for tickBits := MinTickBits; tickBits <= 16; tickBits += 4 {
		for _, skips := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, uint64(tickBits)))
			var k packetClock
			type sent struct {
				sequence packet.Sequence
				tick     sim.Tick
			}
			var late []sent // packets that arrive after newer ones
			server, client := sim.Tick(5000), sim.Tick(5000)
			sequence, newest := packet.Sequence(0), sim.Tick(0)
			receive := func(p sent) sim.Tick {
				var c quant.Coder
				m := Message{TickBits: tickBits, NewestTick: p.tick, Inputs: make([]sim.Input, 1)}
				buffer := make([]byte, 64)
				c.BeginWrite(buffer)
				m.Code(&c)
				c.BeginRead(c.FinishWrite())
				k.decode(&c, &m, p.sequence, server)
				k.accept(&m, p.sequence)
				return m.NewestTick
			}
			for range 3000 {
				server++
				p := sent{sequence, client}
				sequence, client = sequence+1, client+1
				switch {
				case rng.IntN(100) == 0:
					server += sim.Tick(rng.IntN(3600)) // the client stands still
					if skips {
						client += sim.Tick(rng.IntN(1 << tickBits))
					}
				case rng.IntN(100) == 0: // an outage
					n := rng.IntN(3600)
					server, client, sequence = server+sim.Tick(n), client+sim.Tick(n), sequence+packet.Sequence(n)
				case rng.IntN(10) == 0:
					late = append(late, p)
					continue
				}
				got := receive(p)
				if !skips && got != p.tick {
					t.Fatalf("%d bits: tick %d is taken for %d", tickBits, p.tick, got)
				}
				if got <= newest {
					t.Fatalf("%d bits: tick %d is taken for %d after %d", tickBits, p.tick, got, newest)
				}
				newest = got
				for ; !skips && len(late) > 0 && rng.IntN(4) == 0; late = late[1:] {
					if got := receive(late[0]); got != late[0].tick {
						t.Fatalf("%d bits: tick %d, which arrives late, is taken for %d", tickBits, late[0].tick, got)
					}
				}
			}
		}
	}
}
