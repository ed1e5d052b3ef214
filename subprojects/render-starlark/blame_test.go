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
		assert.Equal(t, "painting failed ("+where+"): integer divide by zero", a.Error.Message)
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
		assert.Equal(t, "painting failed ("+where+"): integer divide by zero", a.Error.Message)
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
		assert.Equal(t, want+": integer divide by zero",
			placeOf(a)+" "+a.Error.Message, child)
	}
}

// A function of the library panics while the script runs, and not while it is painted.
func TestLibraryThatFailsHasThePlaceOfItsCall(t *testing.T) {
	const broken = "render.Animation()" // looks at children that are nil
	const words = "the library failed: invalid memory address or nil pointer dereference"
	const load = "load(\"render.star\", \"render\")\n"
	for script, place := range map[string]string{
		load + "def f():\n    return " + broken + "\ndef main():\n    return render.Root(child = f())\n":                                 "app.star:3:28",
		load + "a = " + broken + "\ndef main():\n    pass\n":                                                                             "app.star:2:21",
		load + "def get_schema():\n    return " + broken + "\ndef main():\n    pass\n":                                                   "app.star:3:28",
		load + "def f(x):\n    return " + broken + "\ndef main():\n    return sorted([1], key = f)\n":                                    "app.star:3:28",
		"-- main.star --\nload(\"more.star\", \"a\")\ndef main():\n    pass\n-- more.star --\n" + load + "\na = " + broken + "\n":        "more.star:3:21",
		"-- main.star --\nload(\"more.star\", \"f\")\ndef main():\n    f()\n-- more.star --\n" + load + "def f():\n    " + broken + "\n": "more.star:3:21",
	} {
		a, _ := serve(testRequest(), script)
		require.NotNil(t, a.Error, script)
		assert.Equal(t, place+" "+words, placeOf(a)+" "+a.Error.Message, script)
	}
	a, _ := serve(testRequest(), load+"def f():\n    return "+broken+"\ndef main():\n    return render.Root(child = f())\n")
	assert.Equal(t, backtraceHead+"  app.star:5:33: in main\n  app.star:3:28: in f\nError in Animation: "+strings.Replace(words, "failed: ", "failed: runtime error: ", 1), a.Error.Backtrace)

	a, _ = paint(whatPaint, `{"places":[["app.ts",3,12]],"at":["app.ts",1,16],"tree":{"widget":"Root","fields":{"child":`+
		`{"widget":"Animation","at":1,"fields":{}}}}}`)
	require.NotNil(t, a.Error)
	assert.Equal(t, "app.ts:3:12 Root.child Animation: "+words, placeOf(a)+" "+a.Error.Message)
}

// Other panics: the library's error contains Go's stack, which the author must not see.
func TestNoStackOfGoIsTold(t *testing.T) {
	before := testEngine.network.send
	testEngine.network.send = func(any, []byte) error { panic("broken") }
	defer func() { testEngine.network.send = before }()
	const load, get = "load(\"http.star\", \"http\")\n", "http.get(\"https://example.org/\")\n"
	for _, script := range []string{
		load + "def main():\n    " + get,
		load + "def get_schema():\n    " + get + "def main():\n    pass\n",
		load + get + "def main():\n    pass\n",
		"-- main.star --\nload(\"more.star\", \"a\")\ndef main():\n    pass\n-- more.star --\n" + load + "a = " + get,
	} {
		r := testRequest()
		r.Network = nil
		a, _ := serve(r, script)
		require.NotNil(t, a.Error, script)
		assert.Equal(t, "the library failed: broken", a.Error.Message, script)
		assert.NotContains(t, a.Error.Backtrace, "goroutine")
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

// A widget that reuses the memory of a dropped one gets its own source location.
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
