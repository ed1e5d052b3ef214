package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"

	"go.starlark.net/starlark"
)

// Pictures and texts that are too large take all memory at once, before any limit of ours is looked at, and an
// error that ends the process has no line. So their sizes are looked at first.

// maxTextBytes: a character of 10x20 pixels takes 800 bytes, one of the usual font 320.
const maxTextBytes = maxHeapBytes / 320

// sized makes a widget whose size is looked at first.
func sized(maker *starlark.Builtin, check func(args starlark.Tuple, kwargs []starlark.Tuple) error) *starlark.Builtin {
	return starlark.NewBuiltin(maker.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := check(args, kwargs); err != nil {
			return nil, err
		}
		return maker.CallInternal(thread, args, kwargs) // without a frame of its own
	})
}

func checkText(args starlark.Tuple, kwargs []starlark.Tuple) error {
	content, _ := starlark.AsString(argument(args, kwargs, 0, "content"))
	if len(content) > maxTextBytes {
		return fmt.Errorf("content has %d bytes, which would take more than %d MiB of memory", len(content), maxHeapBytes>>20)
	}
	return nil
}

// checkImage leaves what is no picture to the library.
func checkImage(args starlark.Tuple, kwargs []starlark.Tuple) error {
	var src []byte
	switch value := argument(args, kwargs, 0, "src").(type) {
	case starlark.String:
		src = []byte(value)
	case starlark.Bytes:
		src = []byte(value)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		config.Width, config.Height = 1, 1
	}
	own := float64(config.Width) * float64(config.Height)
	if own*bytesOfPixel(config.ColorModel) > maxHeapBytes {
		return tooManyPixels(float64(config.Width), float64(config.Height))
	}
	width := number64(argument(args, kwargs, 1, "width"))
	height := number64(argument(args, kwargs, 2, "height"))
	if width == 0 && own > 0 {
		width = height * float64(config.Width) / float64(config.Height)
	}
	if height == 0 && own > 0 {
		height = width * float64(config.Height) / float64(config.Width)
	}
	if width*height*4 > maxHeapBytes {
		return tooManyPixels(width, height)
	}
	return nil
}

func tooManyPixels(width, height float64) error {
	return fmt.Errorf("a picture of %.0f x %.0f pixels would take more than %d MiB of memory", width, height, maxHeapBytes>>20)
}

// bytesOfPixel is what the decoders of this model's files take. Of an unknown one it is the usual.
func bytesOfPixel(model color.Model) float64 {
	if _, isPalette := model.(color.Palette); isPalette {
		return 1
	}
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 1.5
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}

// argument returns the one at the index or of the name, or nil.
func argument(args starlark.Tuple, kwargs []starlark.Tuple, index int, name starlark.String) starlark.Value {
	if index < len(args) {
		return args[index]
	}
	for _, pair := range kwargs {
		if pair[0] == name {
			return pair[1]
		}
	}
	return nil
}

// number64 is 0 where it is no number, which the library complains of.
func number64(value starlark.Value) float64 {
	if value == nil {
		return 0
	}
	number, _ := starlark.AsFloat(value)
	return max(0, number)
}
