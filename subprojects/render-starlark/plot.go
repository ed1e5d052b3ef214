package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"go.starlark.net/starlark"
)

// A Plot paints each pixel of its line, also outside of the canvas; a line to or from a NaN grows
// until memory runs out, before any of our limits is checked. So the length of the line is checked
// first.

const maxPlotPixels = 1 << 21 // 16 bytes each, and more if it is filled

var errNoNumber = errors.New("Plot: data must be numbers, not None")

// checkedPlot makes a Plot and checks its line.
func checkedPlot(maker *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin("Plot", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		made, err := maker.CallInternal(thread, args, kwargs) // without a frame of its own
		if plot, ok := made.(*render_runtime.Plot); err == nil && ok {
			err = checkPlot(plot)
		}
		return made, err
	})
}

// checkPlot refuses a Plot whose line has too many pixels. A scatter chart paints no line unless it
// is filled.
func checkPlot(plot *render_runtime.Plot) error {
	hasLine := plot.ChartType != "scatter" || plot.Fill
	if !hasLine || len(plot.Data) < 2 {
		return nil
	}
	limits := plotLimits(plot)
	left := uint64(maxPlotPixels)
	for i := 1; i < len(plot.Data); i++ {
		from, to := plot.Data[i-1], plot.Data[i]
		x := pixelsBetween(from[0], to[0], limits[0], plot.Width)
		y := pixelsBetween(from[1], to[1], limits[1], plot.Height)
		if longest := max(x, y); longest < left {
			left -= longest + 1
			continue
		}
		if !areNumbers(from) || !areNumbers(to) {
			return errNoNumber
		}
		axis := "x_lim"
		if y > x {
			axis = "y_lim"
		}
		return fmt.Errorf("Plot: data goes too far beyond %s", axis)
	}
	return nil
}

func areNumbers(point [2]float64) bool {
	for _, number := range point {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return false
		}
	}
	return true
}

// pixelsBetween returns the pixels between two numbers of an axis, computed as in the library. A
// NaN is converted as the processor does: two NaNs are at the same position.
func pixelsBetween(from, to float64, limits [2]float64, pixels int) uint64 {
	at := func(value float64) int64 {
		return int64(math.Round((value - limits[0]) / (limits[1] - limits[0]) * float64(pixels-1)))
	}
	a, b := at(from), at(to)
	return uint64(max(a, b)) - uint64(min(a, b))
}

// plotLimits returns the limits of both axes as the library computes them: a missing one is taken
// from the data.
func plotLimits(plot *render_runtime.Plot) [2][2]float64 {
	given := [2][2]float64{plot.XLim, plot.YLim}
	if !slices.ContainsFunc(slices.Concat(given[0][:], given[1][:]), math.IsNaN) {
		return given
	}
	return [2][2]float64{
		axisLimits(plot.Data, 0, given[0], 0),
		axisLimits(plot.Data, 1, given[1], 0.5),
	}
}

// axisLimits returns the limits of one axis. before is the space before data whose values are all
// equal.
func axisLimits(data [][2]float64, axis int, given [2]float64, before float64) [2]float64 {
	least, most := data[0][axis], data[0][axis]
	for _, point := range data[1:] {
		if point[axis] < least { // not min(), which returns NaN if one is NaN
			least = point[axis]
		}
		if point[axis] > most {
			most = point[axis]
		}
	}
	low, high := least, most
	if !math.IsNaN(given[0]) {
		low = given[0]
	}
	if !math.IsNaN(given[1]) {
		high = given[1]
	}
	switch {
	case high < low && math.IsNaN(given[0]):
		low = high - 0.5
	case high < low:
		high = low + 0.5
	}
	if low == high {
		low, high = least-before, least+0.5
	}
	return [2]float64{low, high}
}
