package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tronbyt/pixlet/manifest"
	"github.com/tronbyt/pixlet/render"
	"github.com/tronbyt/pixlet/runtime"
	"github.com/tronbyt/pixlet/runtime/modules/file"
	"github.com/tronbyt/pixlet/runtime/modules/i18n_runtime"
	"github.com/tronbyt/pixlet/schema"
	"github.com/tronbyt/pixlet/starlarkutil"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// applet is a version of an app at work, for one request: its scripts have been run, and main() and the handlers can
// be called. It does what the library's runtime.Applet does, in the same order and with the same errors, but that
// compiles each script anew, or keeps compiled ones in a folder.
type applet struct {
	version *version
	prepare func(*starlark.Thread) // called with each new thread

	globals    map[string]starlark.StringDict // of each file that was loaded
	hasTexts   bool                           // the folder of texts had its turn
	main       *starlark.Function
	mainFile   string
	schema     *schema.Schema
	schemaFile string
}

var predeclared = starlark.StringDict{"struct": starlark.NewBuiltin("struct", starlarkstruct.Make)}

func loadApplet(ctx context.Context, v *version, prepare func(*starlark.Thread)) (*applet, error) {
	a := &applet{version: v, prepare: prepare, globals: map[string]starlark.StringDict{}}
	if v.err != nil {
		return nil, v.err
	}
	for _, name := range v.roots {
		if name == runtime.LocaleDir {
			a.hasTexts = true
		} else if _, err := a.load(ctx, name, nil); err != nil {
			return nil, err
		}
	}
	if a.main == nil {
		return nil, errors.New("no main() function found in .")
	}
	return a, nil
}

func (a *applet) newThread(ctx context.Context) *starlark.Thread {
	thread := &starlark.Thread{Load: a.version.modules}
	starlarkutil.AttachThreadContext(ctx, thread)
	if a.version.manifest != nil {
		manifest.AttachToThread(thread, a.version.manifest)
	}
	if a.hasTexts && a.version.texts != nil {
		i18n_runtime.AttachCatalogToThread(thread, a.version.texts)
	}
	a.prepare(thread)
	return thread
}

// load runs a file once and returns its globals. loading has the files that load this one.
func (a *applet) load(ctx context.Context, name string, loading []string) (starlark.StringDict, error) {
	name = path.Clean(name)
	if globals, ok := a.globals[name]; ok {
		return globals, nil
	}
	if slices.Contains(loading, name) {
		return nil, fmt.Errorf("circular dependency detected: %s -> %s", strings.Join(loading, " -> "), name)
	}
	if path.Ext(name) != ".star" {
		a.globals[name] = starlark.StringDict{"file": &file.File{FS: a.version.files, Path: name}}
		return a.globals[name], nil
	}
	program, err := a.version.program(name)
	if err != nil {
		return nil, fmt.Errorf("starlark.SourceProgram: %w", err)
	}
	thread := a.newThread(ctx)
	defer starlarkutil.RunOnExitFuncs(thread)
	thread.Load = a.loader(ctx, append(slices.Clip(loading), name))
	globals, err := program.Init(thread, predeclared)
	if err != nil {
		return nil, fmt.Errorf("initializing module: %w", err)
	}
	globals.Freeze()
	a.globals[name] = globals
	return globals, a.findFunctions(ctx, name, globals)
}

// loader returns what the load statements of a file call.
func (a *applet) loader(ctx context.Context, loading []string) func(*starlark.Thread, string) (starlark.StringDict, error) {
	return func(thread *starlark.Thread, module string) (starlark.StringDict, error) {
		globals, err := a.version.modules(thread, module)
		if err == nil || !errors.Is(err, runtime.ErrInvalidModule) {
			return globals, err
		}
		if _, err := fs.Stat(a.version.files, path.Clean(module)); err == nil {
			return a.load(ctx, module, loading)
		}
		return nil, fmt.Errorf("%w: %s", runtime.ErrInvalidModule, module)
	}
}

// findFunctions looks for main() and get_schema(), which it calls. One file has each.
func (a *applet) findFunctions(ctx context.Context, name string, globals starlark.StringDict) error {
	if main, ok := globals["main"].(*starlark.Function); ok {
		if a.main != nil {
			return fmt.Errorf("multiple files with a main() function:\n- %s\n- %s", name, a.mainFile)
		}
		a.main, a.mainFile = main, name
	}
	form, ok := globals[schema.SchemaFunctionName].(*starlark.Function)
	if !ok {
		return nil
	}
	if a.schemaFile != "" {
		return fmt.Errorf("multiple files with a %s() function:\n- %s\n- %s", schema.SchemaFunctionName, name, a.schemaFile)
	}
	a.schemaFile = name
	value, err := a.call(ctx, form)
	if err != nil {
		return fmt.Errorf("calling schema function for .: %w", err)
	}
	if a.schema, err = schema.FromStarlark(value, globals); err != nil {
		return fmt.Errorf("parsing schema for .: %w", err)
	}
	return nil
}

// call calls a function of a script in a thread of its own, until the context ends.
func (a *applet) call(ctx context.Context, function *starlark.Function, args ...starlark.Value) (starlark.Value, error) {
	thread := a.newThread(ctx)
	defer starlarkutil.RunOnExitFuncs(thread)
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()
	result, err := starlark.Call(thread, function, args, nil)
	var evaluation *starlark.EvalError
	switch {
	case errors.As(err, &evaluation):
		return nil, errors.New(evaluation.Backtrace())
	case err != nil:
		return nil, fmt.Errorf("in %s at %s: %w", function.Name(), function.Position(), err)
	}
	return result, nil
}

// run calls main() and returns the roots of its widgets.
func (a *applet) run(ctx context.Context, config map[string]any) ([]render.Root, error) {
	var args starlark.Tuple
	if a.main.NumParams() > 0 {
		args = starlark.Tuple{runtime.NewAppletConfig(config, a.schema)}
	}
	returned, err := a.call(ctx, a.main, args...)
	if err != nil {
		return nil, err
	}
	return runtime.ExtractRoots(returned)
}

// callHandler calls a handler of the schema and returns its result as text.
func (a *applet) callHandler(ctx context.Context, r *request) (string, error) {
	handler, found := a.schema.Handlers[r.Handler]
	if !found {
		return "", fmt.Errorf("no exported handler named '%s'", r.Handler)
	}
	args := starlark.Tuple{starlark.String(r.Parameter)}
	if handler.Function.NumParams() > 1 {
		args = append(args, runtime.NewAppletConfig(r.Config, a.schema))
	}
	returned, err := a.call(ctx, handler.Function, args...)
	if err != nil {
		return "", fmt.Errorf("calling schema handler %s: %w", r.Handler, err)
	}
	switch handler.ReturnType {
	case schema.ReturnOptions:
		return schema.EncodeOptions(returned)
	case schema.ReturnSchema:
		form, err := schema.FromStarlark(returned, a.globals[a.schemaFile])
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(form)
		return string(text), err
	}
	text, ok := starlark.AsString(returned)
	if !ok {
		return "", fmt.Errorf("expected %s to return a string or string-like value", handler.Function.Name())
	}
	return text, nil
}
