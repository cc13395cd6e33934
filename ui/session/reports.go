package session

// Reports makes the reports of sessions by another copy of the program, which runs the session's tape.
type Reports struct {
	session *Session

	finished chan report // nil: none is being made
}

// report is a finished report.
type report struct {
	file string
	err  error
}

// Start starts a report of the session so far: its scores, as the command play prints them.
func (r *Reports) Start() {
	s := r.session
	if r.finished != nil {
		s.Notices.Post("a report is being made")
		return
	}
	b, err := s.Files.tapeSoFar()
	if err != nil {
		s.Notices.Post("there is no report: " + err.Error())
		return
	}
	finished, name := make(chan report, 1), s.Files.UnusedName("report", ".json")
	r.finished = finished
	go func() {
		output, _, err := s.Platform.Run([]string{"play", videoTape, "--format", "json"}, map[string][]byte{videoTape: b}, "", func(float64) {})
		if err == nil {
			name, err = writeUnnamed(name, []byte(output+"\n"))
		}
		finished <- report{name, err}
	}()
	s.Notices.Post("the report is being made")
}

// Poll delivers a finished report and returns a message, or an empty text.
func (r *Reports) Poll() string {
	if r.finished == nil {
		return ""
	}
	select {
	case x := <-r.finished:
		r.finished = nil
		if x.err != nil {
			return "the report failed: " + x.err.Error()
		}
		return "report: " + r.session.Platform.Deliver(x.file)
	default:
		return ""
	}
}
