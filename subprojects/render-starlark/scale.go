package main

import (
	"math"
	"reflect"

	"github.com/tronbyt/gg"
	"github.com/tronbyt/pixlet/render/animation"
	"github.com/tronbyt/pixlet/runtime/modules/animation_runtime"
	"go.starlark.net/starlark"
)

// A picture that is made smaller is painted through a filter as wide as it is made smaller: at a billionth of
// its size that takes more memory than there is, and at a millionth nothing of the picture is seen any more.
// A picture that is turned over passes such sizes between two keyframes.

const leastScale = 1e-6

// boundedTransformation makes a Transformation whose scales can be painted.
func boundedTransformation(maker *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin("Transformation", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		made, err := maker.CallInternal(thread, args, kwargs) // without a frame of its own
		if transformation, ok := made.(*animation_runtime.Transformation); err == nil && ok {
			boundScales(transformation.Keyframes)
		}
		return made, err
	})
}

// boundScales replaces the scales. The library extends the shorter of two neighbours' lists by the defaults of
// the types that it knows, so all of them are extended before: the defaults change nothing if each list has the
// types that the longest begins with. Others stay.
func boundScales(keyframes []animation.Keyframe) {
	var longest []animation.Transform
	for _, keyframe := range keyframes {
		if len(keyframe.Transforms) > len(longest) {
			longest = keyframe.Transforms
		}
	}
	if len(longest) == 0 {
		return // they may be the library's defaults, which are all requests'
	}
	for _, keyframe := range keyframes {
		for i, transform := range keyframe.Transforms {
			if reflect.TypeOf(transform) != reflect.TypeOf(longest[i]) {
				return
			}
		}
	}
	for i := range keyframes {
		own := keyframes[i].Transforms
		transforms := animation.ExtendTransforms(own[:len(own):len(own)], longest)
		bounded := make([]animation.Transform, len(transforms))
		for j, transform := range transforms {
			bounded[j] = transform
			if scale, ok := transform.(animation.Scale); ok {
				bounded[j] = boundedScale{scale}
			}
		}
		keyframes[i].Transforms = bounded
	}
}

// boundedScale scales to a millionth at least, but to nothing where that is asked for: then the library paints
// nothing.
type boundedScale struct{ animation.Scale }

func (s boundedScale) Interpolate(other animation.Transform, progress float64) (animation.Transform, bool) {
	to, ok := other.(boundedScale)
	if !ok {
		return animation.ScaleDefault, false
	}
	between, ok := s.Scale.Interpolate(to.Scale, progress)
	if !ok {
		return between, false
	}
	return boundedScale{between.(animation.Scale)}, true
}

func (s boundedScale) Apply(ctx *gg.Context, origin animation.Vec2f, rounding animation.Rounding) {
	s.X = bounded(s.X, lengthIn(ctx, 1, 0))
	s.Y = bounded(s.Y, lengthIn(ctx, 0, 1))
	s.Scale.Apply(ctx, origin, rounding)
}

// lengthIn is how long a vector is on the canvas, with the scales around this one.
func lengthIn(ctx *gg.Context, x, y float64) float64 {
	fromX, fromY := ctx.TransformPoint(0, 0)
	toX, toY := ctx.TransformPoint(x, y)
	return math.Hypot(toX-fromX, toY-fromY)
}

func bounded(factor, around float64) float64 {
	if factor == 0 || around == 0 || !(math.Abs(factor*around) < leastScale) {
		return factor
	}
	return math.Copysign(leastScale/around, factor)
}
