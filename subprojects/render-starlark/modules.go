package main

import (
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"sync"
	"time"

	gohumanize "github.com/dustin/go-humanize"
	"github.com/tronbyt/pixlet/runtime"
	"github.com/tronbyt/pixlet/runtime/modules/animation_runtime"
	"github.com/tronbyt/pixlet/runtime/modules/filter_runtime"
	"github.com/tronbyt/pixlet/runtime/modules/humanize"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime"
	"github.com/tronbyt/pixlet/runtime/modules/starlarkhttp"
	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Functions to set the process's state that the library's modules use, once and for each request.

// prepareModules sets what holds for all requests and returns the cache of the scripts.
func prepareModules(n *network) *scriptCache {
	starlarkhttp.StarlarkHTTPClient = &http.Client{Transport: n}
	starlarkhttp.Timeout.Store(maxFetchTimeout)
	cache := &scriptCache{entries: map[string]*list.Element{}}
	runtime.InitCache(cache)
	return cache
}

// setProcessClock makes the process's zone and random numbers those of the request. Only one
// request is in flight.
func setProcessClock(r *request, location *time.Location) {
	time.Local = location
	seed := [32]byte{}
	for i := range 8 {
		seed[i] = byte(r.Seed >> (8 * i))
	}
	rand.Reader = mathrand.NewChaCha8(seed) // random.number(secure = True)
}

// Modules that make widgets. The library's modules are not changed: all requests share them.
var (
	renderModule = sync.OnceValues(func() (starlark.StringDict, error) {
		all, err := noting(render_runtime.LoadModule())
		if err == nil {
			members := all["render"].(*starlarkstruct.Module).Members
			members["Plot"] = checkedPlot(members["Plot"].(*starlark.Builtin))
			members["Image"] = sized(members["Image"].(*starlark.Builtin), checkImage)
			members["Text"] = sized(members["Text"].(*starlark.Builtin), checkText)
			members["WrappedText"] = sized(members["WrappedText"].(*starlark.Builtin), checkText)
		}
		return all, err
	})
	filterModule    = sync.OnceValues(func() (starlark.StringDict, error) { return noting(filter_runtime.LoadModule()) })
	animationModule = sync.OnceValues(func() (starlark.StringDict, error) {
		all, err := noting(animation_runtime.LoadModule())
		if err == nil {
			members := all["animation"].(*starlarkstruct.Module).Members
			members["Transformation"] = boundedTransformation(members["Transformation"].(*starlark.Builtin))
		}
		return all, err
	})
)

// loadModule replaces the modules that read the machine's clock or can paint without end, and those
// that make widgets.
func loadModule(_ *starlark.Thread, name string) (starlark.StringDict, error) {
	switch name {
	case "render.star":
		return renderModule()
	case "filter.star":
		return filterModule()
	case "animation.star":
		return animationModule()
	case "humanize.star":
		return humanizeModule()
	case "displayd.star":
		return displaydModule, nil
	}
	return nil, runtime.ErrInvalidModule
}

func humanizeModule() (starlark.StringDict, error) {
	module, err := humanize.LoadModule()
	if err != nil {
		return nil, err
	}
	members := maps.Clone(module[humanize.ModuleName].(*starlarkstruct.Module).Members)
	members["time"] = starlark.NewBuiltin("time", humanizeTime)
	return starlark.StringDict{
		humanize.ModuleName: &starlarkstruct.Module{Name: humanize.ModuleName, Members: members},
	}, nil
}

func humanizeTime(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var date starlarktime.Time
	if err := starlark.UnpackArgs("time", args, kwargs, "date", &date); err != nil {
		return nil, fmt.Errorf("unpacking arguments for time: %s", err)
	}
	now, err := starlarktime.Now(thread)()
	if err != nil {
		return nil, err
	}
	return starlark.String(gohumanize.RelTime(time.Time(date), now, "ago", "from now")), nil
}

// scriptCache has the entries of the cache module: bounded in bytes, the least recently used is
// dropped first. The library puts the thread's name before each key, and a thread's name is its
// app's version. Entries expire by the requests' clock, so that tests can let them expire.
type scriptCache struct {
	entries map[string]*list.Element
	order   list.List // list of *cacheEntry, the most recently used first
	bytes   int
	now     time.Time
}

type cacheEntry struct {
	key    string
	value  []byte
	lapses time.Time
}

const (
	maxCacheBytes = 8 << 20
	maxEntryBytes = 512 << 10
)

var errEntryTooLarge = errors.New("more than 512 KiB are not cached")

func (c *scriptCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	element := c.entries[key]
	if element == nil {
		return nil, false, nil
	}
	entry := element.Value.(*cacheEntry)
	if !c.now.Before(entry.lapses) {
		c.remove(element)
		return nil, false, nil
	}
	c.order.MoveToFront(element)
	return entry.value, true, nil
}

func (c *scriptCache) Set(_ context.Context, key string, value []byte, ttlS int64) error {
	if len(key)+len(value) > maxEntryBytes {
		return errEntryTooLarge
	}
	if element := c.entries[key]; element != nil {
		c.remove(element)
	}
	ttl := time.Duration(min(ttlS, 365*24*3600)) * time.Second
	entry := &cacheEntry{key, value, c.now.Add(ttl)}
	c.entries[key] = c.order.PushFront(entry)
	c.bytes += len(key) + len(value)
	for c.bytes > maxCacheBytes {
		c.remove(c.order.Back())
	}
	return nil
}

func (c *scriptCache) Close() {}

func (c *scriptCache) remove(element *list.Element) {
	entry := c.order.Remove(element).(*cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= len(entry.key) + len(entry.value)
}
