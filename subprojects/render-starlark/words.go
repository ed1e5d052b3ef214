package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tronbyt/pixlet/runtime"
)

// Libraries' errors name functions and types of Go, which an author has never seen. plainWords says them in the words of
// the app's files, and names the file if only the text has it.

// phrase replaces what the pattern finds: by words with $1 and the like, or by what say returns.
type phrase struct {
	pattern *regexp.Regexp
	words   string
	say     func(p *problem, found []string) string
}

func phraseOf(pattern, words string) phrase {
	return phrase{pattern: regexp.MustCompile(pattern), words: words}
}

func phraseBy(pattern string, say func(*problem, []string) string) phrase {
	return phrase{pattern: regexp.MustCompile(pattern), say: say}
}

const quoted = `("(?:[^"\\]|\\.)*")`

var phrases = []phrase{
	// what the app consists of
	phraseOf(`^no main\(\) function found in \.$`, "the app has no main() function"),
	phraseBy(`^multiple files with a (\S+) function:\n- (.*)\n- (.*)$`, func(p *problem, found []string) string {
		p.File = found[2]
		return found[2] + " and " + found[3] + " both have a function " + found[1]
	}),
	phraseOf(`circular dependency detected: (.*)`, "files load each other in a circle: $1"),
	phraseOf(`invalid module: \S+`, "neither a file of the app nor a module"),
	phraseBy(`expected (?:app implementation|main\(\)) to return Root\(s\) but found: (\S+) \(at index (\d+)\)`, func(_ *problem, found []string) string {
		return "main() must return a Root or a list of Roots, and value " + next(found[2]) + " of its list is of the type " + found[1]
	}),
	phraseOf(`expected (?:app implementation|main\(\)) to return Root\(s\) but found: (\S+)`,
		"main() must return a Root or a list of Roots, not a value of the type $1"),
	phraseOf(`^in \S+ at \S.*?:\d+:\d+: `, ""),

	// the manifest, and the texts
	phraseBy(`(?s)^loading manifest: could not unmarshal manifest: (.*)$`, sayManifest),
	phraseBy(`^manifest minPixletVersion is not a valid version string: (.*)$`, func(p *problem, found []string) string {
		p.File = runtime.ManifestPath
		return "minPixletVersion is not a version such as v0.53.0: " + found[1]
	}),
	phraseBy(`^app requires a newer pixlet version: needs (.*), got (.*)$`, func(p *problem, found []string) string {
		p.File = runtime.ManifestPath
		return "the app needs version " + found[1] + " of pixlet, and this server has " + found[2]
	}),
	phraseBy(`(?s)^parsing locale (\S+): .*$`, sayLocale("the file is not named after a language, as en.json is")),
	phraseBy(`(?s)^decoding locale file (\S+): .*$`, sayLocale("the file must be an object of texts in JSON")),
	phraseBy(`(?s)^setting locale string (\S+): .*$`, sayLocale("the file has a text that cannot be used")),

	// the schema
	phraseOf(`^(?:parsing|calling) schema (?:function )?for \.: `, "get_schema(): "),
	phraseOf(`^calling schema handler \S+: `, ""),
	phraseOf(`no exported handler named '(.*)'`, `the schema has no handler "$1"`),
	phraseOf(`expected (\S+) to return a string or string-like value`, "$1() must return a text"),
	phraseOf(`type (?:list|tuple) not allowed in schema`, "it must return a Schema, or a list of fields or options, not a list of other values"),
	phraseOf(`type (\S+) not allowed in schema`, "it must return a Schema, or a list of fields or options, not a value of the type $1"),
	phraseOf(`dict keys must be string`, "keys must be texts"),
	phraseBy(`field (\d+) references non-existent handler `+quoted, sayField("names the handler %s, which the script lacks")),
	phraseBy(`field (\d+) references `+quoted+` which is not a function`, sayField("names %s as its handler, which is not a function")),
	phraseBy(`field (\d+) of type `+quoted+` can't have a handler function`, sayField("is of the type %s, which has no handler")),
	phraseBy(`(?s)Key: '([\w.\[\]]+)' Error:Field validation for '\w+' failed on the '(\w+)' tag.*$`, sayRule),
	phraseBy(`json: cannot unmarshal (\S+) into Go (?:value|struct field (\S+)) of type (\S+)`, sayType),

	// pictures
	phraseOf(`(?s)(?:decoding image data|creating animation decoder): .*$|decoding svg data failed`,
		"the image cannot be read: it is damaged, or neither PNG, JPEG, GIF, WebP nor SVG"),
	phraseOf(`runtime error: `, ""),

	// values
	phraseOf(`unpacking arguments for \S+: `, ""), // the rest begins with the name
	phraseOf(`parsing time `+quoted+` as `+quoted+`: cannot parse .*`, "the time $1 does not have the form $2"),
	phraseOf(`parsing time `+quoted+`: (\w+) out of range`, "the time $1 has no such $2"),
	phraseOf(`time: (?:invalid duration|unknown unit `+quoted+` in duration|missing unit in duration) `+quoted, `$2 is not a duration such as "1h30m"`),
	phraseOf(`strconv\.\w+: parsing `+quoted+`: invalid syntax`, "$1 is not a number"),
	phraseOf(`strconv\.\w+: parsing `+quoted+`: value out of range`, "the number $1 is too large"),
	phraseBy(`illegal base64 data at input byte (\d+)`, func(_ *problem, found []string) string {
		return "not valid Base64 from character " + next(found[1]) + " on"
	}),
	phraseOf(`encoding/hex: .*`, "not valid hexadecimal digits"),
	phraseOf(`(gzip|zlib|zip): (?:invalid|not a valid) .*`, "not valid $1 data"),
	phraseOf(`invalid character .* (?:looking for|after|in) .*|unexpected end of JSON input`, "not valid JSON"),
	phraseOf(`unsupported protocol scheme ".*"`, "an address begins with https:// or http://"),
	phraseOf(`http: no Host in request URL`, "the address has no host"),
	phraseOf(`context (?:deadline exceeded|canceled)`, "the time is over"),
}

// plainWords replaces the libraries' words in the message.
func (p *problem) plainWords() {
	for _, one := range phrases {
		at := one.pattern.FindStringSubmatchIndex(p.Message)
		if at == nil {
			continue
		}
		var said string
		if one.say != nil {
			said = one.say(p, one.pattern.FindStringSubmatch(p.Message))
		} else {
			said = string(one.pattern.ExpandString(nil, one.words, p.Message, at))
		}
		p.Message = p.Message[:at[0]] + said + p.Message[at[1]:]
	}
}

func next(index string) string { return strconv.Itoa(number(index) + 1) }

var (
	yamlLine = regexp.MustCompile(`line (\d+): `)
	yamlType = regexp.MustCompile(`cannot unmarshal !!(\w+) .*into (\S+)`)
)

// sayManifest names the line of the manifest, which the error has in its text.
func sayManifest(p *problem, found []string) string {
	p.File = runtime.ManifestPath
	if line := yamlLine.FindStringSubmatch(found[1]); line != nil {
		p.Line, p.Column = number(line[1]), 1
	}
	if types := yamlType.FindStringSubmatch(found[1]); types != nil {
		return kindOf(types[1]) + ", where " + kindOf(types[2]) + " must be"
	}
	if found[1] == "EOF" {
		return "the file is empty"
	}
	return "the file is not valid YAML"
}

func sayLocale(words string) func(*problem, []string) string {
	return func(p *problem, found []string) string {
		p.File = runtime.LocaleDir + "/" + found[1]
		return words
	}
}

// sayField says it of a field, which it counts from 1.
func sayField(words string) func(*problem, []string) string {
	return func(_ *problem, found []string) string {
		return "field " + next(found[1]) + " " + strings.Replace(words, "%s", found[2], 1)
	}
}

var stepText = regexp.MustCompile(`^(\w+?)s?\[(\d+)\]$`)

// sayRule says which rule of schemas was broken, by a path such as Schema.Fields[0].Options[1].Text.
func sayRule(_ *problem, found []string) string {
	steps := strings.Split(found[1], ".")
	where := ""
	for _, step := range steps[:len(steps)-1] {
		if item := stepText.FindStringSubmatch(step); item != nil {
			where += strings.ToLower(item[1]) + " " + next(item[2]) + ": "
		}
	}
	member := `"` + strings.ToLower(steps[len(steps)-1]) + `"`
	switch found[2] {
	case "required", "required_for":
		return where + member + " is missing"
	case "forbidden_for", "allowed_for":
		return where + "a field of its type has no " + member
	case "excludesall":
		return where + member + " must not have a $"
	}
	return where + member + " has a value that is not allowed"
}

// sayType says which value has another type than a schema needs.
func sayType(_ *problem, found []string) string {
	wanted := "must be " + kindOf(found[3]) + ", not " + kindOf(found[1])
	if _, path, isMember := strings.Cut(found[2], "."); isMember {
		return `"` + path + `" of a field ` + wanted
	}
	if strings.HasPrefix(found[3], "[]") {
		return "it must return a Schema or a list of fields, not " + kindOf(found[1])
	}
	return "a field " + wanted
}

// kindOf returns the words for a type of Go, JSON or YAML.
func kindOf(name string) string {
	switch name = strings.TrimLeft(name, "*"); {
	case strings.HasPrefix(name, "[]"), name == "array", name == "seq":
		return "a list"
	case name == "string", name == "str":
		return "a text"
	case name == "bool":
		return "true or false"
	case name == "number", strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"), strings.HasPrefix(name, "float"):
		return "a number"
	case name == "null":
		return "nothing"
	}
	return "a dict"
}
