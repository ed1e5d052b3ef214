package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/pixlet/render"
	"go.starlark.net/syntax"
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
}

// Each widget has a place of its own, however many of its kind there are.
func TestPaintingThatFailsHasThePlaceOfItsWidget(t *testing.T) {
	const begin = "load(\"render.star\", \"render\")\nload(\"filter.star\", \"filter\")\n" +
		"load(\"animation.star\", \"animation\")\nload(\"more.star\", \"chart\")\n"
	const more = "\n-- more.star --\nload(\"render.star\", \"render\")\n" +
		"def chart(colors):\n    return render.PieChart(diameter = 9, colors = colors, weights = [1])\n"
	const good = `render.PieChart(diameter = 9, colors = ["#fff"], weights = [1])`
	for body, want := range map[string]string{
		"    a = " + good + "\n    b = " + pie + "\n    return render.Root(child = render.Row([a, b]))":               "main.star:7:24 PieChart, child 2 of Row",
		"    return render.Root(child = render.Row([" + good + ",\n        " + pie + "]))":                            "main.star:7:24 PieChart, child 2 of Row",
		"    return render.Root(child = render.Row([chart(c) for c in [[\"#fff\"], []]]))":                            "more.star:3:27 PieChart, child 2 of Row",
		"    return render.Root(child = filter.Blur(radius = 1.0, child = " + pie + "))":                              "main.star:6:81 PieChart, child of Blur",
		"    return render.Root(child = filter.Invert(" + pie + "))":                                                  "main.star:6:61 PieChart, child of Invert",
		"    return render.Root(child = animation.Transformation(child = " + pie + ", duration = 3, keyframes = []))": "main.star:6:80 PieChart, child of Transformation",
	} {
		a, _ := serve(testRequest(), "-- main.star --\n"+begin+"def main():\n"+body+more)
		require.NotNil(t, a.Error, body)
		place, where, _ := strings.Cut(want, " ")
		assert.Equal(t, place, placeOf(a), body)
		assert.Equal(t, "painting failed ("+where+"): runtime error: integer divide by zero", a.Error.Message)
	}
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

func TestPlacesOfWidgetsAreBounded(t *testing.T) {
	const begin = "load(\"render.star\", \"render\")\ndef main():\n    first = " + pie +
		"\n    for i in range(%d):\n        last = " + pie + "\n    return render.Root(child = %s)\n"
	for widget, where := range map[string]string{"first": ":0:0", "last": "app.star:5:31"} {
		a, _ := serve(testRequest(), fmt.Sprintf(begin, 2*maxSites, widget))
		require.NotNil(t, a.Error)
		assert.Equal(t, where, placeOf(a))
		assert.Nil(t, testEngine.sites, "they go with their request")
	}
	a, _ := serve(testRequest(), fmt.Sprintf(begin, maxSites-1, "first"))
	assert.Equal(t, "app.star:3:28", placeOf(a))
}

// What the memory of a widget that was dropped is used for again has a place of its own.
func TestPlacesOfWidgetsAreOfTheLastAtTheirAddress(t *testing.T) {
	s := &sites{}
	file := "main.star"
	widget := &render.Box{}
	for line := range int32(3) {
		s.last = append(s.last, site{addressOf(widget), syntax.MakePosition(&file, line+1, 1)})
	}
	place, isKnown := s.of(widget)
	assert.True(t, isKnown)
	assert.EqualValues(t, 3, place.Line)
	_, isKnown = s.of(&render.Box{})
	assert.False(t, isKnown)
}
