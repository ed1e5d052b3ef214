package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/pixlet/encode"
	"github.com/tronbyt/pixlet/runtime"
)

// ofTheLibrary returns the picture that the library alone makes of the script.
func ofTheLibrary(t *testing.T, script string) []byte {
	t.Helper()
	app, err := runtime.NewApplet(t.Context(), "app", []byte(script))
	require.NoError(t, err)
	roots, err := app.Run(t.Context())
	require.NoError(t, err)
	blob, err := encode.ScreensFromRoots(roots, 64, 32).EncodeWebP(t.Context(), 15*time.Second)
	require.NoError(t, err)
	return blob
}

func plotApp(fields string) string {
	return "load(\"render.star\", \"render\")\ndef main():\n    return render.Root(child = render.Plot(" +
		"color = \"#0f0\", color_inverted = \"#f00\", " + fields + "))\n"
}

// Plots of data that is empty, scarce or has gaps look as in the library.
func TestPlotsLookLikeTheLibrarys(t *testing.T) {
	const size = ", width = 64, height = 32"
	for _, fields := range []string{
		"data = []" + size,
		"data = [(3, 4)]" + size,
		"data = [(0, 1), (1, 3), (2, -2)], fill = True" + size,
		"data = [(0, 1), (5, 6000)], y_lim = (0, 1)" + size,
		"data = [(0, 1), (5, 6)], x_lim = (0, None), y_lim = (None, 100)" + size,
		"data = [(0, 1), (5, 6)], x_lim = (10, None), y_lim = (None, -100)" + size,
		"data = [(0, 0), (0, 0)], fill = True" + size,
		// limits that are the data's greatest, which is 0
		"data = [(i, 0) for i in range(24)], x_lim = (0, 23), y_lim = (0, 0), fill = True" + size,
		"data = [(0, 0), (1, 0), (2, 0)], y_lim = (0, 0)" + size,
		"data = [(0, 0), (1, 1)], y_lim = (0, 0)" + size,
		"data = [(0, 1), (1, 2)], y_lim = (1, 1)" + size,
		"data = [(0, 0), (1, 3)], x_lim = (5, 5)" + size,
		// gaps
		"data = [(0, 1), (1, None), (2, 3)], chart_type = \"scatter\"" + size,
		"data = [(0, 1), (), (2, 3)], x_lim = (0, 2), y_lim = (0, 3), chart_type = \"scatter\"" + size,
		"data = [(0, 1), (2, 3), (1 << 60, 2)], x_lim = (0, 2), y_lim = (0, 3), chart_type = \"scatter\"" + size,
		"data = [(None, None), (None, None)]" + size,
		"data = [(0, 1), (5, 6)], width = 0, height = -3",
	} {
		script := plotApp(fields)
		a, blob := serve(testRequest(), script)
		if assert.Nil(t, a.Error, fields) {
			requireSameMovie(t, ofTheLibrary(t, script), blob)
		}
	}
}

// The library alone would use all memory.
func TestPlotsWithoutEndAreRefused(t *testing.T) {
	const size = ", width = 64, height = 32"
	for fields, want := range map[string]string{
		"data = [(0, 1), (1, None)]" + size:                                                                    "must be numbers",
		"data = [(0, 1), (1, None)], chart_type = \"scatter\", fill = True" + size:                             "must be numbers",
		"data = [(0, 1), (1, float(\"inf\"))]" + size:                                                          "must be numbers",
		"data = [(0, 1), (1, 2)], x_lim = (float(\"-inf\"), float(\"inf\")), y_lim = (1, None)" + size:         "",
		"data = [(0, 1), (1 << 50, 1)], x_lim = (0, 1)" + size:                                                 "beyond x_lim",
		"data = [(0, 0), (1, 5), (2, 1)], y_lim = (0, 1 / 10000000.0)" + size:                                  "beyond y_lim",
		"data = [(0, 1), (1, 2)], width = 1 << 40, height = 32":                                                "beyond x_lim",
		fmt.Sprintf("data = [(i %% 2, 1) for i in range(%d)], x_lim = (0, 0.01)", maxPlotPixels/6300+2) + size: "beyond x_lim",
		fmt.Sprintf("data = [(i %% 2, 1) for i in range(%d)], x_lim = (0, 0.01)", maxPlotPixels/6300-2) + size: "",
	} {
		a, _ := serve(testRequest(), plotApp(fields))
		if want == "" {
			assert.Nil(t, a.Error, fields)
		} else if assert.NotNil(t, a.Error, fields) {
			assert.Contains(t, a.Error.Message, want, fields)
		}
	}
}
