package timeline

// Limit sets the number of checkpoints.
func (t *Timeline) Limit(n int) { t.limit = n }

// Checkpoints returns the number of checkpoints.
func (t *Timeline) Checkpoints() int { return len(t.checkpoints) }
