package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"math"
	"path"
	"strconv"
	"strings"

	"go.starlark.net/syntax"
)

// readPlaces reads what comes before the tree itself.
func (t *treeReader) readPlaces() error {
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
		t.here, err = t.place()
	}
	if err == nil {
		err = t.expect("tree")
	}
	return err
}

// place reads a place; an empty list is none.
func (t *treeReader) place() (syntax.Position, error) {
	var none syntax.Position
	if err := t.expect(json.Delim('[')); err != nil {
		return none, err
	}
	if !t.decoder.More() {
		return none, t.expect(json.Delim(']'))
	}
	file, err := t.text()
	if err != nil {
		return none, err
	}
	line, err := t.index(math.MaxInt32)
	if err != nil {
		return none, err
	}
	column, err := t.index(math.MaxInt32)
	if err != nil {
		return none, err
	}
	return syntax.MakePosition(&file, int32(line), int32(column)), t.expect(json.Delim(']'))
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

// site reads where the widget was made, if that is told, and the name of what comes then: its fields.
func (t *treeReader) site() error {
	name, err := t.text()
	if err == nil && name == "at" {
		var index int
		if index, err = t.index(len(t.places)); err == nil {
			t.here = t.places[index-1]
			name, err = t.text()
		}
	}
	if err == nil && name != "fields" {
		err = errTree
	}
	return err
}

// What the library says without a place, and the function that it is about.
var placeless = []struct{ words, function string }{
	{"parsing schema for ", "get_schema"},
	{"expected app implementation to return Root", "main"},
}

// placed gives such an error the place of the function.
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

// scriptsOf parses the scripts in the app's folder itself, one after the other. What cannot be read is
// left out.
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
