package message_test

import (
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/message"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

// A packet with a state, messages and a slice of a block.
func Example() {
	a, b := link.Pair(&link.Network{}, 0)
	server, client := packet.NewEndpoint(a), packet.NewEndpoint(b)
	events, received := message.NewChannel(message.Config{}), message.NewChannel(message.Config{})
	out, in := message.NewBlockChannel(32000, 1<<20), message.NewBlockChannel(32000, 1<<20)

	events.Send([]byte("goal"))
	out.Sender.Send([]byte("a map"))
	now := time.Second

	// Server: write, then report the packet's sequence number.
	var w quant.Coder
	w.BeginWrite(make([]byte, 256))
	w.Bits(42, 7) // the state
	events.Write(&w, now, server.Stats.RTT, 8*200)
	payload := out.Write(w.FinishWrite(), now, server.Stats.RTT)
	events.PacketSent(server.Send(payload))

	// Client: read in the same order.
	client.Update(now)
	for p, ok := client.Receive(); ok; p, ok = client.Receive() {
		var r quant.Coder
		r.BeginRead(p.Payload)
		state := r.Bits(0, 7)
		received.Read(&r)
		if rest := message.Remaining(&r, p.Payload); len(rest) > 0 {
			in.Read(rest)
		}
		fmt.Println("state", state)
	}
	for m, ok := received.Receive(); ok; m, ok = received.Receive() {
		fmt.Printf("message %s\n", m)
	}
	if block, ok := in.Receiver.Receive(nil); ok {
		fmt.Printf("block %s\n", block)
	}
	received.Acknowledge(client.Acks()) // of the client's packets; the server does the same

	// Output:
	// state 42
	// message goal
	// block a map
}
