//go:build js && !headless

package assets

// Mechanisms is empty in a page, which shows none.
var Mechanisms []byte
