package main

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing/fstest"

	"github.com/tronbyt/pixlet/manifest"
	"github.com/tronbyt/pixlet/runtime"
	"github.com/tronbyt/pixlet/runtime/modules/i18n_runtime"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"golang.org/x/text/message/catalog"
)

// version is what stays the same at each render of an app's version: its files, compiled scripts, manifest and texts.
// Requests share it, so nobody changes what has been made.
type version struct {
	files     fstest.MapFS
	roots     []string // scripts of the app's folder itself, and its folder of texts, by name
	programs  map[string]*starlark.Program
	manifest  *manifest.Manifest
	intervalS *int
	texts     *catalog.Builder
	modules   func(*starlark.Thread, string) (starlark.StringDict, error) // the library's
	err       error                                                       // of the manifest, or the texts
}

func newVersion(files fstest.MapFS) *version {
	v := &version{files: files, programs: map[string]*starlark.Program{}, intervalS: intervalS(files)}
	entries, _ := fs.ReadDir(files, ".")
	for _, entry := range entries {
		isScript := !entry.IsDir() && path.Ext(entry.Name()) == ".star"
		if isScript || entry.IsDir() && entry.Name() == runtime.LocaleDir {
			v.roots = append(v.roots, entry.Name())
		}
	}
	v.readRest()
	return v
}

// readRest lets the library read the manifest and the texts, which it puts into the thread of a script of ours.
func (v *version) readRest() {
	rest := maps.Clone(v.files)
	maps.DeleteFunc(rest, func(name string, _ *fstest.MapFile) bool {
		return name != runtime.ManifestPath && !strings.HasPrefix(name, runtime.LocaleDir+"/")
	})
	rest["~.star"] = &fstest.MapFile{Data: []byte("def main(): pass"), Mode: 0o444}
	var thread *starlark.Thread
	applet, err := runtime.NewAppletFromFS(context.Background(), rest, ".", runtime.WithModuleLoader(loadModule),
		runtime.WithThreadInitializer(func(new *starlark.Thread) *starlark.Thread {
			thread, v.modules = new, new.Load
			return new
		}))
	if v.err = err; err == nil {
		v.manifest, v.texts = applet.Manifest, i18n_runtime.CatalogFromThread(thread)
	}
}

// program returns the compiled script.
func (v *version) program(name string) (*starlark.Program, error) {
	if program := v.programs[name]; program != nil {
		return program, nil
	}
	script, err := fs.ReadFile(v.files, name)
	if err != nil {
		return nil, err
	}
	options := &syntax.FileOptions{Set: true, Recursion: true, While: true, TopLevelControl: true}
	_, program, err := starlark.SourceProgramOptions(options, name, script, predeclared.Has)
	if err == nil {
		v.programs[name] = program
	}
	return program, err
}

// Scripts and texts take about so many times their length once they are read.
const readTimes = 8

// bytes is about how much memory the version takes, with scripts that are yet to be compiled.
func (v *version) bytes() int {
	total := 0
	for name, file := range v.files {
		total += len(file.Data)
		if path.Ext(name) == ".star" || strings.HasPrefix(name, runtime.LocaleDir+"/") {
			total += readTimes * len(file.Data)
		}
	}
	return total
}
