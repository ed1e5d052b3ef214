package main

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Words that only a programmer of the server has seen.
var libraryWords = regexp.MustCompile(`\bGo (value|struct)|json: |yaml: |strconv|unmarshal|unpacking|schema\.Schema|Error:Field|base64 data|runtime error|image: | for \.|in \.$`)

const form = "load(\"schema.star\", \"schema\")\ndef main():\n    return []\ndef get_schema():\n    return %s\n"

func TestErrorsAreInPlainWords(t *testing.T) {
	for name, c := range map[string]struct {
		script, message, file string
		line                  int
	}{
		"no main":        {"x = 1\n", "the app has no main() function", "", 0},
		"two":            {"-- a.star --\ndef main():\n    pass\n-- b.star --\ndef main():\n    pass\n", "b.star and a.star both have a function main()", "b.star", 0},
		"no root":        {"def main():\n    return 7\n", "main() must return a Root or a list of Roots, not a value of the type int", soleFileName, 1},
		"no list":        {"def main():\n    return [None]\n", "main() must return a Root or a list of Roots, and value 1 of its list is of the type NoneType", soleFileName, 1},
		"arguments":      {"def main(a, b):\n    return []\n", "function main missing 1 argument (b)", soleFileName, 1},
		"manifest":       {"-- manifest.yaml --\nid: a\nname: [\n-- a.star --\ndef main():\n    pass\n", "the file is not valid YAML", "manifest.yaml", 2},
		"manifest type":  {"-- manifest.yaml --\nid: a\nname: [a]\n-- a.star --\ndef main():\n    pass\n", "a list, where a text must be", "manifest.yaml", 2},
		"no manifest":    {"-- manifest.yaml --\n-- a.star --\ndef main():\n    pass\n", "the file is empty", "manifest.yaml", 0},
		"texts":          {"-- locales/de.json --\n{\"a\": 1}\n-- a.star --\ndef main():\n    pass\n", "the file must be an object of texts in JSON", "locales/de.json", 0},
		"language":       {"-- locales/1.json --\n{}\n-- a.star --\ndef main():\n    pass\n", "the file is not named after a language, as en.json is", "locales/1.json", 0},
		"no schema":      {fmt.Sprintf(form, "{}"), "get_schema(): it must return a Schema or a list of fields, not a dict", soleFileName, 4},
		"a number":       {fmt.Sprintf(form, "7"), "get_schema(): it must return a Schema, or a list of fields or options, not a value of the type int", soleFileName, 4},
		"a text":         {fmt.Sprintf(form, "[\"a\"]"), "get_schema(): a field must be a dict, not a text", soleFileName, 4},
		"a list":         {fmt.Sprintf(form, "[{\"id\": [\"a\"]}]"), "get_schema(): \"id\" of a field must be a text, not a list", soleFileName, 4},
		"no type":        {fmt.Sprintf(form, "[{\"id\": \"a\"}]"), "get_schema(): field 1: \"type\" is missing", soleFileName, 4},
		"other type":     {fmt.Sprintf(form, "[{\"id\": \"a\", \"type\": \"b\"}]"), "get_schema(): field 1: \"type\" has a value that is not allowed", soleFileName, 4},
		"no options":     {fmt.Sprintf(form, "[{\"id\": \"a\", \"type\": \"dropdown\", \"name\": \"A\", \"default\": \"x\"}]"), "get_schema(): field 1: \"options\" is missing", soleFileName, 4},
		"an option":      {fmt.Sprintf(form, "[{\"id\": \"a\", \"type\": \"radio\", \"name\": \"A\", \"default\": \"x\", \"options\": [{\"text\": \"b\"}]}]"), "get_schema(): field 1: option 1: \"value\" is missing", soleFileName, 4},
		"dollar":         {fmt.Sprintf(form, "[{\"id\": \"a$\", \"type\": \"text\", \"name\": \"A\"}]"), "get_schema(): field 1: \"id\" must not have a $", soleFileName, 4},
		"no handler":     {fmt.Sprintf(form, "[{\"id\": \"a\", \"type\": \"typeahead\", \"name\": \"A\", \"handler\": \"b\"}]"), "get_schema(): field 1 names the handler \"b\", which the script lacks", soleFileName, 4},
		"argument":       {loadRender + "def main():\n    return render.Root(child = render.Text())\n", "Text: missing argument for content", soleFileName, 3},
		"image":          {loadRender + "def main():\n    return render.Root(child = render.Image(src = \"x\"))\n", "the image cannot be read: it is damaged, or neither PNG, JPEG, GIF, WebP nor SVG", soleFileName, 3},
		"base64":         {"load(\"encoding/base64.star\", \"base64\")\ndef main():\n    base64.decode(\"a?\")\n", "not valid Base64 from character 2 on", soleFileName, 3},
		"base64 of file": {"-- a.png;base64 --\n?\n", "a.png is not valid Base64 from character 1 on", "", 0},
		"time":           {"load(\"time.star\", \"time\")\ndef main():\n    time.parse_time(\"noon\")\n", "the time \"noon\" does not have the form \"2006-01-02T15:04:05Z07:00\"", soleFileName, 3},
		"duration":       {"load(\"time.star\", \"time\")\ndef main():\n    time.parse_duration(\"soon\")\n", "parse_duration: for parameter 1: \"soon\" is not a duration such as \"1h30m\"", soleFileName, 3},
		"circle":         {"-- a.star --\nload(\"b.star\", \"b\")\n-- b.star --\nload(\"a.star\", \"a\")\n", "cannot load a.star: files load each other in a circle: a.star -> b.star -> a.star", "b.star", 1},
		"module":         {"load(\"nothing.star\", \"nothing\")\ndef main():\n    pass\n", "cannot load nothing.star: neither a file of the app nor a module", soleFileName, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := serve(testRequest(), c.script)
			require.NotNil(t, a.Error)
			assert.Equal(t, c.message, a.Error.Message)
			assert.Equal(t, c.file, a.Error.File)
			assert.Equal(t, c.line, a.Error.Line)
			assert.NotRegexp(t, libraryWords, a.Error.Message)
		})
	}
}

func TestErrorsOfTreesAreInPlainWords(t *testing.T) {
	for what, c := range map[string]struct{ tree, message string }{
		whatPaint:    {`{"widget":"Root","fields":{"child":{"widget":"Image","fields":{"src":"x"}}}}`, "Root.child Image.src: the image cannot be read: it is damaged, or neither PNG, JPEG, GIF, WebP nor SVG"},
		whatDescribe: {`7`, "schema must be a Schema or a list of fields, not int"},
		whatReply:    {`7`, "it must return a Schema, or a list of fields or options, not a value of the type int"},
	} {
		r := testRequest()
		r.What = what
		a, _ := serve(r, c.tree)
		require.NotNil(t, a.Error)
		assert.Contains(t, a.Error.Message, c.message)
		assert.NotRegexp(t, libraryWords, a.Error.Message)
	}
}
