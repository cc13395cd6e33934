// Package platform is what the window takes from the machine around it, apart from Ebitengine: a display, a clipboard,
// files that reach the user, the address of a page. On a desktop that is the operating system. In a browser it is the
// page, whose script page.js (ui/page) provides the functions that this package calls; files are kept in memory there
// until they are delivered.
package platform
