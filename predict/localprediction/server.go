package localprediction

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
)

// Server is a server that plays out inputs and broadcasts snapshots, each with the client tick of the
// input that led to it. A strategy embeds Server, and its Tick says what happens in which order.
type Server struct {
	serverworld.World
	Receiver  input.PlayoutReceiver
	Broadcast codec.Broadcast

	writeHeader func(c *quant.Coder, peer int)
}

// Declare declares the knobs and counters in the order in which the panel lists them. declareOwn declares
// those of the strategy, and writeOwn writes its own fields after the header; both may be nil.
func (s *Server) Declare(env *predict.Env, declareOwn func(), writeOwn func(c *quant.Coder, peer int)) {
	s.Receiver.Declare(env)
	s.World.Declare(env)
	s.Broadcast.DeclareRemote(env)
	if declareOwn != nil {
		declareOwn()
	}
	s.DeclareSolver()
	s.writeHeader = func(c *quant.Coder, peer int) {
		header := codec.NewConsumedHeader(&s.Receiver.Buffers[peer])
		header.Code(c, 0)
		if writeOwn != nil {
			writeOwn(c, peer)
		}
	}
}

// Send sends the state with the client tick of the input that led to it.
func (s *Server) Send(peers []predict.Peer) {
	s.Broadcast.SendWithHeader(s.writeHeader, s.Env.World, peers, s.Inputs)
}

// CopyFrom makes s a copy of o, except for its env.
func (s *Server) CopyFrom(o *Server) {
	s.World.CopyFrom(&o.World)
	s.Receiver.CopyFrom(&o.Receiver)
	s.Broadcast.CopyFrom(&o.Broadcast)
}

// Inspect reports what the sides of a strategy know of their packets.
func Inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := shared(s, c)
	if client.Env.Player >= 0 {
		server.Receiver.Inspect(&l.InputBuffer, 0, server.Env.World.Tick())
	}
	client.inspect(l)
}

// Latency reports how far the inputs of the first client have come.
func Latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	server, client := shared(s, c)
	to.Consumed, to.StateSent = server.Receiver.ConsumedTick(0), server.Broadcast.SentTick()
	to.DropsMissing = !server.Receiver.Settings.KeepLast
	client.progress(to, client.Inputs.SampledTick())
}

// shared returns what the sides of a strategy embed.
func shared(s predict.Server, c predict.Client) (*Server, *Client) {
	return s.(interface{ embedded() *Server }).embedded(), c.(interface{ embedded() *Client }).embedded()
}

func (s *Server) embedded() *Server { return s }
func (c *Client) embedded() *Client { return c }
