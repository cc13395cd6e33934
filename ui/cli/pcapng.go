//go:build !js || headless

package cli

import (
	"bufio"
	_ "embed" // of the dissector
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

// dissector is a dissector for Wireshark, in Lua. Its layout of headers and payloads is generated from
// docs/reference/wire.md: go test ./ui/cli -run TestDissectorLayout -update.
//
//go:embed ghostcube.lua
var dissector string

// Ports of the datagrams in captures. Client n, from 0, has clientPort+n.
const (
	serverPort = 40000
	clientPort = serverPort + 1
)

// The blocks of a pcapng file and the options that are written (IETF, draft-ietf-opsawg-pcapng, PCAP Next Generation
// Capture File Format).
const (
	sectionBlock   = 0x0A0D0D0A
	interfaceBlock = 1
	packetBlock    = 6 // the Enhanced Packet Block

	commentOption     = 1
	applicationOption = 4 // of a section
	nameOption        = 2 // of an interface
	descriptionOption = 3
	resolutionOption  = 9

	byteOrderMagic = 0x1A2B3C4D
	linkTypeRaw    = 101 // IP without a header of the link
	nanoseconds    = "\x09"
)

// Sizes of the headers of IPv4, without options, and UDP, in bytes.
const (
	ipv4HeaderBytes = 20
	udpHeaderBytes  = 8
)

// beginBlock begins a block in the memory of b.
func beginBlock(b []byte, kind uint32) []byte {
	b = binary.LittleEndian.AppendUint32(b[:0], kind)
	return binary.LittleEndian.AppendUint32(b, 0) // the length, which endBlock knows
}

// endBlock completes a block.
func endBlock(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0) // the end of the options: code and length
	n := uint32(len(b) + 4)
	binary.LittleEndian.PutUint32(b[4:], n)
	return binary.LittleEndian.AppendUint32(b, n)
}

// appendPadded appends bytes and zeros to the next multiple of four.
func appendPadded(b, data []byte) []byte {
	b = append(b, data...)
	return append(b, make([]byte, -len(data)&3)...)
}

// appendOption appends an option, which has at most 64 KiB.
func appendOption(b []byte, code uint16, value string) []byte {
	value = value[:min(len(value), 1<<16-1)]
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return appendPadded(b, []byte(value))
}

// ipEndpoint is an address and port of UDP over IPv4.
type ipEndpoint struct {
	address [4]byte
	port    uint16
}

// captureEndpoints returns the server's endpoint in a pane, from 1, and that of a client, from 0.
func captureEndpoints(pane, client int) (server, of ipEndpoint) {
	return ipEndpoint{[4]byte{10, byte(pane), 0, 1}, serverPort},
		ipEndpoint{[4]byte{10, byte(pane), 0, byte(client + 2)}, clientPort + uint16(client)}
}

// onesComplement returns the sum of 16-bit words in ones' complement that IP and UDP use (RFC 1071), added to sum.
func onesComplement(sum uint32, b []byte) uint16 {
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	if len(b)%2 == 1 {
		sum += uint32(b[len(b)-1]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// appendIP appends a datagram with headers of IPv4 and UDP.
func appendIP(b []byte, from, to ipEndpoint, datagram []byte) []byte {
	const protocolUDP, noFragments, hops = 17, 0x4000, 64
	at, size := len(b), udpHeaderBytes+len(datagram)
	b = append(b, 0x45, 0) // version 4, five words
	b = binary.BigEndian.AppendUint16(b, uint16(ipv4HeaderBytes+size))
	b = binary.BigEndian.AppendUint16(b, 0) // identification, of fragments
	b = binary.BigEndian.AppendUint16(b, noFragments)
	b = append(b, hops, protocolUDP, 0, 0)
	b = append(append(b, from.address[:]...), to.address[:]...)
	binary.BigEndian.PutUint16(b[at+10:], ^onesComplement(0, b[at:]))
	addresses, udp := b[at+12:], len(b)
	b = binary.BigEndian.AppendUint16(b, from.port)
	b = binary.BigEndian.AppendUint16(b, to.port)
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	b = append(append(b, 0, 0), datagram...)
	pseudoHeader := onesComplement(protocolUDP+uint32(size), addresses[:8])
	checksum := ^onesComplement(uint32(pseudoHeader), b[udp:])
	if checksum == 0 {
		checksum = 0xffff // 0 stands for no checksum
	}
	binary.BigEndian.PutUint16(b[udp+6:], checksum)
	return b
}

// captureWriter writes the datagrams of a session as a pcapng file, each where and when it is sent. A pane is an
// interface, with the pane's spec as its description; with other settings it gets another interface.
type captureWriter struct {
	out        io.Writer
	lab        *lab.Lab
	only       int             // pane that is written, from 1; 0: all
	from, end  time.Duration   // session time
	panes      []*capturedPane // in order of appearance
	interfaces int
	sent       []sentDatagram // in the last tick
	bytes      []byte         // theirs
	block, ip  []byte
	err        error
}

// capturedPane is a pane and its present interface.
type capturedPane struct {
	pane   *lab.Pane
	number int // from 1 in order of appearance
	spec   string
	id     int
	next   []int // by client and direction: index in its flow of the first datagram that is not written
}

// sentDatagram is a datagram that is to be written.
type sentDatagram struct {
	pane       *capturedPane
	client     int
	direction  link.Direction
	record     trace.Record
	begin, end int // in bytes
}

// writeCapture runs a session and prints its datagrams after a number of ticks as a pcapng file.
func (c *packetsCommand) writeCapture(p *program, planned *plan.Plan, lead, only int) error {
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	l.TraceDatagrams(true)
	n, err := c.ticks(planned, lead)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.Stdout)
	rate := time.Duration(planned.Config.Rate)
	w := &captureWriter{out: out, lab: l, only: only + 1,
		from: time.Duration(lead) * time.Second / rate, end: time.Duration(n) * time.Second / rate}
	w.beginSection(&planned.Config)
	ctx, stop := untilSignal()
	defer stop()
	if err := session.Run(ctx, l, planned.Entries(n), nil, func(int) error { return w.afterTick() }); err != nil {
		return usageError{err}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return cutShort(l, n)
}

// write writes a block.
func (w *captureWriter) write(b []byte) {
	w.block = endBlock(b)
	if w.err == nil {
		_, w.err = w.out.Write(w.block)
	}
}

// beginSection writes the head of the file, which names the session.
func (w *captureWriter) beginSection(c *lab.Config) {
	b := beginBlock(w.block, sectionBlock)
	b = binary.LittleEndian.AppendUint32(b, byteOrderMagic)
	b = binary.LittleEndian.AppendUint32(b, 1)          // version 1.0
	b = binary.LittleEndian.AppendUint64(b, ^uint64(0)) // as long as the file
	b = appendOption(b, applicationOption, "ghostcube "+Version)
	w.write(appendOption(b, commentOption, fmt.Sprintf("scene %s, network %s, seed %d", c.Scene, c.Network.String(), c.Network.Seed)))
}

// afterTick writes the datagrams of the last tick by the time of their sending.
func (w *captureWriter) afterTick() error {
	w.sent, w.bytes = w.sent[:0], w.bytes[:0]
	for _, p := range w.lab.Panes {
		x := w.captured(p)
		x.next = append(x.next, make([]int, max(2*len(p.Clients)-len(x.next), 0))...)
		for k := range p.Clients {
			for _, d := range []link.Direction{link.Up, link.Down} {
				w.collect(x, k, d)
			}
		}
	}
	slices.SortStableFunc(w.sent, func(a, b sentDatagram) int { return int(min(max(a.record.SentAt-b.record.SentAt, -1), 1)) })
	for i := range w.sent {
		w.addDatagram(&w.sent[i])
	}
	return w.err
}

// captured returns what is known of a pane.
func (w *captureWriter) captured(p *lab.Pane) *capturedPane {
	i := slices.IndexFunc(w.panes, func(x *capturedPane) bool { return x.pane == p })
	if i < 0 {
		i = len(w.panes)
		w.panes = append(w.panes, &capturedPane{pane: p, number: i + 1})
	}
	return w.panes[i]
}

// describe writes an interface for a pane that has none, or other settings since.
func (w *captureWriter) describe(x *capturedPane) {
	spec := x.pane.Spec()
	if spec == x.spec {
		return
	}
	x.spec, x.id = spec, w.interfaces
	w.interfaces++
	b := beginBlock(w.block, interfaceBlock)
	b = binary.LittleEndian.AppendUint32(b, linkTypeRaw)
	b = binary.LittleEndian.AppendUint32(b, 0) // packets are whole
	b = appendOption(b, nameOption, fmt.Sprintf("pane %d", x.number))
	b = appendOption(b, descriptionOption, spec)
	w.write(appendOption(b, resolutionOption, nanoseconds))
}

// collect takes the datagrams of a client and a direction that have not been written.
func (w *captureWriter) collect(x *capturedPane, client int, d link.Direction) {
	f, next := x.pane.Datagrams().Flow(client, d), &x.next[2*client+int(d)]
	for *next = max(*next, f.First()); *next < f.Total(); *next++ {
		r := f.At(*next)
		if r.SentAt < w.from || r.SentAt >= w.end || w.only != 0 && w.only != x.number {
			continue
		}
		begin := len(w.bytes)
		var ok bool
		if w.bytes, ok = f.AppendBytes(w.bytes, *next); !ok {
			w.err = fmt.Errorf("a tick at %.3f s sends more than %d bytes", r.SentAt.Seconds(), trace.MaxBytes)
			return
		}
		w.sent = append(w.sent, sentDatagram{x, client, d, *r, begin, len(w.bytes)})
	}
}

// addDatagram writes a datagram.
func (w *captureWriter) addDatagram(s *sentDatagram) {
	w.describe(s.pane)
	to, from := captureEndpoints(s.pane.number, s.client)
	if s.direction == link.Down {
		from, to = to, from
	}
	w.ip = appendIP(w.ip[:0], from, to, w.bytes[s.begin:s.end])
	b := beginBlock(w.block, packetBlock)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.pane.id))
	b = binary.LittleEndian.AppendUint32(b, uint32(uint64(s.record.SentAt)>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(uint64(s.record.SentAt)&(1<<32-1)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.ip))) // as captured
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.ip)))
	b = appendPadded(b, w.ip)
	if what := outcome(&s.record); what != arrives {
		b = appendOption(b, commentOption, what)
	}
	w.write(b)
}
