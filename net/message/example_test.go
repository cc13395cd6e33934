package message_test

import (
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/message"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

// A packet that carries a state, messages and a part of a block.
func Example() {
	a, b := link.Pair(&link.Network{}, 0)
	server, client := packet.NewEndpoint(a), packet.NewEndpoint(b)
	events, heard := message.NewChannel(message.Config{}), message.NewChannel(message.Config{})
	out, in := message.NewBlockChannel(32000, 1<<20), message.NewBlockChannel(32000, 1<<20)

	events.Send([]byte("goal"))
	out.Sender.Send([]byte("a map"))
	now := time.Second

	// The server's side of a tick: write, then tell which packet it was.
	var w quant.Coder
	w.BeginWrite(make([]byte, 256))
	w.Bits(42, 7) // the state
	events.Write(&w, now, server.Stats.RTT, 8*200)
	payload := out.Write(w.FinishWrite(), now, server.Stats.RTT)
	events.PacketSent(server.Send(payload))

	// The client's: read in the same order, whatever comes.
	client.Update(now)
	for p, ok := client.Receive(); ok; p, ok = client.Receive() {
		var r quant.Coder
		r.BeginRead(p.Payload)
		state := r.Bits(0, 7)
		heard.Read(&r)
		if part := message.Remaining(&r, p.Payload); len(part) > 0 {
			in.Read(part)
		}
		fmt.Println("state", state)
	}
	for m, ok := heard.Receive(); ok; m, ok = heard.Receive() {
		fmt.Printf("message %s\n", m)
	}
	if block, ok := in.Receiver.Receive(nil); ok {
		fmt.Printf("block %s\n", block)
	}
	heard.Acknowledge(client.Acks()) // of the client's own packets; the server does the same

	// Output:
	// state 42
	// message goal
	// block a map
}
