package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"time"

	"github.com/tronbyt/gg"
	"github.com/tronbyt/go-libwebp/webp"
	"github.com/tronbyt/pixlet/encode"
	"github.com/tronbyt/pixlet/render"
)

// picture paints the roots into one lossless WebP, as the library's own encoder does, but in the
// goroutine of the request: a panic in a widget is then an error of this request, and the limits
// are looked at before each frame.
func picture(roots []render.Root, r *request, m *meter) (blob []byte, err error) {
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

	delay := frameDelay(roots)
	remaining := time.Duration(r.MaxDurationMs) * time.Millisecond
	frames := 0
	for _, root := range roots {
		count := root.Child.FrameCount(image.Rect(0, 0, r.Width, r.Height))
		for i := range min(count, render.DefaultMaxFrameCount) {
			if remaining <= 0 {
				break
			}
			if err := m.check(); err != nil {
				return nil, err
			}
			shown := min(delay, remaining)
			remaining -= shown
			if err := encoder.AddFrame(paintFrame(root, r, i), shown, config); err != nil {
				return nil, err
			}
			frames++
		}
	}
	if frames == 0 {
		return nil, nil
	}
	return encoder.Assemble()
}

func frameDelay(roots []render.Root) time.Duration {
	delayMs := int32(encode.DefaultScreenDelayMillis)
	if len(roots) > 0 && roots[0].Delay > 0 {
		delayMs = roots[0].Delay
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
