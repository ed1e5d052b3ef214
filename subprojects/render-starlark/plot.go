package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"go.starlark.net/starlark"
)

// A Plot paints each pixel of its line, on the canvas or not; from a number to one that is none the line
// is as long as memory lasts, before any limit of ours is looked at. So its length is looked at.

const maxPlotPixels = 1 << 21 // 16 bytes each, and what grows as it is filled

var errNoNumber = errors.New("Plot: data must be numbers, not None")

// checkedPlot makes a Plot whose line was checked.
func checkedPlot(maker *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin("Plot", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		made, err := maker.CallInternal(thread, args, kwargs) // without a frame of its own
		if plot, ok := made.(*render_runtime.Plot); err == nil && ok {
			err = checkPlot(plot)
		}
		return made, err
	})
}

// checkPlot refuses a Plot whose line has too many pixels. A scattered one paints no line, but where it
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

// pixelsBetween places two numbers of an axis as the library does. What is no number comes to lie where
// the processor puts it: two such are at one place.
func pixelsBetween(from, to float64, limits [2]float64, pixels int) uint64 {
	at := func(value float64) int64 {
		return int64(math.Round((value - limits[0]) / (limits[1] - limits[0]) * float64(pixels-1)))
	}
	a, b := at(from), at(to)
	return uint64(max(a, b)) - uint64(min(a, b))
}

// plotLimits are the limits of both axes between which the library paints. Where one of the four is
// missing, it looks at the data.
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

// axisLimits: before is the room before data that is all the same.
func axisLimits(data [][2]float64, axis int, given [2]float64, before float64) [2]float64 {
	least, most := data[0][axis], data[0][axis]
	for _, point := range data[1:] {
		if point[axis] < least { // not min(), which is no number where one is none
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
