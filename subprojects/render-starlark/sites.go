package main

import (
	"maps"
	"reflect"

	"github.com/tronbyt/pixlet/render"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// sites has the source locations where a request's scripts have made widgets, the newest ones. A
// widget is stored by its address only, so the collector can free one that the script drops.
type sites struct {
	last []site // a ring, once it is full
	next int
}

type site struct {
	widget uintptr
	place  syntax.Position
}

const (
	maxSites = 1 << 15 // for 2,048 frames of ten widgets

	sitesOfThread = "displayd/sites"
)

func (s *sites) attach(thread *starlark.Thread) { thread.SetLocal(sitesOfThread, s) }

// note stores where a script makes the widget. The script's call is the thread's innermost frame
// with a line.
func (s *sites) note(thread *starlark.Thread, widget render.Widget) {
	made := site{widget: addressOf(widget)}
	for depth := 1; depth < thread.CallStackDepth() && made.place.Line == 0; depth++ {
		made.place = thread.DebugFrame(depth).Position() // a built-in function has no line
	}
	if len(s.last) < maxSites {
		s.last = append(s.last, made)
		return
	}
	s.last[s.next] = made
	s.next = (s.next + 1) % maxSites
}

// of returns where the widget was made. If others had its address before, the newest entry counts.
func (s *sites) of(widget render.Widget) (syntax.Position, bool) {
	address := addressOf(widget)
	for i := range s.last {
		made := s.last[(s.next+len(s.last)-1-i)%len(s.last)]
		if made.widget == address && address != 0 {
			return made.place, made.place.Line > 0
		}
	}
	return syntax.Position{}, false
}

func addressOf(widget render.Widget) uintptr {
	if value := reflect.ValueOf(widget); value.Kind() == reflect.Pointer {
		return value.Pointer()
	}
	return 0
}

// noting wraps a module of the library so that its functions note where they make widgets. If one
// panics, the script's call fails as with any other error.
func noting(loaded starlark.StringDict, err error) (starlark.StringDict, error) {
	if err != nil {
		return nil, err
	}
	all := maps.Clone(loaded)
	for name, value := range all {
		module, ok := value.(*starlarkstruct.Module)
		if !ok {
			continue
		}
		members := maps.Clone(module.Members)
		for member, value := range members {
			if maker, ok := value.(*starlark.Builtin); ok {
				members[member] = notingMaker(maker)
			}
		}
		all[name] = &starlarkstruct.Module{Name: module.Name, Members: members}
	}
	return all, nil
}

func notingMaker(maker *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin(maker.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (made starlark.Value, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = libraryFailed(cause)
			}
		}()
		made, err = maker.CallInternal(thread, args, kwargs) // without a frame of its own
		widget, ok := made.(render_runtime.Widget)
		if s, isNoted := thread.Local(sitesOfThread).(*sites); err == nil && ok && isNoted {
			s.note(thread, widget.AsRenderWidget())
		}
		return made, err
	})
}
