//go:build !js || headless

package assets

import _ "embed" // for the variable below

// Mechanisms lists the mechanisms of the classic articles and the commands that show them, read by
// ui/plan. Nothing in a page shows it, so it is empty there.
//
//go:embed mechanisms.toml
var Mechanisms []byte
