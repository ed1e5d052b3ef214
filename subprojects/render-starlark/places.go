package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/tronbyt/pixlet/runtime/modules/render_runtime/canvas"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// call is a call in a script that makes widgets, with the locations of the fields' names in it.
type call struct {
	called syntax.Position
	fields map[string]syntax.Position
}

// position returns where the field is named, or around if that is not known.
func (c *call) position(field string, around syntax.Position) syntax.Position {
	if c == nil {
		return around
	}
	if position, isKnown := c.fields[field]; isKnown {
		return position
	}
	return around
}

// Words in the library's errors that do not name the field, with the field.
var fieldWords = []struct{ words, field string }{
	{"image data", "src"}, {"svg data", "src"}, {"string or bytes", "src"}, {"data point", "data"},
	{"vertex", "vertices"}, {"transform", "transforms"}, {"color", "colors"},
}

var nameText = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// fieldOf finds out which of a widget's fields the library's error is about.
func fieldOf(message string, fields []starlark.Tuple) string {
	given := map[string]bool{}
	for _, field := range fields {
		given[string(field[0].(starlark.String))] = true
	}
	for _, name := range nameText.FindAllString(message, -1) {
		if given[name] {
			return name
		}
	}
	for _, known := range fieldWords {
		if given[known.field] && strings.Contains(message, known.words) {
			return known.field
		}
	}
	if _, value, found := strings.Cut(message, "but got: "); found {
		for _, field := range fields {
			if field[1].String() == value {
				return string(field[0].(starlark.String))
			}
		}
	}
	return ""
}

// readPlaces reads the list of source locations before the tree.
func (t *treeReader) readPlaces(r *request) error {
	t.hasPlaces = true
	for _, wanted := range []json.Token{json.Delim('{'), "places", json.Delim('[')} {
		if err := t.expect(wanted); err != nil {
			return err
		}
	}
	for t.decoder.More() {
		place, err := t.place()
		if err != nil || len(t.places) == maxPlaces {
			return errors.Join(errTree, err)
		}
		t.places = append(t.places, place)
	}
	err := t.expect(json.Delim(']'))
	if err == nil {
		err = t.expect("at")
	}
	if err == nil {
		var whole call
		whole, err = t.place()
		t.here = whole.called
	}
	if err == nil {
		err = t.readSize(r)
	}
	return err
}

// readSize reads whether an app draws for twice the width and height, which needs a panel that has them, and the name of
// the tree.
func (t *treeReader) readSize(r *request) error {
	name, err := t.text()
	if err == nil && name == "is_2x" {
		if err = t.expect(true); err == nil {
			r.draws2x = r.Is2x
			canvas.AttachToThread(t.thread, r.meta())
			name, err = t.text()
		}
	}
	if err == nil && name != "tree" {
		err = errTree
	}
	return err
}

// place reads a source location and the field names that follow it; an empty list means none.
func (t *treeReader) place() (c call, err error) {
	if err = t.expect(json.Delim('[')); err != nil {
		return c, err
	}
	if !t.decoder.More() {
		return c, t.expect(json.Delim(']'))
	}
	file, err := t.text()
	if err != nil {
		return c, err
	}
	if c.called, err = t.position(&file); err != nil {
		return c, err
	}
	for t.decoder.More() {
		name, err := t.text()
		if err != nil {
			return c, err
		}
		if t.fields++; t.fields > maxPlacedFields {
			return c, errTree
		}
		if c.fields == nil {
			c.fields = map[string]syntax.Position{}
		}
		if c.fields[name], err = t.position(&file); err != nil {
			return c, err
		}
	}
	return c, t.expect(json.Delim(']'))
}

func (t *treeReader) position(file *string) (none syntax.Position, err error) {
	line, err := t.index(math.MaxInt32)
	if err != nil {
		return none, err
	}
	column, err := t.index(math.MaxInt32)
	if err != nil {
		return none, err
	}
	return syntax.MakePosition(file, int32(line), int32(column)), nil
}

// index reads a number from 1 to most.
func (t *treeReader) index(most int) (int, error) {
	found, err := t.decoder.Token()
	text, ok := found.(json.Number)
	if err != nil || !ok {
		return 0, errors.Join(errTree, err)
	}
	index, err := strconv.Atoi(text.String())
	if err != nil || index < 1 || index > most {
		return 0, errTree
	}
	return index, nil
}

// readSite reads where the widget was made, if the tree has it, and the name of the next member,
// "fields".
func (t *treeReader) readSite() error {
	t.site = nil
	name, err := t.text()
	if err == nil && name == "at" {
		var index int
		if index, err = t.index(len(t.places)); err == nil {
			t.site = &t.places[index-1]
			t.here = t.site.called
			name, err = t.text()
		}
	}
	if err == nil && name != "fields" {
		err = errTree
	}
	return err
}

// Errors of the library without a source location, and the function that each is about.
var placeless = []struct{ words, function string }{
	{"parsing schema for ", "get_schema"},
	{"expected app implementation to return Root", "main"},
}

// placed adds the source location of the function to such an error.
func placed(err error, files fs.FS) error {
	if err == nil {
		return nil
	}
	for _, about := range placeless {
		if !strings.HasPrefix(err.Error(), about.words) {
			continue
		}
		if position, found := definition(files, about.function); found {
			p := &problem{Kind: problemScript, Message: err.Error()}
			p.place(position)
			return p
		}
	}
	return err
}

// definition finds the function in the scripts from which the library takes main() and the like.
func definition(files fs.FS, function string) (found syntax.Position, ok bool) {
	for script := range scriptsOf(files) {
		for _, statement := range script.Stmts {
			if def, isDef := statement.(*syntax.DefStmt); isDef && def.Name.Name == function {
				return def.Name.NamePos, true
			}
		}
	}
	return found, false
}

// scriptsOf parses the scripts in the app's folder, not in its subfolders, one after the other.
// Unreadable files are left out.
func scriptsOf(files fs.FS) iter.Seq[*syntax.File] {
	return func(yield func(*syntax.File) bool) {
		entries, err := fs.ReadDir(files, ".")
		if err != nil {
			return
		}
		for _, entry := range entries {
			if path.Ext(entry.Name()) != ".star" {
				continue
			}
			source, err := fs.ReadFile(files, entry.Name())
			if err != nil {
				continue
			}
			script, err := (&syntax.FileOptions{}).Parse(entry.Name(), source, 0)
			if err == nil && !yield(script) {
				return
			}
		}
	}
}
