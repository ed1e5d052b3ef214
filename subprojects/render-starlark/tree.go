package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tronbyt/pixlet/render"
	"github.com/tronbyt/pixlet/runtime"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime/canvas"
	"github.com/tronbyt/pixlet/schema"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// A tree is what an app in another language has made, as JSON:
//
//	widget  {"widget": "Text", "fields": {"content": "Hello"}}
//	bytes   {"bytes": BASE64}
//	handler {"function": "handler"}, of a schema's field; its process calls it
//	frames  {"frames": [bytes...], "delay": MS, "max_age": S, "show_full_animation": BOOL}
//
// A widget may have "at" before its fields: the number of the source location where it was made.
// The numbers refer to a list around the tree, which also has the location of what has made the
// tree:
//
//	{"places": [["app.ts", 3, 12]...], "at": ["app.ts", 1, 16], "is_2x": true, "tree": ...}
//
// With "is_2x" it is drawn for a panel with twice the width and height.
//
// The names of fields may follow in such a place, each with the line and the column where the call has it.
// The rest is JSON as it is; frames are the whole tree. Each widget is made by the function that
// scripts in Starlark call, so all languages have the same widgets, fields, defaults and errors.
// The tree comes from a process that runs untrusted scripts: what bounds it is checked there, and
// again here, while it is read.
const (
	maxTreeBytes    = 4 << 20
	maxTreeDepth    = 110     // there 100, and the objects around them
	maxTreeValues   = 210_000 // there 200,000
	valuesPerLook   = 512
	maxRawFrames    = 400
	maxPlaces       = 1024
	maxPlacedFields = 4096
	bytesPerPixel   = 3
)

var errTree = errors.New("this is no tree")

// makers returns the functions that make widgets, by name.
func makers() (map[string]starlark.Value, error) {
	result := map[string]starlark.Value{}
	for prefix, load := range map[string]func() (starlark.StringDict, error){
		"render": renderModule, "animation": animationModule,
		"filter": filterModule, "schema": schema.LoadModule,
	} {
		loaded, err := load()
		if err != nil {
			return nil, err
		}
		for name, member := range loaded[prefix].(*starlarkstruct.Module).Members {
			switch prefix {
			case "render":
				result[name] = member
			case "schema":
				result["form."+name] = member
			default:
				result[prefix+"."+name] = member
			}
		}
	}
	return result, nil
}

// foreignHandler stands for a handler of another process. Fields accept only Starlark functions;
// all have the same name, since a field has one handler.
var foreignHandler = func() *starlark.Function {
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, &starlark.Thread{}, "handler", "def handler(text):\n    pass\n", nil)
	if err != nil {
		panic(err)
	}
	return globals["handler"].(*starlark.Function)
}()

// treeReader converts a tree into Starlark values.
type treeReader struct {
	decoder *json.Decoder
	thread  *starlark.Thread
	meter   *meter
	makers  map[string]starlark.Value
	path    []string
	depth   int
	values  int

	hasPlaces bool
	places    []call
	fields    int             // fields named in them
	site      *call           // call of the widget that is read or made; nil: unknown
	here      syntax.Position // location for an error
	made      syntax.Position // location of the last widget
	sites     map[render.Widget]syntax.Position
}

func newTreeReader(tree []byte, r *request, m *meter) (*treeReader, error) {
	if len(tree) > maxTreeBytes {
		return nil, tooLarge("tree", len(tree), maxTreeBytes)
	}
	if err := checkSize(r); err != nil {
		return nil, err
	}
	known, err := makers()
	if err != nil {
		return nil, err
	}
	t := &treeReader{decoder: json.NewDecoder(bytes.NewReader(tree)), meter: m, makers: known,
		sites: map[render.Widget]syntax.Position{}}
	t.decoder.UseNumber()
	t.thread = &starlark.Thread{Name: r.App + "@" + r.Version, Print: func(*starlark.Thread, string) {}}
	canvas.AttachToThread(t.thread, r.meta())
	if bytes.HasPrefix(tree, []byte(`{"places"`)) {
		return t, t.readPlaces(r)
	}
	return t, nil
}

// readTree returns the frames of the tree; nil if there is nothing to show.
func readTree(tree []byte, r *request, m *meter) (*reel, error) {
	t, err := newTreeReader(tree, r, m)
	if err != nil {
		return nil, err
	}
	if first := bytes.TrimLeft(tree[t.decoder.InputOffset():], ": \t\r\n"); len(first) > 0 && first[0] == '{' && !bytes.HasPrefix(first, []byte(`{"widget"`)) {
		return t.frames(r)
	}
	value, err := t.whole()
	if err != nil {
		return nil, err
	}
	roots, err := runtime.ExtractRoots(value)
	if err != nil {
		message := strings.Replace(err.Error(), "app implementation", "main()", 1)
		if _, isList := value.(*starlark.List); !isList && t.made.IsValid() {
			t.here = t.made
		}
		return nil, t.complain(message)
	}
	if len(roots) == 0 {
		return nil, nil
	}
	shown := reelOf(roots, r)
	shown.made = func(widget render.Widget) (syntax.Position, bool) {
		position, isKnown := t.sites[widget]
		return position, isKnown
	}
	return shown, nil
}

// readForm puts the app's schema into the answer: a Schema, or the list of its fields.
func readForm(tree []byte, r *request, m *meter, a *answer) error {
	t, err := newTreeReader(tree, r, m)
	if err != nil {
		return err
	}
	value, err := t.whole()
	if err != nil {
		return err
	}
	if fields, ok := value.(*starlark.List); ok {
		value, err = t.make("form.Schema", []starlark.Tuple{
			{starlark.String("version"), starlark.String("1")}, {starlark.String("fields"), fields},
		})
		if err != nil {
			return err
		}
	}
	if value == starlark.None {
		return keepSchema(nil, a)
	}
	if _, ok := value.(*schema.StarlarkSchema); !ok {
		return t.complain("schema must be a Schema or a list of fields, not " + value.Type())
	}
	form, err := schema.FromStarlark(value, nil)
	if err != nil {
		return t.complain(err.Error())
	}
	return keepSchema(form, a)
}

// readReply puts a handler's result into the answer, in the library's form.
func readReply(tree []byte, r *request, m *meter, a *answer) error {
	t, err := newTreeReader(tree, r, m)
	if err != nil {
		return err
	}
	value, err := t.whole()
	if err != nil {
		return err
	}
	var result string
	if _, ok := value.(*schema.StarlarkSchema); ok {
		var form *schema.Schema
		if form, err = schema.FromStarlark(value, nil); err == nil {
			var text []byte
			text, err = json.Marshal(form)
			result = string(text)
		}
	} else {
		result, err = schema.EncodeOptions(value)
	}
	if err != nil {
		return t.complain(err.Error())
	}
	if len(result) > maxResultBytes {
		return tooLarge("handler's answer", len(result), maxResultBytes)
	}
	a.Result = &result
	return nil
}

// complain returns an error with its location in the tree.
func (t *treeReader) complain(message string) error {
	if len(t.path) > 0 {
		message = strings.Join(t.path, "") + ": " + message
	}
	p := &problem{Kind: problemScript, Message: strings.TrimSpace(message)}
	if t.here.IsValid() {
		p.place(t.here)
	}
	return p
}

func (t *treeReader) enter(step string) { t.path = append(t.path, step) }
func (t *treeReader) leave()            { t.path = t.path[:len(t.path)-1] }

// whole reads one value and the end of the tree.
func (t *treeReader) whole() (starlark.Value, error) {
	value, err := t.value("")
	if err == nil {
		err = t.end()
	}
	return value, err
}

// end expects the end of the input, or the end of the object around the tree.
func (t *treeReader) end() (err error) {
	if t.hasPlaces {
		err = t.expect(json.Delim('}'))
	}
	if err == nil {
		if _, more := t.decoder.Token(); !errors.Is(more, io.EOF) {
			err = errTree
		}
	}
	return err
}

func (t *treeReader) token() (json.Token, error) {
	if t.values++; t.values > maxTreeValues {
		return nil, t.complain(fmt.Sprintf("the tree has more than %d values", maxTreeValues))
	}
	if t.values%valuesPerLook == 0 {
		if err := t.meter.look(0); err != nil {
			return nil, err
		}
	}
	return t.decoder.Token()
}

// expect reads exactly this token.
func (t *treeReader) expect(wanted json.Token) error {
	found, err := t.decoder.Token()
	if err == nil && found != wanted {
		err = errTree
	}
	return err
}

// text reads a string: a name, or bytes.
func (t *treeReader) text() (string, error) {
	found, err := t.decoder.Token()
	text, ok := found.(string)
	if err == nil && !ok {
		err = errTree
	}
	return text, err
}

// value reads any value; field is the name of the field that it is for.
func (t *treeReader) value(field string) (starlark.Value, error) {
	if t.depth == maxTreeDepth {
		return nil, t.complain(fmt.Sprintf("the tree is more than %d levels deep", maxTreeDepth))
	}
	t.depth++
	defer func() { t.depth-- }()
	found, err := t.token()
	if err != nil {
		return nil, err
	}
	switch found := found.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(found), nil
	case string:
		return starlark.String(found), nil
	case json.Number:
		return t.number(found)
	case json.Delim:
		if found == '[' {
			return t.list(field)
		}
		if found == '{' {
			return t.object()
		}
	}
	return nil, errTree
}

func (t *treeReader) number(text json.Number) (starlark.Value, error) {
	if whole, err := text.Int64(); err == nil {
		return starlark.MakeInt64(whole), nil
	}
	number, err := text.Float64()
	return starlark.Float(number), err
}

// list reads the rest of an array. The library needs tuples for values with a fixed number of
// numbers (pad, points, limits); weights are a list.
func (t *treeReader) list(field string) (starlark.Value, error) {
	var values []starlark.Value
	onlyNumbers := field != "weights"
	for t.decoder.More() {
		t.enter("[" + strconv.Itoa(len(values)) + "]")
		value, err := t.value("")
		if err != nil {
			return nil, err
		}
		t.leave()
		switch value.(type) {
		case starlark.Int, starlark.Float, starlark.NoneType:
		default:
			onlyNumbers = false
		}
		values = append(values, value)
	}
	if err := t.expect(json.Delim(']')); err != nil {
		return nil, err
	}
	if onlyNumbers && len(values) > 0 && field != "children" {
		return starlark.Tuple(values), nil
	}
	return starlark.NewList(values), nil
}

// object reads the rest of a widget or of bytes.
func (t *treeReader) object() (starlark.Value, error) {
	kind, err := t.text()
	if err != nil {
		return nil, err
	}
	text, err := t.text()
	if err != nil {
		return nil, err
	}
	switch kind {
	case "bytes":
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errTree
		}
		return starlark.Bytes(data), t.expect(json.Delim('}'))
	case "function":
		return foreignHandler, t.expect(json.Delim('}'))
	case "widget":
		return t.widget(text)
	}
	return nil, errTree
}

func (t *treeReader) widget(name string) (starlark.Value, error) {
	if len(t.path) > 0 {
		name = " " + name
	}
	t.enter(name)
	around, outer := t.here, t.site
	if err := t.readSite(); err != nil {
		return nil, err
	}
	if err := t.expect(json.Delim('{')); err != nil {
		return nil, err
	}
	var fields []starlark.Tuple
	site, own := t.site, t.here
	for t.decoder.More() {
		field, err := t.text()
		if err != nil {
			return nil, err
		}
		t.enter("." + field)
		t.here = site.position(field, own)
		value, err := t.value(field)
		if err != nil {
			return nil, err
		}
		t.leave()
		t.site, t.here = site, own
		fields = append(fields, starlark.Tuple{starlark.String(field), value})
	}
	for range 2 { // the fields, and the widget
		if err := t.expect(json.Delim('}')); err != nil {
			return nil, err
		}
	}
	made, err := t.make(strings.TrimSpace(name), fields)
	if err == nil {
		t.leave()
		t.remember(made)
		t.made, t.here, t.site = t.here, around, outer
	}
	return made, err
}

// remember stores where a widget was made, for errors when it is painted.
func (t *treeReader) remember(made starlark.Value) {
	if widget, ok := made.(render_runtime.Widget); ok && t.hasPlaces && t.here.IsValid() {
		t.sites[widget.AsRenderWidget()] = t.here
	}
}

func (t *treeReader) make(name string, fields []starlark.Tuple) (starlark.Value, error) {
	maker := t.makers[name]
	if maker == nil {
		return nil, t.complain("there is no widget " + name)
	}
	made, err := starlark.Call(t.thread, maker, nil, fields)
	var evaluation *starlark.EvalError
	if errors.As(err, &evaluation) {
		_, short, _ := strings.Cut(name, ".")
		if short == "" {
			short = name
		}
		text := strings.TrimPrefix(evaluation.Msg, "unpacking arguments for "+short+": ")
		text = strings.TrimPrefix(text, short+": ")
		if field := fieldOf(text, fields); field != "" {
			t.here = t.site.position(field, t.here)
			if !strings.Contains(text, field) {
				t.enter("." + field)
			}
		}
		return nil, t.complain(text)
	}
	return made, err
}
