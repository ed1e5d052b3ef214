package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func paint(what, tree string) (*answer, []byte) {
	r := testRequest()
	r.What = what
	return serve(r, tree)
}

func mustPaint(t *testing.T, tree string) (*answer, []byte) {
	t.Helper()
	a, blob := paint(whatPaint, tree)
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	return a, blob
}

func TestHandlersOfTrees(t *testing.T) {
	const field = `{"widget":"form.Typeahead","fields":{"id":"city","name":"City","desc":"d","icon":"i","handler":{"function":"handler"}}}`
	a, _ := paint(whatDescribe, `[`+field+`,{"widget":"form.Generated","fields":{"id":"more","source":"city","handler":{"function":"handler"}}}]`)
	require.Nil(t, a.Error)
	assert.JSONEq(t, `{"version":"1","schema":[
		{"type":"typeahead","id":"city","name":"City","description":"d","icon":"i","handler":"city$handler"},
		{"type":"generated","id":"more","source":"city","handler":"more$handler"}],"notifications":[]}`,
		strings.Replace(string(a.Schema), `]}`, `],"notifications":[]}`, 1))
	for tree, want := range map[string]string{
		`[{"widget":"form.Option","fields":{"display":"Zagreb","value":"zg"}}]`: `[{"display":"Zagreb","text":"Zagreb","value":"zg"}]`,
		`[]`: `[]`,
		`{"widget":"form.Schema","fields":{"version":"1","fields":[]}}`: `{"version":"1","schema":[]}`,
	} {
		a, _ := paint(whatReply, tree)
		require.Nil(t, a.Error, tree)
		assert.JSONEq(t, want, *a.Result)
	}
	for tree, want := range map[string]string{
		`7`: "it must return a Schema", `null`: "it must return a Schema", `[7]`: "it must return a Schema", `"x"`: "must be a list",
		`[{"widget":"Box","fields":{}}]`: "it must return a Schema", `{"function":7}`: "no tree", `{"function":"f"`: "",
	} {
		a, _ := paint(whatReply, tree)
		require.NotNil(t, a.Error, tree)
		assert.Contains(t, a.Error.Message, want)
	}
}

func TestTreesLookLikeScripts(t *testing.T) {
	for name, c := range map[string]struct{ script, tree string }{
		"text": {`render.Text(content = "Hé", color = "#0f0", font = "6x13")`,
			`{"widget":"Text","fields":{"content":"Hé","color":"#0f0","font":"6x13"}}`},
		"list": {`render.Row(main_align = "center", expanded = True, children = [render.Box(width = 3, height = 3, color = "#f00"), None])`,
			`{"widget":"Row","fields":{"main_align":"center","expanded":true,"children":[` +
				`{"widget":"Box","fields":{"width":3,"height":3,"color":"#f00"}},null]}}`},
		"tuple": {`render.Padding(pad = (1, 2, 3, 4), color = "#00f", child = render.Box(width = 3, height = 3))`,
			`{"widget":"Padding","fields":{"pad":[1,2,3,4],"color":"#00f","child":{"widget":"Box","fields":{"width":3,"height":3}}}}`},
		"points": {`render.Plot(width = 64, height = 32, data = [(0, 1.5), (1, 3), (2, 4)], y_lim = (-1, 5))`,
			`{"widget":"Plot","fields":{"width":64,"height":32,"data":[[0,1.5],[1,3],[2,4]],"y_lim":[-1,5]}}`},
		"weights": {`render.PieChart(diameter = 20, colors = ["#f00", "#0f0"], weights = [3, 1.5])`,
			`{"widget":"PieChart","fields":{"diameter":20,"colors":["#f00","#0f0"],"weights":[3,1.5]}}`},
		"bytes": {`render.Image(src = base64.decode("` + base64.StdEncoding.EncodeToString([]byte(smallGIF)) + `"), width = 5, height = 5)`,
			`{"widget":"Image","fields":{"src":{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(smallGIF)) + `"},"width":5,"height":5}}`},
		"animation": {`animation.Transformation(child = render.Box(width = 5, height = 5, color = "#fff"), duration = 10, keyframes = [` +
			`animation.Keyframe(percentage = 0.0, transforms = [animation.Translate(x = 0, y = 0)], curve = "ease_in"),` +
			`animation.Keyframe(percentage = 1.0, transforms = [animation.Translate(x = 20, y = 3)])])`,
			`{"widget":"animation.Transformation","fields":{"child":{"widget":"Box","fields":{"width":5,"height":5,"color":"#fff"}},"duration":10,"keyframes":[` +
				`{"widget":"animation.Keyframe","fields":{"percentage":0,"transforms":[{"widget":"animation.Translate","fields":{"x":0,"y":0}}],"curve":"ease_in"}},` +
				`{"widget":"animation.Keyframe","fields":{"percentage":1,"transforms":[{"widget":"animation.Translate","fields":{"x":20,"y":3}}]}}]}}`},
		"filter": {`filter.Invert(child = render.Box(width = 9, height = 9, color = "#123"))`,
			`{"widget":"filter.Invert","fields":{"child":{"widget":"Box","fields":{"width":9,"height":9,"color":"#123"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			loads := loadRender + "load(\"animation.star\", \"animation\")\nload(\"filter.star\", \"filter\")\n" +
				"load(\"encoding/base64.star\", \"base64\")\n"
			_, want := mustServe(t, testRequest(), loads+"def main():\n    return render.Root(child = "+c.script+")\n")
			_, got := mustPaint(t, `{"widget":"Root","fields":{"child":`+c.tree+`}}`)
			requireSameMovie(t, want, got)
		})
	}
}

func TestTreeOfNothing(t *testing.T) {
	for _, tree := range []string{"null", "[]", `{"frames":[]}`} {
		_, blob := mustPaint(t, tree)
		assert.Empty(t, blob, tree)
	}
}

func TestTreeTellsWhatItsRootSays(t *testing.T) {
	a, _ := mustPaint(t, `[{"widget":"Root","fields":{"child":{"widget":"Box","fields":{}},"max_age":90,"show_full_animation":true}}]`)
	assert.Equal(t, 90, a.MaxAgeS)
	assert.True(t, a.ShowFullAnimation)
}

// rawPicture is a frame of one colour, in base64.
func rawPicture(colour string) string {
	return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(colour, 64*32))) + `"}`
}

func TestRawFrames(t *testing.T) {
	a, blob := mustPaint(t, `{"delay":200,"frames":[`+rawPicture("\xff\x00\x00")+","+rawPicture("\x00\x01\x02")+`],"max_age":7}`)
	assert.Equal(t, []int{200, 200}, a.DelaysMs)
	assert.Equal(t, 7, a.MaxAgeS)
	shown := decode(t, blob)
	assert.Equal(t, []byte{255, 0, 0, 255}, shown.frames[0].Pix[:4])
	assert.Equal(t, []byte{0, 1, 2, 255}, shown.frames[1].Pix[:4])
}

func TestHostileTrees(t *testing.T) {
	deep := strings.Repeat(`{"widget":"Box","fields":{"child":`, 200) + "null" + strings.Repeat("}}", 200)
	for name, c := range map[string]struct{ tree, want string }{
		"deep":                {`{"widget":"Root","fields":{"child":` + deep + "}}", "levels deep"},
		"deep lists":          {strings.Repeat("[", 1<<20), "levels deep"},
		"wide":                {"[" + strings.Repeat("1,", 300_000) + "1]", "values"},
		"large":               {`"` + strings.Repeat("x", maxTreeBytes) + `"`, "too large"},
		"no JSON":             {"root", "not valid JSON"},
		"nothing":             {"", "EOF"},
		"two":                 {"null null", "no tree"},
		"cut":                 {`{"widget":"Root","fields":{`, "EOF"},
		"no widget":           {`{"widget":"Rooot","fields":{}}`, "there is no widget Rooot"},
		"no field":            {`{"widget":"Root","fields":{"child":{"widget":"Text","fields":{"contents":"a"}}}}`, "Root.child Text: unexpected keyword argument \"contents\""},
		"missing":             {`{"widget":"Root","fields":{}}`, "Root: missing argument for child"},
		"wrong type":          {`{"widget":"Root","fields":{"child":{"widget":"Box","fields":{"width":"3"}}}}`, "Root.child Box: for parameter \"width\": got string, want int"},
		"no root":             {`{"widget":"Box","fields":{}}`, "not a value of the type Box"},
		"a number":            {"7", "not a value of the type int"},
		"a number of 400":     {"1e400", "too large"},
		"no child":            {`{"widget":"Root","fields":{"child":null}}`, "invalid type for child"},
		"field twice":         {`{"widget":"Box","fields":{"width":1,"width":2}}`, "multiple values for keyword argument"},
		"no base64":           {`[{"bytes":"?"}]`, "no tree"},
		"other object":        {`{"widget":"Root","fields":{"child":{"a":"b"}}}`, "no tree"},
		"no children":         {`{"widget":"Root","fields":{"child":{"widget":"Animation","fields":{}}}}`, "failed"},
		"frames of no bytes":  {`{"frames":[1]}`, "must have 6144 bytes"},
		"a frame too short":   {`{"frames":[{"bytes":"AAAA"}]}`, "must have 6144 bytes"},
		"no list of frames":   {`{"frames":7}`, "must be a list"},
		"other field":         {`{"frame":[]}`, "no field frame"},
		"a delay of a string": {`{"delay":"x","frames":[]}`, "delay"},
	} {
		t.Run(name, func(t *testing.T) {
			a, blob := paint(whatPaint, c.tree)
			require.NotNil(t, a.Error)
			assert.Contains(t, a.Error.Message, c.want)
			assert.Empty(t, blob)
		})
	}
}

// Small files of large pictures: their memory is checked while the tree is read.
func TestTreesAreBoundedInMemory(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 2000, 2000))))
	widget := `{"widget":"Image","fields":{"src":{"bytes":"` + base64.StdEncoding.EncodeToString(file.Bytes()) + `"}}}`
	padding := strings.Repeat("1,", valuesPerLook)
	tree := "[" + strings.Repeat(widget+","+padding, 120) + "1]"
	require.Less(t, len(tree), maxTreeBytes)
	a, _ := paint(whatPaint, tree)
	require.NotNil(t, a.Error)
	assert.Equal(t, problemLimit, a.Error.Kind)
	assert.Contains(t, a.Error.Message, "holds more than 96 MiB")
}

func TestErrorsOfTreesHaveThePlaceOfTheirWidget(t *testing.T) {
	const around = `{"places":[["app.ts",3,12],["lib/a.ts",7,1]],"at":["app.ts",1,16],"tree":`
	const root, text = `{"widget":"Root","at":1,"fields":{"child":`, `{"widget":"Text","at":2,"fields":{`
	for tree, where := range map[string]string{
		root + text + `"contents":""}}}}`:             "lib/a.ts:7:1",
		root + text + `"content":""}},"delay":"x"}}`:  "app.ts:3:12",
		root + `{"widget":"Text","fields":{"a":1}}}}`: "app.ts:3:12", // nobody knows where it was made
		text + `"content":""}}`:                       "lib/a.ts:7:1",
		"[" + text + `"content":""}}]`:                "app.ts:1:16",
		"7":                                           "app.ts:1:16",
		`{"frames":[7]}`:                              "app.ts:1:16",
		`{"widget":"Root","at":3,"fields":{}}`:        ":0:0", // no tree
		`{"widget":"Root","at":0,"fields":{}}`:        ":0:0",
		`{"widget":"Root","at":1,"at":1,"fields":{}}`: ":0:0",
		`{"widget":"Root","at":"1","fields":{}}`:      ":0:0",
	} {
		a, _ := paint(whatPaint, around+tree+"}")
		require.NotNil(t, a.Error, tree)
		assert.Equal(t, where, fmt.Sprintf("%s:%d:%d", a.Error.File, a.Error.Line, a.Error.Column), tree)
	}
	_, blob := mustPaint(t, around+root+text+`"content":""}}}}}`)
	assert.NotEmpty(t, blob)
	_, blob = mustPaint(t, `{"places":[],"at":[],"tree":{"frames":[`+rawPicture("\x00\x01\x02")+`]}}`)
	assert.NotEmpty(t, blob)
	for _, tree := range []string{
		`{"places":[[]],"at":[],"tree":null`, `{"places":[["a",0,1]],"at":[],"tree":null}`,
		`{"places":[["a",1]],"at":[],"tree":null}`, `{"places":[],"at":7,"tree":null}`, `{"places":7`,
		`{"places":[` + strings.Repeat(`["a",1,1],`, 1024) + `["a",1,1]],"at":[],"tree":null}`,
		`{"places":[],"at":[],"tree":null}7`, `{"places":[],"tree":null}`, `{"places":[["a",1,99999999999]]`,
	} {
		a, _ := paint(whatPaint, tree)
		assert.NotNil(t, a.Error, tree)
	}
}

const toggle = `{"widget":"form.Toggle","fields":{"id":"twelve","name":"12","desc":"Twelve","icon":"clock","default":true}}`

func TestFormsOfTrees(t *testing.T) {
	want := `{"version":"1","schema":[{"type":"onoff","id":"twelve","name":"12","description":"Twelve","icon":"clock","default":"true"}]}`
	for _, tree := range []string{
		"[" + toggle + "]",
		`{"widget":"form.Schema","fields":{"version":"1","fields":[` + toggle + `]}}`,
	} {
		a, _ := paint(whatDescribe, tree)
		require.Nil(t, a.Error)
		assert.JSONEq(t, want, string(a.Schema))
	}
	a, _ := paint(whatDescribe, "null")
	require.Nil(t, a.Error)
	assert.Equal(t, "null", string(a.Schema))
	for tree, message := range map[string]string{
		"7":                              "schema must be a Schema or a list of fields",
		`[{"widget":"Box","fields":{}}]`: "expected fields to be a list of Field",
		`[{"widget":"form.Text","fields":{"id":"a$b","name":"A","desc":"B","icon":"c"}}]`: `"id"`,
	} {
		a, _ := paint(whatDescribe, tree)
		require.NotNil(t, a.Error, tree)
		assert.Contains(t, a.Error.Message, message)
	}
}
