package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"

	"go.starlark.net/starlark"
)

// frames reads a tree of raw frames: pictures of the size that is shown, three bytes a pixel.
func (t *treeReader) frames(r *request) (*reel, error) {
	if err := t.expect(json.Delim('{')); err != nil {
		return nil, err
	}
	shown := &reel{delay: delayOf(0)}
	var pictures [][]byte
	for t.decoder.More() {
		field, err := t.text()
		if err != nil {
			return nil, err
		}
		value, err := t.value("weights") // an array becomes a list
		if err != nil {
			return nil, err
		}
		switch field {
		case "frames":
			pictures, err = t.pictures(value, r)
		case "delay":
			var delayMs int
			delayMs, err = starlark.AsInt32(value)
			shown.delay = delayOf(delayMs)
		case "max_age":
			shown.maxAgeS, err = starlark.AsInt32(value)
		case "show_full_animation":
			shown.showFullAnimation = bool(value.Truth())
		default:
			err = t.complain("frames have no field " + field)
		}
		if err != nil {
			return nil, t.complain(field + ": " + err.Error())
		}
	}
	if len(pictures) == 0 {
		return nil, nil
	}
	shown.maxAgeS = max(0, shown.maxAgeS)
	shown.frames = func(yield func(image.Image) bool) {
		for _, picture := range pictures {
			if !yield(rawFrame(picture, r)) {
				return
			}
		}
	}
	return shown, nil
}

func (t *treeReader) pictures(value starlark.Value, r *request) ([][]byte, error) {
	list, ok := value.(*starlark.List)
	if !ok {
		return nil, errors.New("must be a list")
	}
	wanted := r.bounds().Dx() * r.bounds().Dy() * bytesPerPixel
	var pictures [][]byte
	for i := range min(list.Len(), maxRawFrames) {
		picture, ok := list.Index(i).(starlark.Bytes)
		if !ok || len(picture) != wanted {
			return nil, fmt.Errorf("%d must have %d bytes", i, wanted)
		}
		pictures = append(pictures, []byte(picture))
	}
	return pictures, nil
}

func rawFrame(picture []byte, r *request) image.Image {
	frame := image.NewRGBA(r.bounds())
	for from, to := 0, 0; from < len(picture); from, to = from+bytesPerPixel, to+4 {
		copy(frame.Pix[to:], picture[from:from+bytesPerPixel])
		frame.Pix[to+3] = 255
	}
	return frame
}
