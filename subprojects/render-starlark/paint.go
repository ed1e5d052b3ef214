package main

import (
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
)

// reel is what is shown: pictures one after the other, and what their panel has to know.
type reel struct {
	frames            iter.Seq[image.Image]
	delay             time.Duration
	maxAgeS           int
	showFullAnimation bool
}

// reelOf has the frames of the roots; each is painted when it is asked for.
func reelOf(roots []render.Root, r *request) *reel {
	bounds := image.Rect(0, 0, r.Width, r.Height)
	frames := func(yield func(image.Image) bool) {
		for _, root := range roots {
			for i := range min(root.Child.FrameCount(bounds), render.DefaultMaxFrameCount) {
				if !yield(paintFrame(root, r, i)) {
					return
				}
			}
		}
	}
	first := roots[0]
	return &reel{frames, delayOf(int(first.Delay)), int(max(0, first.MaxAge)), first.ShowFullAnimation}
}

// picture paints the reel into one lossless WebP, as the library's own encoder does, but in the
// goroutine of the request: a panic in a widget is then an error of this request, and the limits
// are looked at before each frame.
func picture(shown *reel, r *request, m *meter) (blob []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &problem{Kind: problemScript, Message: fmt.Sprintf("painting failed: %v", cause)}
		}
	}()
	config, err := webp.ConfigLosslessPreset(encode.WebPLevelDefault)
	if err != nil {
		return nil, err
	}
	encoder, err := webp.NewAnimationEncoder(r.Width, r.Height, encode.WebPKMin, encode.WebPKMax)
	if err != nil {
		return nil, err
	}
	defer encoder.Close()

	remaining := shown.maximum(r)
	isEmpty := true
	if err := m.check(); err != nil || remaining <= 0 {
		return nil, err
	}
	for frame := range shown.frames {
		lasts := min(shown.delay, remaining)
		remaining -= lasts
		if err := encoder.AddFrame(frame, lasts, config); err != nil {
			return nil, err
		}
		isEmpty = false
		if err := m.check(); err != nil {
			return nil, err
		}
		if remaining <= 0 {
			break
		}
	}
	if isEmpty {
		return nil, nil
	}
	return encoder.Assemble()
}

// maximum is how long the animation may be. That which is to be shown in full stays on its panel until
// its end, so what others are cut to does not hold for it.
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
	canvas := gg.NewContext(r.Width, r.Height)
	canvas.SetColor(color.Black)
	canvas.Clear()
	canvas.Push()
	root.Child.Paint(canvas, image.Rect(0, 0, r.Width, r.Height), index)
	canvas.Pop()
	return canvas.Image()
}

// frameDelays returns the delay of each frame of an animated WebP; the encoder has made one of
// frames that are alike. A still picture has none.
// https://developers.google.com/speed/webp/docs/riff_container
func frameDelays(file []byte) []int {
	var delaysMs []int
	const riffHeaderBytes, durationAt = 12, 12
	for at := riffHeaderBytes; at+8 <= len(file); {
		bytes := int(binary.LittleEndian.Uint32(file[at+4:]))
		data := file[at+8:]
		if string(file[at:at+4]) == "ANMF" && bytes >= 16 && len(data) >= 16 {
			delay := uint32(data[durationAt]) | uint32(data[durationAt+1])<<8 | uint32(data[durationAt+2])<<16
			delaysMs = append(delaysMs, int(delay))
		}
		at += 8 + bytes + bytes&1
	}
	return delaysMs
}
