//go:build js && !headless

package assets

import "embed"

// Mechanisms is empty in a page, which shows none.
var Mechanisms []byte

// Claims is empty in a page, which tests none.
var Claims embed.FS
