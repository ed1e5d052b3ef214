package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"
)

const (
	soleFileName    = "app.star"
	maxArchiveFiles = 2000
)

// unpack returns the files of an app. A script whose first line, comments and empty lines aside, is
// "-- NAME --" is an archive in txtar form; any other is one file. The lines after a NAME that ends
// with ";base64" are the base64 of a file that is not text.
func unpack(script []byte) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	if !isArchive(script) {
		files[soleFileName] = &fstest.MapFile{Data: script, Mode: 0o444}
		return files, nil
	}
	name, rest := nextMarker(script)
	for name != "" {
		var data []byte
		data, rest = cutMarker(rest)
		if err := addFile(files, name, data); err != nil {
			return nil, err
		}
		name, rest = nextMarker(rest)
	}
	return files, nil
}

func addFile(files fstest.MapFS, name string, data []byte) error {
	name, isBase64 := strings.CutSuffix(name, ";base64")
	if isBase64 {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), ""))
		if err != nil {
			return fmt.Errorf("%s is %w", name, err)
		}
		data = decoded
	}
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is not a valid file name", name)
	}
	if files[name] != nil {
		return fmt.Errorf("%s is there twice", name)
	}
	if len(files) == maxArchiveFiles {
		return fmt.Errorf("more than %d files", maxArchiveFiles)
	}
	files[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	return nil
}

func isArchive(script []byte) bool {
	for line := range bytes.Lines(script) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return markerName(line) != ""
		}
	}
	return false
}

// markerName returns the NAME of a line "-- NAME --", or "" for other lines.
func markerName(line []byte) string {
	text := strings.TrimRight(string(line), "\r\n")
	if len(text) < len("-- x --") || !strings.HasPrefix(text, "-- ") || !strings.HasSuffix(text, " --") {
		return ""
	}
	return strings.TrimSpace(text[3 : len(text)-3])
}

// cutMarker splits data before its first marker line.
func cutMarker(data []byte) (before, from []byte) {
	at := 0
	for line := range bytes.Lines(data) {
		if markerName(line) != "" {
			break
		}
		at += len(line)
	}
	return data[:at], data[at:]
}

// nextMarker returns the name of the first marker and what follows its line; "" at the end.
func nextMarker(data []byte) (name string, rest []byte) {
	_, data = cutMarker(data)
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	return markerName(line), rest
}
