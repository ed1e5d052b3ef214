package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pie without colours divides by their number.
const pie = `render.PieChart(diameter = 9, colors = [], weights = [1])`

func TestPaintingThatFailsNamesItsWidget(t *testing.T) {
	const begin = "load(\"render.star\", \"render\")\ndef main():\n"
	const before, box = "    return render.Root(child = ", "render.Box(width = 1, height = 1), "
	for child, where := range map[string]string{
		pie:                               "PieChart, child of Root",
		"render.Box(child = " + pie + ")": "PieChart, child of Box",
		"render.Row([" + box + pie + "])": "PieChart, child 2 of Row",
		"render.Animation([" + pie + "])": "PieChart, child of Animation",
	} {
		a, blob := serve(testRequest(), begin+before+child+")\n")
		require.NotNil(t, a.Error, child)
		assert.Empty(t, blob)
		assert.Equal(t, problemScript, a.Error.Kind)
		assert.Equal(t, "painting failed ("+where+"): runtime error: integer divide by zero", a.Error.Message)
		column := strings.Index(before+child, "PieChart(") + len("PieChart(")
		assert.Equal(t, fmt.Sprintf("app.star:3:%d", column), placeOf(a), child)
	}
	const good = `render.PieChart(diameter = 9, colors = ["#fff"], weights = [1]), `
	a, _ := serve(testRequest(), begin+before+"render.Row(["+good+pie+"]))\n")
	require.NotNil(t, a.Error)
	assert.Equal(t, ":0:0", placeOf(a), "which of the two it was is not known")
	assert.Contains(t, a.Error.Message, "PieChart, child 2 of Row")
}

func placeOf(a *answer) string {
	return fmt.Sprintf("%s:%d:%d", a.Error.File, a.Error.Line, a.Error.Column)
}

func TestPaintingOfATreeThatFailsHasThePlaceOfItsWidget(t *testing.T) {
	const broken = `"fields":{"diameter":9,"colors":[],"weights":[1]}}`
	const begin = `{"places":[["app.ts",3,12],["lib/a.ts",7,1]],"at":["app.ts",1,16],"tree":{"widget":"Root","at":1,"fields":{"child":`
	for child, want := range map[string]string{
		`{"widget":"PieChart","at":2,` + broken:                                                      "lib/a.ts:7:1 painting failed (PieChart, child of Root)",
		`{"widget":"Row","at":1,"fields":{"children":[{"widget":"PieChart","at":2,` + broken + `]}}`: "lib/a.ts:7:1 painting failed (PieChart, child of Row)",
	} {
		a, _ := paint(whatPaint, begin+child+"}}}")
		require.NotNil(t, a.Error, child)
		assert.Equal(t, want+": runtime error: integer divide by zero",
			placeOf(a)+" "+a.Error.Message, child)
	}
}
