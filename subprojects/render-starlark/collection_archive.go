package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	gohumanize "github.com/dustin/go-humanize"
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
	start := make([]byte, 512)
	length, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	walk := &archiveWalk{visit: visit, size: size, seen: map[string]bool{}}
	switch start = start[:length]; {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return walk.tar(io.NewSectionReader(file, 0, size))
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")):
		return walk.zip(file)
	}
	return refuse("%s, neither a .tar.gz nor a .zip", formatOf(start))
}

// formatOf names what a file is that begins with these bytes.
func formatOf(start []byte) string {
	text := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))))
	for _, kind := range []struct{ start, words string }{
		{"BZh", "is compressed with bzip2"}, {"\xfd7zXZ", "is compressed with xz"}, {"\x28\xb5\x2f\xfd", "is compressed with zstd"},
		{"7z\xbc\xaf", "is a .7z"}, {"Rar!", "is a .rar"}} {
		if bytes.HasPrefix(start, []byte(kind.start)) {
			return kind.words
		}
	}
	switch {
	case len(start) == 0:
		return "is empty"
	case bytes.HasPrefix(text, []byte("<")):
		return "is a web page"
	case len(start) > 262 && string(start[257:262]) == "ustar":
		return "is a .tar without gzip"
	}
	return "is of an unknown format"
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
	if err := checkIndex(file, w.size); err != nil {
		return err
	}
	limited := &indexFile{file, maxIndexBytes}
	reader, err := zip.NewReader(limited, w.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return broken(err)
	}
	limited.left = -1
	spans := make([]span, 0, len(reader.File))
	for _, one := range reader.File {
		if err := w.zipMember(one); err != nil {
			return broken(err)
		}
		at, err := one.DataOffset()
		if err != nil {
			return broken(err)
		}
		spans = append(spans, span{at, at + int64(one.CompressedSize64)})
	}
	return checkOverlaps(spans)
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
		return refuseCount()
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

func refuseCount() error {
	return refuse("has more than %s files and folders", gohumanize.Comma(maxEntries))
}

// broken makes the fault of an archive of what its format's reader says; other faults stay as they are.
func broken(err error) error {
	var refusal archiveError
	var corrupt flate.CorruptInputError
	switch {
	case err == nil || errors.As(err, &refusal) || errors.Is(err, errProtocol):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse("is cut off or damaged")
	case errors.Is(err, gzip.ErrHeader):
		return refuse("is damaged, or has other data after its end")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zip.ErrChecksum), errors.As(err, &corrupt):
		return refuse("is damaged: the checksum or the data of a file is wrong")
	case errors.Is(err, tar.ErrHeader):
		return refuse("is damaged, or holds no .tar")
	case errors.Is(err, tar.ErrFieldTooLong):
		return refuse("has a header that is too long")
	case errors.Is(err, zip.ErrFormat):
		return refuse("is a .zip whose list of files is damaged")
	case errors.Is(err, zip.ErrAlgorithm):
		return refuse("has a file that is compressed in a way that this server cannot read")
	}
	return refuse("cannot be unpacked: %s", err)
}
