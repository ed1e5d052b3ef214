package main

import (
	"bytes"
	"container/list"
)

// versionCache keeps the versions that were just run, so that their scripts are not compiled, nor the base64 of their
// pictures read, anew each time: bounded in bytes, the least recently used goes first.
type versionCache struct {
	entries map[string]*list.Element // by the version's name
	order   list.List                // of *keptVersion, the most recently used first
	bytes   int
}

type keptVersion struct {
	name    string
	script  []byte // it may have changed under the same name
	version *version
	bytes   int
}

const maxVersionsBytes = 16 << 20

func newVersionCache() *versionCache {
	return &versionCache{entries: map[string]*list.Element{}}
}

// find returns the version of this name and script.
func (c *versionCache) find(name string, script []byte) (*version, error) {
	if element := c.entries[name]; element != nil {
		kept := element.Value.(*keptVersion)
		if bytes.Equal(kept.script, script) {
			c.order.MoveToFront(element)
			return kept.version, nil
		}
		c.remove(element)
	}
	files, err := unpack(script)
	if err != nil {
		return nil, err
	}
	found := newVersion(files)
	c.keep(&keptVersion{name: name, script: script, version: found, bytes: len(script) + found.bytes()})
	return found, nil
}

func (c *versionCache) keep(kept *keptVersion) {
	c.entries[kept.name] = c.order.PushFront(kept)
	c.bytes += kept.bytes
	for c.bytes > maxVersionsBytes {
		c.remove(c.order.Back())
	}
}

func (c *versionCache) remove(element *list.Element) {
	kept := c.order.Remove(element).(*keptVersion)
	delete(c.entries, kept.name)
	c.bytes -= kept.bytes
}
