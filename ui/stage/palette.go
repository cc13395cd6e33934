package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim"
)

// This file has every colour with a meaning, once. No two meanings share a colour, and colours that appear
// together differ for all kinds of colour vision (TestPalette). Sides keep the roles of
// Fiedler's demo: red is the client, yellow the server. Many others began as those of Okabe and Ito (2008).

// The colours of bodies and ghosts.
var (
	firstPlayers = [4]render.Color{{R: 204, G: 24, B: 19, A: 255}, {R: 0, G: 74, B: 170, A: 255}, {R: 0, G: 190, B: 77, A: 255}, {R: 176, G: 145, B: 120, A: 255}}
	PlayerColors = playerColors()
	ClientColor  = PlayerColors[0] // the viewer is player 1

	ServerColor    = render.Color{R: 241, G: 190, B: 40, A: 255}  // ghosts, and the player's body in the server's picture
	ReceivedColor  = render.Color{R: 0, G: 200, B: 255, A: 255}   // ghost of the last received snapshot
	SimulatedColor = render.Color{R: 208, G: 7, B: 148, A: 255}   // outlines of simulated poses
	UnownedColor   = render.Color{R: 224, G: 224, B: 217, A: 255} // bodies that nobody touches
	staticColor    = render.Color{R: 108, G: 121, B: 173, A: 255}
	carrierColor   = render.Color{R: 89, G: 150, B: 129, A: 255}
	UnknownColor   = render.Color{R: 62, G: 62, B: 66, A: 255}    // bodies of which the client has no state
	FallbackColor  = render.Color{R: 186, G: 133, B: 249, A: 255} // mixed into bodies whose prediction is off
)

// The colours of bodies while a setting colours them.
var (
	PredictedColor    = render.Color{R: 220, G: 115, B: 0, A: 255}
	InterpolatedColor = render.Color{R: 70, G: 70, B: 200, A: 255}
	RootColor         = render.Color{R: 226, G: 106, B: 3, A: 255} // roots of joint trees

	EncodingColors = [...]render.Color{
		predict.NeverReceived:    UnknownColor,
		predict.Absolute:         {R: 214, G: 130, B: 34, A: 255},
		predict.RelativeToPlayer: {R: 20, G: 70, B: 150, A: 255},
		predict.DeltaEncoded:     {R: 24, G: 173, B: 115, A: 255},
	}

	// colorRamp are the colours from the lowest to the highest value. Lightness grows along the ramp, so that it
	// works for all kinds of colour vision (TestRamp).
	colorRamp = [...]render.Color{
		{R: 82, G: 36, B: 126, A: 255}, {R: 64, G: 84, B: 168, A: 255}, {R: 32, G: 128, B: 160, A: 255},
		{R: 44, G: 172, B: 116, A: 255}, {R: 92, G: 200, B: 100, A: 255}, {R: 150, G: 225, B: 90, A: 255},
	}

	// ErrorRamp are the colours of path errors of 0, 1 cm, 10 cm and 1 m. Lightness falls along the ramp, so that a
	// body that is right is pale, and the worst are the darkest (TestErrorRamp).
	ErrorRamp = [...]render.Color{
		{R: 240, G: 238, B: 232, A: 255}, {R: 246, G: 176, B: 130, A: 255}, {R: 228, G: 76, B: 62, A: 255}, {R: 120, G: 8, B: 116, A: 255},
	}
)

// The colours of lines in the picture.
var (
	ParentColor    = render.Color{R: 239, G: 132, B: 59, A: 255}  // box of the player's parent
	CandidateColor = render.Color{R: 60, G: 110, B: 230, A: 255}  // boxes of other possible parents
	OpenJointColor = render.Color{R: 201, G: 255, B: 0, A: 255}   // marks of open joints
	HitColor       = render.Color{R: 0, G: 168, B: 72, A: 255}    // rays that hit, and the body then
	MissColor      = render.Color{R: 46, G: 50, B: 60, A: 255}    // rays that miss
	UnrewoundColor = render.Color{R: 28, G: 110, B: 255, A: 255}  // rays resolved without rewind
	DragColor      = render.Color{R: 120, G: 60, B: 200, A: 255}  // from a held body to where it is dragged
	CalloutColor   = render.Color{R: 255, G: 90, B: 235, A: 255}  // frame of an explained body
	beforeColor    = render.Color{R: 255, G: 236, B: 190, A: 255} // a corrected body, one tick before
	FocusColor     = render.Color{R: 255, G: 255, B: 255, A: 255} // frame of the focused pane
)

// The colours of texts, keys and graphs.
var (
	TextColor       = render.Color{R: 240, G: 243, B: 246, A: 255}
	DimTextColor    = render.Color{R: 178, G: 186, B: 196, A: 255}
	AlertColor      = render.Color{R: 255, G: 92, B: 80, A: 255} // texts that warn
	BackgroundColor = render.Color{R: 22, G: 26, B: 32, A: 255}
	PanelColor      = BackgroundColor.ScaleAlpha(0.75)
	GaugePanelColor = BackgroundColor.ScaleAlpha(0.82)
	EmptyColor      = render.Color{R: 58, G: 65, B: 75, A: 255} // keys that are up, and empty cells
	KeyDownColor    = render.Color{R: 206, G: 220, B: 236, A: 255}
	GridlineColor   = render.Color{R: 90, G: 98, B: 110, A: 160}
	EventColor      = render.Color{R: 255, G: 120, B: 170, A: 160} // marks of events in graphs
	ExplainColor    = render.Color{R: 255, G: 190, B: 110, A: 255} // sentences about events

	// CurveColor is the colour of the curves of graphs.
	CurveColor = render.Color{R: 130, G: 175, B: 255, A: 255}

	// NoticeColor is the colour of the window's messages, and NoticeBackground that behind them.
	NoticeColor      = render.Color{R: 250, G: 252, B: 254, A: 255}
	NoticeBackground = render.Color{R: 66, G: 75, B: 88, A: 255}
)

// The colours of bars that compare panes.
var (
	BestBarColor  = render.Color{R: 58, G: 158, B: 96, A: 255}   // the best pane
	BestTextColor = render.Color{R: 112, G: 222, B: 152, A: 255} // its headline
	WideBarColor  = render.Color{R: 222, G: 146, B: 66, A: 255}  // in a picture, the others
	BarColor      = render.Color{R: 92, G: 104, B: 122, A: 255}
	BarBackground = render.Color{R: 36, G: 41, B: 49, A: 255}
)

// TimelineColors are the colours of the timeline's bar.
var TimelineColors = struct {
	Background, Track, Text, DimText, Cursor, Span        render.Color
	Losses, Corrections, Shots, Stalls, Faults, Bookmarks render.Color
	Effects, Withdrawn                                    render.Color
}{
	Background: BackgroundColor, Track: render.Color{R: 44, G: 50, B: 59, A: 255}, Text: TextColor, DimText: DimTextColor, Cursor: FocusColor,
	Span:        render.Color{R: 64, G: 92, B: 138, A: 255},
	Losses:      render.Color{R: 138, G: 150, B: 168, A: 255},
	Corrections: render.Color{R: 255, G: 128, B: 176, A: 255},
	Shots:       render.Color{R: 0, G: 174, B: 130, A: 255},
	Stalls:      render.Color{R: 230, G: 150, B: 30, A: 255},
	Faults:      render.Color{R: 214, G: 52, B: 38, A: 255},
	Bookmarks:   render.Color{R: 250, G: 240, B: 120, A: 255},
	Effects:     render.Color{R: 118, G: 196, B: 232, A: 255},
	Withdrawn:   render.Color{R: 172, G: 122, B: 226, A: 255},
}

// The colours of the parts of packets.
var (
	HeaderColor   = render.Color{R: 150, G: 158, B: 168, A: 255}
	InputColor    = render.Color{R: 241, G: 172, B: 43, A: 255}
	UpdateColor   = render.Color{R: 84, G: 192, B: 240, A: 255}
	IndexColor    = render.Color{R: 200, G: 230, B: 130, A: 255}
	RotationColor = render.Color{R: 0, G: 156, B: 109, A: 255}
)

// LaneColors are the colours of datagrams in the packet lanes.
var LaneColors = [predict.PacketKindCount]render.Color{
	predict.AcksOnly:     HeaderColor,
	predict.Inputs:       InputColor,
	predict.Snapshots:    {R: 152, G: 84, B: 252, A: 255},
	predict.StateUpdates: UpdateColor,
	predict.Fragments:    {R: 164, G: 92, B: 168, A: 255},
	predict.Messages:     {R: 204, G: 240, B: 152, A: 255},
}

// CorrectionColor is the colour of corrections in the packet lanes: that of graphs, opaque.
var CorrectionColor = opaque(EventColor)

func opaque(c render.Color) render.Color {
	c.A = 255
	return c
}

// The colours of slots of the server's playout buffer of inputs.
var (
	WaitingColor   = render.Color{R: 117, G: 197, B: 241, A: 255}
	OwnInputColor  = render.Color{R: 40, G: 160, B: 90, A: 255} // used in its own tick
	MissingColor   = render.Color{R: 241, G: 157, B: 68, A: 255}
	RepeatedColor  = render.Color{R: 185, G: 117, B: 234, A: 255}
	LateInputColor = render.Color{R: 200, G: 60, B: 30, A: 255}
)

// StageColors are the colours of the latency stages. Stages that are not measured are hatched, in unmeasuredColor.
var (
	unmeasuredColor = render.Color{R: 138, G: 147, B: 160, A: 255}

	StageColors = [probe.StageCount]render.Color{
		probe.OSInputStage:      unmeasuredColor,
		probe.ClientTickStage:   {R: 236, G: 148, B: 83, A: 255},
		probe.UplinkStage:       {R: 101, G: 162, B: 247, A: 255},
		probe.ServerBufferStage: {R: 200, G: 200, B: 134, A: 255},
		probe.ServerSendStage:   {R: 33, G: 140, B: 114, A: 255},
		probe.DownlinkStage:     {R: 60, G: 100, B: 200, A: 255},
		probe.ClientBufferStage: {R: 190, G: 80, B: 30, A: 255},
		probe.RenderStage:       {R: 199, G: 111, B: 190, A: 255},
		probe.DisplayStage:      unmeasuredColor,
	}
)

// playerColors returns the colours of all players: those of the fifth to the eighth are darker ones of the first four.
func playerColors() (list [sim.MaxPlayers]render.Color) {
	for i := range list {
		if list[i] = firstPlayers[i%4]; i >= 4 {
			list[i] = list[i].Mix(render.Color{A: 255}, 0.45)
		}
	}
	return list
}
