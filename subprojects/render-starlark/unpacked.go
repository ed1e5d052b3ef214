package main

import (
	"bytes"
	"container/list"
	"testing/fstest"
)

// unpackedCache has the files of archives that were run lately, so that the base64 of an app's
// pictures is not decoded each time: bounded in bytes, the least recently used is dropped first.
// The files are never changed.
type unpackedCache struct {
	entries map[string]*list.Element // by version
	order   list.List                // of *unpackedApp, the most recently used first
	bytes   int
}

type unpackedApp struct {
	version string
	script  []byte // it may have changed under the same name
	files   fstest.MapFS
	bytes   int
}

const maxUnpackedBytes = 8 << 20

func newUnpackedCache() *unpackedCache {
	return &unpackedCache{entries: map[string]*list.Element{}}
}

// unpack returns the files of the script, which must not be changed.
func (c *unpackedCache) unpack(version string, script []byte) (fstest.MapFS, error) {
	if element := c.entries[version]; element != nil {
		app := element.Value.(*unpackedApp)
		if bytes.Equal(app.script, script) {
			c.order.MoveToFront(element)
			return app.files, nil
		}
		c.remove(element)
	}
	files, err := unpack(script)
	if err != nil || len(files) == 1 {
		return files, err
	}
	c.keep(&unpackedApp{version: version, script: script, files: files})
	return files, nil
}

func (c *unpackedCache) keep(app *unpackedApp) {
	app.bytes = len(app.script)
	for _, file := range app.files {
		app.bytes += len(file.Data)
	}
	c.entries[app.version] = c.order.PushFront(app)
	c.bytes += app.bytes
	for c.bytes > maxUnpackedBytes {
		c.remove(c.order.Back())
	}
}

func (c *unpackedCache) remove(element *list.Element) {
	app := c.order.Remove(element).(*unpackedApp)
	delete(c.entries, app.version)
	c.bytes -= app.bytes
}
