package main

import (
	"fmt"
	"image"
	"reflect"

	"github.com/tronbyt/gg"
	"github.com/tronbyt/pixlet/render"
)

// A panic while painting does not name its widget. So this searches for it: a widget that panics
// when painted alone, while all of its children can be painted alone.

const maxSuspects = 1000 // widgets that are painted again

// failedPaint is the error for a widget's panic.
type failedPaint struct {
	widget render.Widget
	where  string // "PieChart, child 2 of Row"
	cause  any
}

// painting calls paint, which works on the widgets of a root. A panic in it becomes a failedPaint.
func painting(root render.Root, r *request, index int, paint func()) {
	defer func() {
		if cause := recover(); cause != nil {
			s := search{bounds: r.bounds(), index: index}
			found := &failedPaint{widget: root.Child, where: nameOf(root.Child) + ", child of Root", cause: cause}
			s.narrow(found)
			panic(found)
		}
	}()
	paint()
}

type search struct {
	bounds   image.Rectangle
	index    int
	suspects int
}

// narrow follows the panic down to the widget that has no child which panics alone.
func (s *search) narrow(found *failedPaint) {
	children := childrenOf(found.widget)
	for i, child := range children {
		cause := s.fails(child)
		if cause == nil {
			continue
		}
		where := fmt.Sprintf("%s, child %d of %s", nameOf(child), i+1, nameOf(found.widget))
		if len(children) == 1 {
			where = fmt.Sprintf("%s, child of %s", nameOf(child), nameOf(found.widget))
		}
		*found = failedPaint{child, where, cause}
		s.narrow(found)
		return
	}
}

// fails paints the widget alone and returns the cause of its panic, or nil.
func (s *search) fails(widget render.Widget) (cause any) {
	if s.suspects++; s.suspects > maxSuspects {
		return nil
	}
	defer func() { cause = recover() }()
	widget.FrameCount(s.bounds)
	widget.Paint(gg.NewContext(s.bounds.Dx(), s.bounds.Dy()), s.bounds, s.index)
	return nil
}

var widgetType = reflect.TypeFor[render.Widget]()

// childrenOf returns the widgets in the exported fields of a widget, as the library names them.
func childrenOf(widget render.Widget) (found []render.Widget) {
	value := reflect.Indirect(reflect.ValueOf(widget))
	if value.Kind() != reflect.Struct {
		return nil
	}
	add := func(field reflect.Value) {
		if child, ok := field.Interface().(render.Widget); ok && !reflect.ValueOf(child).IsZero() {
			found = append(found, child)
		}
	}
	for i := range value.NumField() {
		field := value.Field(i)
		switch name := value.Type().Field(i).Name; {
		case (name == "Child" || name == "Widget") && field.Type() == widgetType: // the
			// child
			// of
			// filters
			// is
			// named
			// Widget
			add(field)
		case name == "Children" && field.Kind() == reflect.Slice:
			for j := range field.Len() {
				add(field.Index(j))
			}
		}
	}
	return found
}

func nameOf(widget render.Widget) string {
	if widget == nil {
		return "nothing"
	}
	return reflect.Indirect(reflect.ValueOf(widget)).Type().Name()
}
