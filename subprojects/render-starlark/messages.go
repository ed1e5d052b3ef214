package main

import (
	"fmt"
	"hash/maphash"
	"image"
	"image/color"
	"slices"

	"github.com/tronbyt/gg"
	"github.com/tronbyt/pixlet/render"
	"github.com/tronbyt/pixlet/render/emoji"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"github.com/zachomedia/go-bdf"
	"go.starlark.net/starlark"
)

// displaydModule has the functions that only the server's own messages use: their script loads them from
// "displayd.star".
var displaydModule = starlark.StringDict{
	"missing": starlark.NewBuiltin("missing", missingCharacters),
	"width":   starlark.NewBuiltin("width", widthOfText),
	"flat":    starlark.NewBuiltin("flat", flatten),
}

// missingCharacters returns the characters of a text that neither the font nor the emoji contain,
// each once. The library leaves them out silently.
func missingCharacters(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var content, font string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "content", &content, "font", &font); err != nil {
		return nil, err
	}
	face, err := render.GetFont(font)
	if err != nil {
		return nil, err
	}
	glyphs := face.(*bdf.Face).Font.CharMap
	missing := []rune{}
	segments, _ := emoji.SegmentString(content)
	for _, segment := range segments {
		for _, r := range segment.Text {
			if _, known := glyphs[r]; !known && !segment.IsEmoji && !slices.Contains(missing, r) {
				missing = append(missing, r)
			}
		}
	}
	return starlark.String(missing), nil
}

// widthOfText returns the width of a line of text without drawing it.
func widthOfText(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var content, font string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "content", &content, "font", &font); err != nil {
		return nil, err
	}
	face, err := render.GetFont(font)
	if err != nil {
		return nil, err
	}
	canvas := gg.NewContext(0, 0)
	canvas.SetFontFace(face)
	width := 0
	segments, _ := emoji.SegmentString(content)
	for _, segment := range segments {
		width += segment.Width(canvas)
	}
	return starlark.MakeInt(width), nil
}

// flat is a widget that was painted once, so that it costs as little in each frame as a picture of
// what is seen of it.
type flat struct{ image image.Image }

func (f *flat) PaintBounds(image.Rectangle, int) image.Rectangle { return f.image.Bounds() }
func (f *flat) FrameCount(image.Rectangle) int                   { return 1 }
func (f *flat) Paint(canvas *gg.Context, _ image.Rectangle, _ int) {
	canvas.DrawImage(f.image, 0, 0)
}

// flatValue is that widget in a script.
type flatValue struct{ widget *flat }

func (v *flatValue) AsRenderWidget() render.Widget { return v.widget }
func (v *flatValue) String() string                { return "flat(...)" }
func (v *flatValue) Type() string                  { return "flat" }
func (v *flatValue) Freeze()                       {}
func (v *flatValue) Truth() starlark.Bool          { return true }
func (v *flatValue) Hash() (uint32, error) {
	return uint32(maphash.Comparable(flatSeed, v.widget)), nil
}

var flatSeed = maphash.MakeSeed()

// flatten paints a widget that does not move, over nothing.
func flatten(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var child starlark.Value
	var width, height int
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "child", &child, "width", &width, "height", &height); err != nil {
		return nil, err
	}
	widget, ok := child.(render_runtime.Widget)
	if !ok || width <= 0 || height <= 0 || width > maxHeapBytes/4/8/height {
		return nil, fmt.Errorf("%s: %d x %d pixels of a %s cannot be painted", b.Name(), width, height, child.Type())
	}
	canvas := gg.NewContext(width, height)
	canvas.SetColor(color.Transparent)
	canvas.Clear()
	widget.AsRenderWidget().Paint(canvas, image.Rect(0, 0, width, height), 0)
	return &flatValue{&flat{canvas.Image()}}, nil
}
