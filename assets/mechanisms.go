//go:build !js || headless

package assets

import "embed"

// Mechanisms lists the mechanisms of the classic articles and the commands that show them, read by
// ui/plan. Nothing in a page shows it, so it is empty there.
//
//go:embed mechanisms.toml
var Mechanisms []byte

// Claims are the claims of the articles and the wider field, claims/NN-TOPIC.toml, read by ui/plan. The page has none.
//
//go:embed claims/*.toml
var Claims embed.FS
