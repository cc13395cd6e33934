package page

import (
	"fmt"
	"image"
	_ "image/gif" // pictures of the documentation
	_ "image/png"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Pages show a video where a picture in Markdown is a GIF that has one beside it: a fifth of the bytes.
const (
	animatedEnding = ".gif"
	videoEnding    = ".webm"
)

// pictureTag is a picture in rendered HTML.
var pictureTag = regexp.MustCompile(`<img src="([^"]+)" alt="([^"]*)">`)

// svgSize are the width and the height of a drawing.
var svgSize = regexp.MustCompile(`<svg[^>]* viewBox="0 0 (\d+) (\d+)"`)

// hasVideo reports whether a picture in the source has a video.
func hasVideo(source fs.FS, name string) bool {
	stem, isGIF := strings.CutSuffix(name, animatedEnding)
	if !isGIF {
		return false
	}
	_, err := fs.Stat(source, stem+videoEnding)
	return err == nil
}

// finishPictures gives pictures their sizes, so that nothing moves when they arrive, lets all but the first wait until
// they come into view, and makes videos of GIFs. files is the folder of the program's source.
func (p *sitePage) finishPictures(body string, files fs.FS) (string, error) {
	var failed error
	first := true
	body = pictureTag.ReplaceAllStringFunc(body, func(tag string) string {
		m := pictureTag.FindStringSubmatch(tag)
		name := path.Join("docs", path.Dir(p.File), m[1])
		w, h, err := pictureSize(files, name)
		if err != nil {
			failed = fmt.Errorf("%s: %s: %w", p.source, name, err)
			return tag
		}
		size := fmt.Sprintf(` width="%d" height="%d"`, w, h)
		if hasVideo(files, name) {
			first = false
			return `<video src="` + strings.TrimSuffix(m[1], animatedEnding) + videoEnding + `" aria-label="` + m[2] + `"` + size +
				` autoplay loop muted playsinline controls></video>`
		}
		wait := ` loading="lazy"`
		if first {
			wait = ""
		}
		first = false
		return `<img` + wait + size + strings.TrimPrefix(tag, "<img")
	})
	return body, failed
}

// pictureSize returns the size of a picture in pixels.
func pictureSize(files fs.FS, name string) (w, h int, err error) {
	if path.Ext(name) == ".svg" {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return 0, 0, err
		}
		m := svgSize.FindSubmatch(b)
		if m == nil {
			return 0, 0, fmt.Errorf("want a drawing with a width and a height")
		}
		w, _ = strconv.Atoi(string(m[1]))
		h, _ = strconv.Atoi(string(m[2]))
		return w, h, nil
	}
	f, err := files.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(f)
	return c.Width, c.Height, err
}
