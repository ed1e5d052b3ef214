package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// The index of a .zip, which archive/zip reads as a whole: this looks at it before, in a few KiB of memory.

const (
	indexEndBytes   = 22 // without its comment
	indexEntryBytes = 46 // without names
	index64Bytes    = 56
	locator64Bytes  = 20
	maxCommentBytes = 1<<16 - 1
)

var (
	indexEndMark   = []byte("PK\x05\x06")
	indexEntryMark = []byte("PK\x01\x02")
	index64Mark    = []byte("PK\x06\x06")
	locator64Mark  = []byte("PK\x06\x07")
)

// checkIndex refuses a .zip of too many files and folders, by what its end says and by what its index has: either may lie.
// Faults of a damaged one are left to archive/zip.
func checkIndex(file io.ReaderAt, size int64) error {
	tail := make([]byte, min(size, indexEndBytes+maxCommentBytes))
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	at := bytes.LastIndex(tail, indexEndMark)
	if at < 0 || at+indexEndBytes > len(tail) {
		return nil
	}
	end := tail[at:]
	count := uint64(binary.LittleEndian.Uint16(end[10:]))
	bytes, offset := uint64(binary.LittleEndian.Uint32(end[12:])), uint64(binary.LittleEndian.Uint32(end[16:]))
	before := size - int64(len(tail)) + int64(at)
	if wide := wideEnd(file, before-locator64Bytes); wide != nil {
		count = binary.LittleEndian.Uint64(wide[32:])
		bytes, offset = binary.LittleEndian.Uint64(wide[40:]), binary.LittleEndian.Uint64(wide[48:])
	}
	if count > maxEntries {
		return refuseCount()
	}
	if err := countEntries(file, offset, size); err != nil {
		return err
	}
	return countEntries(file, uint64(before)-bytes, size) // with data before the archive
}

// wideEnd returns the end of a zip64; nil: there is none.
func wideEnd(file io.ReaderAt, at int64) []byte {
	locator, end := make([]byte, locator64Bytes), make([]byte, index64Bytes)
	if at < 0 {
		return nil
	}
	if _, err := file.ReadAt(locator, at); err != nil || !bytes.HasPrefix(locator, locator64Mark) {
		return nil
	}
	where := binary.LittleEndian.Uint64(locator[8:])
	if where > uint64(at) {
		return nil
	}
	if _, err := file.ReadAt(end, int64(where)); err != nil || !bytes.HasPrefix(end, index64Mark) {
		return nil
	}
	return end
}

func countEntries(file io.ReaderAt, at uint64, size int64) error {
	if at >= uint64(size) {
		return nil
	}
	index := bufio.NewReader(io.NewSectionReader(file, int64(at), min(size-int64(at), maxIndexBytes+1)))
	for count := 0; ; count++ {
		head, err := index.Peek(indexEntryBytes)
		if err != nil || !bytes.HasPrefix(head, indexEntryMark) {
			return nil
		}
		if count == maxEntries {
			return refuseCount()
		}
		more := 0
		for _, field := range []int{28, 30, 32} { // name, extra, comment
			more += int(binary.LittleEndian.Uint16(head[field:]))
		}
		if _, err := index.Discard(indexEntryBytes + more); err != nil {
			return nil
		}
	}
}

// span is where a file's data lies.
type span struct{ from, to int64 }

// checkOverlaps refuses a .zip whose files share data, as those that unpack to far more than they are.
func checkOverlaps(spans []span) error {
	slices.SortFunc(spans, func(one, other span) int { return cmp.Compare(one.from, other.from) })
	for i := range spans {
		if i > 0 && spans[i].from < spans[i-1].to {
			return refuse("has files that overlap")
		}
	}
	return nil
}
