// Traces writes the built-in traces of a link: two traces of a minute with nearly the same
// loss but very different behaviour. They are synthetic, modelled on a table of two Wi-Fi
// radios measured at 100 Hz (wiki of the SSL-A-Team's firmware):
//
//	link A: round trip p50 5.7 ms, p95 15.6, p99 109, max 1836; 1.86 % lost, up to 86 in a row
//	link B: round trip p50 7.2 ms, p99 9.7, max 116; 1.41 % lost, up to 4 in a row
//
// wifi-stall, after A, has short delays and one long stall: for 0.86 s everything is lost,
// and everything sent in the next 0.92 s arrives together at the end of the stall (p50 5.7 ms,
// p95 11.1, p99 322, max 925; 1.87 % lost, up to 43 samples of 20 ms in a row). wifi-scatter,
// after B, has single losses (p50 7.1 ms, p99 8.6, max 116; 1.53 % lost, never two in a row).
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"ghostcube/net/link"
)

const (
	sampleCount    = 3000
	sampleInterval = 20 * time.Millisecond
	ms             = time.Millisecond
)

func main() {
	writeTrace("wifi-stall", "Wi-Fi with a stall: 1.9 % loss, nearly all of it within one second",
		link.Conditions{Latency: 4900 * time.Microsecond, Jitter: 800 * time.Microsecond, Shape: link.LongTail, Loss: 0.004}, stall)
	writeTrace("wifi-scatter", "Wi-Fi with single losses: 1.5 % loss, never two in a row",
		link.Conditions{Latency: 6600 * time.Microsecond, Jitter: 600 * time.Microsecond, Shape: link.Gamma, Loss: 0.0141}, scatter)
}

// stall returns the additional delay of a datagram that is sent at a moment, and whether it is
// lost.
func stall(at time.Duration) (wait time.Duration, lost bool) {
	const begin, dead, long = 31 * time.Second, 860 * ms, 1780 * ms
	if in := at - begin; in >= 0 && in < long {
		return long - in, in < dead
	}
	if in := at % (4700 * ms); in < 80*ms { // a short delay now and then
		return 80*ms - in, false
	}
	return 0, false
}

func scatter(at time.Duration) (wait time.Duration, lost bool) {
	if at == 42*time.Second {
		return 109 * ms, false
	}
	return 0, false
}

func writeTrace(name, doc string, c link.Conditions, event func(time.Duration) (time.Duration, bool)) {
	file, err := os.Create(filepath.Join("traces", name+".csv"))
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(file)
	fmt.Fprintf(w, "# %s\n# synthetic: written by assets/make/traces, modelled on a measured link\ntime_s,rtt_ms,lost\n", doc)
	network := &link.Network{Seed: 1, Up: c}
	for i := range sampleCount {
		at := time.Duration(i) * sampleInterval
		f := network.Outcome(link.Up, 0, at, 0) // its delay serves as the round trip
		wait, lost := event(at)
		if f.Lost || lost {
			fmt.Fprintf(w, "%.2f,,1\n", at.Seconds())
			continue
		}
		fmt.Fprintf(w, "%.2f,%.1f,0\n", at.Seconds(), (f.Delay+wait).Seconds()*1000)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
