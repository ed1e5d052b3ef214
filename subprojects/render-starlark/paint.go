package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"iter"
	"time"

	"github.com/tronbyt/gg"
	"github.com/tronbyt/go-libwebp/webp"
	"github.com/tronbyt/pixlet/encode"
	"github.com/tronbyt/pixlet/render"
	"go.starlark.net/syntax"
)

// Panels show at most so many frames (PANELIMAGE_FRAMES_MAX), counted after equal neighbours are
// merged.
const maxFrames = 2048

// Memory of the painted frames: that of as many of a panel of 64x32. If twice the width and height are drawn, as
// many fit that are packed, and half as many others.
const (
	maxStripBytes   = maxFrames * 64 * 32 * 4
	maxStripBytes2x = maxStripBytes * 2
)

// Level of effort of the encoder, from 0. The library's is 6: for apps' pictures that takes half as
// long again for 0.3 % fewer bytes, of photographs twice as long for 5 %. Level 0 makes 10 % more.
const encoderLevel = 1

// reel has the frames to show and their properties for the panel.
type reel struct {
	frames            iter.Seq[image.Image]
	delay             time.Duration
	maxAgeS           int
	showFullAnimation bool

	// made returns where a widget was made, if that is known; nil: it is never known.
	made func(widget render.Widget) (syntax.Position, bool)
}

// reelOf returns the frames of the roots; each is painted when it is requested.
func reelOf(roots []render.Root, r *request) *reel {
	bounds := r.bounds()
	frames := func(yield func(image.Image) bool) {
		for _, root := range roots {
			count := 0
			painting(root, r, 0, func() { count = root.Child.FrameCount(bounds) })
			for i := range min(count, render.DefaultMaxFrameCount) {
				if !yield(paintFrame(root, r, i)) {
					return
				}
			}
		}
	}
	first := roots[0]
	return &reel{
		frames: frames, delay: delayOf(int(first.Delay)),
		maxAgeS: int(max(0, first.MaxAge)), showFullAnimation: first.ShowFullAnimation,
	}
}

// strip has the painted frames of a picture, of which no two neighbours are alike.
type strip struct {
	frames []stripFrame
	last   image.Image // the last frame
	bytes  int
	isCut  bool // there would be more
	isLong bool // it is shown whole, and would last longer
}

type stripFrame struct {
	image  image.Image // nil: it is packed
	packed *packed
	lasts  time.Duration
}

// picture paints the reel into one lossless WebP, as the library's own encoder does, but with less
// effort, and in the goroutine of the request: a panic in a widget is then an error of this request.
// Painting takes the script's time, encoding the server's, so each frame is painted once. A picture
// of more than r.MaxBytes is encoded again with the library's effort, and cut at the end of a frame
// if it still has more; cut then says so. The result depends on the frames and on r.MaxBytes only.
func picture(shown *reel, r *request, m *meter) (blob []byte, cut string, err error) {
	painted, err := paintAll(shown, r, m)
	if err != nil || len(painted.frames) == 0 {
		return nil, "", err
	}
	m.beginEncoding(r)
	blob, err = encoded(painted.frames, r, m, encoderLevel)
	if err != nil {
		return nil, "", err
	}
	limit, all := min(r.MaxBytes, maxBlobBytes), frameCount(blob)
	if len(blob) > limit {
		small, err := encoded(painted.frames[:mayFit(blob, limit)], r, m, encode.WebPLevelDefault)
		if err != nil {
			return nil, "", err
		}
		blob = better(cutAtFrame(small, limit), cutAtFrame(blob, limit))
	}
	switch {
	case frameCount(blob) < all:
		cut = fmt.Sprintf("the animation is cut after %d of %d frames: the panel accepts %d bytes at most",
			frameCount(blob), all, limit)
	case painted.isCut:
		cut = fmt.Sprintf("the animation is cut after %d frames: panels show no more", all)
	case painted.isLong:
		cut = fmt.Sprintf("the animation is cut after %g s: one that is shown whole lasts no longer",
			shown.maximum(r).Seconds())
	}
	return blob, cut, nil
}

// paintAll paints the frames that are shown, as long as there is room for them.
func paintAll(shown *reel, r *request, m *meter) (painted strip, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			painted, err = strip{}, shown.complain(cause)
		}
	}()
	remaining := shown.maximum(r)
	if err := m.check(); err != nil || remaining <= 0 {
		return strip{}, err
	}
	for frame := range shown.frames {
		if remaining <= 0 {
			painted.isLong = true
			break
		}
		lasts := min(shown.delay, remaining)
		remaining -= lasts
		if painted.isCut = !painted.add(frame, lasts, r); painted.isCut {
			break
		}
		m.stripBytes = int64(painted.bytes)
		if err := m.check(); err != nil {
			return strip{}, err
		}
		if remaining <= 0 && !shown.showFullAnimation {
			break
		}
	}
	return painted, nil
}

func (r *request) maxStripBytes() int {
	if r.draws2x {
		return maxStripBytes2x
	}
	return maxStripBytes
}

// add returns false if there is no room for the frame.
func (s *strip) add(frame image.Image, lasts time.Duration, r *request) bool {
	if s.last != nil && areAlike(s.last, frame) {
		s.frames[len(s.frames)-1].lasts += lasts
		return true
	}
	bounds := frame.Bounds()
	kept, bytes := stripFrame{image: frame, lasts: lasts}, 4*bounds.Dx()*bounds.Dy()
	if r.draws2x {
		if kept.packed = pack(frame); kept.packed != nil {
			kept.image, bytes = nil, kept.packed.bytes()
		}
	}
	if len(s.frames) == maxFrames || s.bytes+bytes > r.maxStripBytes() {
		return false
	}
	s.bytes += bytes
	s.last = frame
	s.frames = append(s.frames, kept)
	return true
}

// encoded makes a WebP of the frames, of which there is at least one.
func encoded(frames []stripFrame, r *request, m *meter, level int) ([]byte, error) {
	config, err := webp.ConfigLosslessPreset(level)
	if err != nil {
		return nil, err
	}
	size, times := r.bounds().Size(), r.magnification()
	encoder, err := webp.NewAnimationEncoder(times*size.X, times*size.Y, encode.WebPKMin, encode.WebPKMax)
	if err != nil {
		return nil, err
	}
	defer encoder.Close()
	magnify := encode.Magnify(times)
	var room *image.RGBA
	for _, frame := range frames {
		shown := frame.image
		if frame.packed != nil {
			room = frame.packed.unpack(room)
			shown = room
		}
		if err := encoder.AddFrame(magnify(shown), frame.lasts, config); err != nil {
			return nil, err
		}
		if err := m.check(); err != nil {
			return nil, err
		}
	}
	return encoder.Assemble()
}

// mayFit returns how many of the frames of a file with too many bytes may fit with more effort, which
// bounds the time for that: it never makes a frame as many times smaller.
func mayFit(file []byte, limit int) int {
	const smallestShare = 4
	count, bytes := 0, 0
	for _, data := range animationFrames(file) {
		if bytes += len(data); bytes > smallestShare*limit && count > 0 {
			break
		}
		count++
	}
	return max(1, count)
}

// better returns the file with more frames or, if both have the same number, with fewer bytes.
func better(one, other []byte) []byte {
	if a, b := frameCount(one), frameCount(other); a > b || a == b && len(one) <= len(other) {
		return one
	}
	return other
}

// complain returns an error that names the widget that could not be painted and where it was made.
func (shown *reel) complain(cause any) error {
	p := &problem{Kind: problemScript, Message: fmt.Sprintf("painting failed: %v", cause)}
	if failed, ok := cause.(*failedPaint); ok {
		p.Message = fmt.Sprintf("painting failed (%s): %v", failed.where, failed.cause)
		if shown.made == nil {
			return p
		}
		if position, isKnown := shown.made(failed.widget); isKnown {
			p.place(position)
		}
	}
	return p
}

// areAlike returns whether the two frames show the same.
func areAlike(one, other image.Image) bool {
	a, ok := one.(*image.RGBA)
	b, okOther := other.(*image.RGBA)
	return ok && okOther && bytes.Equal(a.Pix, b.Pix)
}

// maximum returns how long the animation may be. One with show_full_animation stays on the panel
// until its end, so it has a longer limit.
func (shown *reel) maximum(r *request) time.Duration {
	limitMs := r.MaxDurationMs
	if shown.showFullAnimation {
		limitMs = max(limitMs, r.MaxWholeMs)
	}
	return time.Duration(limitMs) * time.Millisecond
}

func delayOf(delayMs int) time.Duration {
	if delayMs <= 0 {
		delayMs = encode.DefaultScreenDelayMillis
	}
	return time.Duration(delayMs) * time.Millisecond
}

func paintFrame(root render.Root, r *request, index int) image.Image {
	bounds := r.bounds()
	canvas := gg.NewContext(bounds.Dx(), bounds.Dy())
	canvas.SetColor(color.Black)
	canvas.Clear()
	canvas.Push()
	painting(root, r, index, func() {
		root.Child.Paint(canvas, bounds, index)
	})
	canvas.Pop()
	return canvas.Image()
}

// frameCount returns the number of frames of a WebP.
func frameCount(file []byte) int { return max(1, len(frameDelays(file))) }

// frameDelays returns the delay of each frame of an animated WebP, in which the encoder has merged
// equal frames. A still picture has none.
func frameDelays(file []byte) []int {
	var delaysMs []int
	const durationAt = 12
	for _, data := range animationFrames(file) {
		if len(data) >= 16 {
			delay := uint32(data[durationAt]) | uint32(data[durationAt+1])<<8 | uint32(data[durationAt+2])<<16
			delaysMs = append(delaysMs, int(delay))
		}
	}
	return delaysMs
}

// cutAtFrame cuts an animated WebP with too many bytes at the end of a frame, in place. If not even
// the first frame fits, it is not cut.
func cutAtFrame(file []byte, most int) []byte {
	end := 0
	for at, data := range animationFrames(file) {
		if at+len(data) <= most {
			end = at + len(data)
		}
	}
	if len(file) <= most || end == 0 {
		return file
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(end-chunkHeaderBytes))
	return file[:end]
}

const chunkHeaderBytes = 8

// animationFrames yields each frame's position and its chunk, without the header, with the padding.
// https://developers.google.com/speed/webp/docs/riff_container
func animationFrames(file []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		const riffHeaderBytes = 12
		for at := riffHeaderBytes; at+chunkHeaderBytes <= len(file); {
			size := int(binary.LittleEndian.Uint32(file[at+4:]))
			begin := at + chunkHeaderBytes
			end := min(begin+size+size&1, len(file))
			if string(file[at:at+4]) == "ANMF" && !yield(begin, file[begin:end]) {
				return
			}
			at = end
		}
	}
}
