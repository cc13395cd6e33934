package session

import "ghostcube/render/video"

// StopVideo ends the recording of a video in a format of its own.
func StopVideo(s *Session, f video.Format, title string) error { return s.Videos.stop(f, title, false) }
