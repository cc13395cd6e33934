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

// Forget forgets a client's inputs and acknowledgements.
func (s *Server) Forget(peer int) {
	s.Receiver.Forget(peer)
	s.Broadcast.Forget(peer, s.Env.World.Tick())
}

// CopyFrom makes s a copy of o, except for its env.
func (s *Server) CopyFrom(o *Server) {
	s.World.CopyFrom(&o.World)
	s.Receiver.CopyFrom(&o.Receiver)
	s.Broadcast.CopyFrom(&o.Broadcast)
}

// Inspect reports what the sides of a strategy know of their packets.
func Inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := s.(interface{ embedded() *Server }).embedded(), c.(interface{ embedded() *Client }).embedded()
	if client.Env.Player >= 0 {
		server.Receiver.Inspect(&l.InputBuffer, 0, server.Env.World.Tick())
	}
	client.inspect(l)
}

// Progress reports the newest input used and the newest state sent.
func (s *Server) Progress(to *predict.InputProgress) {
	to.Consumed, to.StateSent = s.Receiver.ConsumedTick(0), s.Broadcast.SentTick()
	to.DropsMissing = !s.Receiver.Settings.KeepLast
}

// Progress reports the newest input sampled, and the newest states received and drawn.
func (c *Client) Progress(to *predict.InputProgress) { c.progress(to, c.Inputs.SampledTick()) }

func (s *Server) embedded() *Server { return s }
func (c *Client) embedded() *Client { return c }
