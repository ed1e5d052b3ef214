package main

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// A Plot paints each pixel of its line, on the canvas or not; a number that is none makes the line
// as long as memory lasts, before any limit of ours is looked at. So its numbers are looked at.

const maxPlotPixels = 1 << 20

var errNoNumber = errors.New("Plot: data must be numbers, not None")

// renderModule is the library's module render.star, with a Plot that checks its numbers.
func renderModule() (starlark.StringDict, error) {
	loaded, err := render_runtime.LoadModule()
	if err != nil {
		return nil, err
	}
	module := loaded["render"].(*starlarkstruct.Module)
	members := maps.Clone(module.Members)
	make := members["Plot"]
	members["Plot"] = starlark.NewBuiltin("Plot", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		made, err := starlark.Call(thread, make, args, kwargs)
		if plot, ok := made.(*render_runtime.Plot); err == nil && ok {
			err = checkPlot(plot)
		}
		var evaluation *starlark.EvalError
		if errors.As(err, &evaluation) {
			err = evaluation.Unwrap() // the call of this function is in the backtrace
		}
		return made, err
	})
	all := maps.Clone(loaded)
	all["render"] = &starlarkstruct.Module{Name: module.Name, Members: members}
	return all, nil
}

func checkPlot(plot *render_runtime.Plot) error {
	axes := []struct {
		name   string
		limits [2]float64
		pixels int
	}{{"x", plot.XLim, plot.Width}, {"y", plot.YLim, plot.Height}}
	for axis, a := range axes {
		least, most := math.Inf(1), math.Inf(-1)
		for _, point := range plot.Data {
			if math.IsNaN(point[axis]) || math.IsInf(point[axis], 0) {
				return errNoNumber
			}
			least, most = min(least, point[axis]), max(most, point[axis])
		}
		if len(plot.Data) > 0 && reach(least, most, a.limits)*float64(max(a.pixels, 1)) > maxPlotPixels {
			return fmt.Errorf("Plot: data goes too far beyond %s_lim", a.name)
		}
	}
	return nil
}

// reach is how many times as far as the limits are apart the data goes beyond the first of them.
// Where a limit is missing, the library takes the data's own.
func reach(least, most float64, limits [2]float64) float64 {
	low, high := limits[0], limits[1]
	isWhole := !math.IsNaN(low) && !math.IsNaN(high)
	if math.IsNaN(low) {
		low = least
	}
	if math.IsNaN(high) {
		high = most
	}
	span := high - low
	if !isWhole && span <= 0 {
		span = 0.5
	}
	far := max(math.Abs(least-low), math.Abs(most-low)) / math.Abs(span)
	if math.IsNaN(far) {
		return math.Inf(1)
	}
	return far
}
