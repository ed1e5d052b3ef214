package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of an archive.
const (
	maxEntries      = 50_000
	maxArchiveBytes = 768 << 20 // of all files, uncompressed
	maxRatio        = 200       // uncompressed to compressed bytes, beyond ratioFreeBytes
	ratioFreeBytes  = 16 << 20
	maxNameBytes    = 500
	maxDepth        = 16
	maxLongBytes    = 4096 // of a name, which may be odd
	// Maximum of the index of a zip, and of the names of a tar: 50,000 entries with names of 100 bytes.
	maxIndexBytes = 8 << 20
)

// member is a file of an archive, or something else that is no folder.
type member struct {
	name  string // without ./ at its start
	isOdd bool   // a link, a device or the like, or a name that apps may not have
}

// archiveVisitor gets each member, with its content.
type archiveVisitor func(one member, content io.Reader) error

// walkArchive visits the files of a .tar.gz or .zip. What may not be an archive of a forge at all ends it: names that lead
// out of it, names that are there twice, encryption, and what exceeds the limits.
func walkArchive(file io.ReaderAt, size int64, visit archiveVisitor) error {
	var magic [4]byte
	if _, err := file.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	walk := &archiveWalk{visit: visit, size: size, seen: map[string]bool{}}
	switch {
	case magic[0] == 0x1f && magic[1] == 0x8b:
		return walk.tar(io.NewSectionReader(file, 0, size))
	case string(magic[:]) == "PK\x03\x04", string(magic[:]) == "PK\x05\x06":
		return walk.zip(file)
	}
	return refuse("is neither a .tar.gz nor a .zip")
}

type archiveWalk struct {
	visit archiveVisitor
	size  int64
	bytes int64
	count int
	names int // bytes
	seen  map[string]bool
}

// counted ends reading beyond the limits.
type counted struct {
	walk  *archiveWalk
	input io.Reader
}

func (c *counted) Read(to []byte) (int, error) {
	read, err := c.input.Read(to)
	c.walk.bytes += int64(read)
	if c.walk.bytes > maxArchiveBytes {
		return 0, refuse("holds more than %d MiB", maxArchiveBytes>>20)
	}
	if c.walk.bytes > ratioFreeBytes && c.walk.bytes/maxRatio > c.walk.size {
		return 0, refuse("is compressed more than %d times", maxRatio)
	}
	return read, err
}

func (w *archiveWalk) tar(file io.Reader) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return broken(err)
	}
	all := &counted{w, unzipped} // headers, holes and what follows the end count, too
	reader := tar.NewReader(all)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return broken(err)
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		isFile := header.Typeflag == tar.TypeReg && header.PAXRecords["GNU.sparse.map"] == "" &&
			header.PAXRecords["GNU.sparse.major"] == ""
		if err := w.member(header.Name, header.Typeflag == tar.TypeDir, isFile, reader); err != nil {
			return broken(err)
		}
	}
	_, err = io.Copy(io.Discard, all) // the checksum is behind the last file
	return broken(err)
}

// indexFile limits what is read of a file before the index is known.
type indexFile struct {
	io.ReaderAt
	left int64 // below 0: no limit any more
}

func (f *indexFile) ReadAt(to []byte, offset int64) (int, error) {
	if f.left >= 0 {
		if f.left -= int64(len(to)); f.left < 0 {
			f.left = 0
			return 0, refuse("has an index of more than %d MiB", maxIndexBytes>>20)
		}
	}
	return f.ReaderAt.ReadAt(to, offset)
}

func (w *archiveWalk) zip(file io.ReaderAt) error {
	limited := &indexFile{file, maxIndexBytes}
	reader, err := zip.NewReader(limited, w.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return broken(err)
	}
	limited.left = -1
	for _, one := range reader.File {
		if err := w.zipMember(one); err != nil {
			return broken(err)
		}
	}
	return nil
}

func (w *archiveWalk) zipMember(one *zip.File) error {
	mode := one.Mode()
	isFolder := strings.HasSuffix(one.Name, "/") || mode.IsDir()
	if one.Flags&1 != 0 {
		return refuse("is encrypted")
	}
	if isFolder || !mode.IsRegular() {
		return w.member(one.Name, isFolder, false, bytes.NewReader(nil))
	}
	content, err := one.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	all := &counted{w, content}
	if err := w.member(one.Name, false, true, all); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, all) // the checksum is behind the content
	return err
}

func (w *archiveWalk) member(name string, isFolder, isFile bool, content io.Reader) error {
	if w.count++; w.count > maxEntries {
		return refuse("has more than %d files and folders", maxEntries)
	}
	if w.names += len(name); w.names > maxIndexBytes || len(name) > maxLongBytes {
		return refuse("has names that are too long")
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if isFolder && (name == "" || name == ".") {
		return nil
	}
	if leadsOut(name) {
		return refuse("has the name %q, which leads out of it", shortName(name))
	}
	if isFolder {
		return nil
	}
	if w.seen[name] {
		return refuse("has %q twice", shortName(name))
	}
	w.seen[name] = true
	return w.visit(member{name, !isFile || isOddName(name)}, content)
}

// leadsOut tells whether an extracting program could write elsewhere.
func leadsOut(name string) bool {
	if strings.HasPrefix(name, "/") || strings.Contains(name, "\x00") || (len(name) > 1 && name[1] == ':') {
		return true
	}
	for part := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '/' || c == '\\' }) {
		if part == ".." {
			return true
		}
	}
	return false
}

// isOddName tells whether a name is one that an app's file may not have.
func isOddName(name string) bool {
	if !fs.ValidPath(name) || len(name) > maxNameBytes || strings.Count(name, "/") >= maxDepth || strings.Contains(name, "\\") {
		return true
	}
	return strings.ContainsFunc(name, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) })
}

func shortName(name string) string {
	const most = 80
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// broken makes the fault of an archive of what its format's reader says; other faults stay as they are.
func broken(err error) error {
	var refusal archiveError
	switch {
	case err == nil || errors.As(err, &refusal) || errors.Is(err, errProtocol):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse("is cut off")
	}
	return refuse("cannot be unpacked: %s", err)
}
