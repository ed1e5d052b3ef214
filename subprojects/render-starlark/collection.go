package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// The reader of collections: the same program, started with the word "collection". It reads an untrusted archive, of
// which the parent process has the file, and gives the folders of apps in it:
//
//	parent --> size, folder, alone     <-- read: offset, size   --> data, as often as needed
//	       <-- app: each folder with a manifest, its hash, its files   <-- listed
//	       --> want: numbers of apps
//	       --> next       <-- file, ..., last     for each wanted app, in the order of the archive
//	       <-- done
//
// With "alone" all of the archive is one app, with a manifest or without. An error ends it at any time.
const collectionWord = "collection"

type collectionQuery struct {
	Size   int64  `json:"size"`
	Folder string `json:"folder"`
	Alone  bool   `json:"alone"`
	Want   []int  `json:"want"`
	Data   bool   `json:"data"`
	Next   bool   `json:"next"`
}

type readWish struct {
	Offset int64 `json:"offset"`
	Size   int   `json:"size"`
}

// foundApp has its manifest in the blob.
type foundApp struct {
	Path   string `json:"path"`   // relative to the folder
	Sha256 string `json:"sha256"` // of its files, with their names
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Fault  string `json:"fault,omitempty"` // why it is not given
}

// foundFile has its content in the blob.
type foundFile struct {
	App  int    `json:"app"`
	Name string `json:"name"`           // relative to the app's folder
	Last bool   `json:"last,omitempty"` // all files of this app were sent; no file
}

type listing struct {
	Apps  int   `json:"apps"`
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

type collectionAnswer struct {
	Read   *readWish  `json:"read,omitempty"`
	App    *foundApp  `json:"app,omitempty"`
	Listed *listing   `json:"listed,omitempty"`
	File   *foundFile `json:"file,omitempty"`
	Done   bool       `json:"done,omitempty"`
	Error  string     `json:"error,omitempty"`
}

var errProtocol = errors.New("the parent process has sent an unexpected frame")

// distantFile reads a file of the parent process in blocks, the last few of which are kept.
type distantFile struct {
	input  io.Reader
	output io.Writer
	size   int64
	blocks [4]block
	turn   int
	isNext bool  // the next app was asked for
	given  int64 // bytes
}

type block struct {
	at   int64
	data []byte
}

const (
	blockBytes = 1 << 20
	// Maximum of what is read of a file: of each archive that a forge makes it is read twice, an index once more.
	maxReads     = 16
	maxReadsFree = 64 << 20
)

func (f *distantFile) ReadAt(to []byte, offset int64) (int, error) {
	done := 0
	for done < len(to) {
		at := offset + int64(done)
		if at < 0 || at >= f.size {
			return done, io.EOF
		}
		data, err := f.fetch(at / blockBytes * blockBytes)
		if err != nil {
			return done, err
		}
		done += copy(to[done:], data[at%blockBytes:])
	}
	return done, nil
}

func (f *distantFile) fetch(at int64) ([]byte, error) {
	for _, one := range f.blocks {
		if one.data != nil && one.at == at {
			return one.data, nil
		}
	}
	size := min(blockBytes, f.size-at)
	if f.given += size; f.given > maxReads*f.size+maxReadsFree {
		return nil, refuse("has its files in no order")
	}
	if err := writeFrame(f.output, collectionAnswer{Read: &readWish{at, int(size)}}, nil); err != nil {
		return nil, err
	}
	query := collectionQuery{}
	data, err := readFrame(f.input, &query)
	if err == nil && query.Next && !f.isNext { // sent before the wish came
		f.isNext, query = true, collectionQuery{}
		data, err = readFrame(f.input, &query)
	}
	if err != nil {
		return nil, err
	}
	if !query.Data || int64(len(data)) != size {
		return nil, errProtocol
	}
	f.turn = (f.turn + 1) % len(f.blocks)
	f.blocks[f.turn] = block{at, data}
	return data, nil
}

// Memory of the reader, in which live bytes are few: above, the collector works harder. The limit of the process's data
// also counts what Go has mapped and does not use.
const (
	readerMemoryBytes = 96 << 20
	readerGrowth      = 25 // percent of garbage
)

// limitMemory prepares the program for archives that are made to need much.
func limitMemory() {
	debug.SetMemoryLimit(readerMemoryBytes)
	debug.SetGCPercent(readerGrowth)
}

// runCollection serves one archive.
func runCollection(link io.ReadWriter) error {
	input := bufio.NewReader(link)
	query := collectionQuery{}
	if _, err := readFrame(input, &query); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // it was not needed
		}
		return err
	}
	file := &distantFile{input: input, output: link, size: query.Size}
	err := giveCollection(file, query, input, link)
	var refusal archiveError
	if errors.As(err, &refusal) {
		return writeFrame(link, collectionAnswer{Error: string(refusal)}, nil)
	}
	return err
}

func giveCollection(file *distantFile, of collectionQuery, input io.Reader, output io.Writer) error {
	found, err := listArchive(file, file.size, of.Folder, of.Alone)
	if err != nil {
		return err
	}
	for _, app := range found.apps {
		head := &foundApp{Path: app.shown, Sha256: hex.EncodeToString(app.sum()), Files: len(app.files), Bytes: app.bytes,
			Fault: app.fault}
		if err := writeFrame(output, collectionAnswer{App: head}, app.manifest); err != nil {
			return err
		}
	}
	listed := &listing{len(found.apps), found.files, found.bytes}
	if err := writeFrame(output, collectionAnswer{Listed: listed}, nil); err != nil {
		return err
	}
	query := collectionQuery{}
	if _, err := readFrame(input, &query); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // nothing is wanted
		}
		return err
	}
	for _, number := range query.Want {
		if number < 0 || number >= len(found.apps) || found.apps[number].fault != "" {
			return errProtocol
		}
		found.apps[number].isWanted = true
	}
	err = found.give(file, file.size, func(number int, files []namedFile) error {
		return giveApp(number, files, file, output)
	})
	if err != nil {
		return err
	}
	return writeFrame(output, collectionAnswer{Done: true}, nil)
}

// giveApp waits until the parent process asks for the next app.
func giveApp(number int, files []namedFile, from *distantFile, output io.Writer) error {
	query := collectionQuery{Next: from.isNext}
	if !from.isNext {
		if _, err := readFrame(from.input, &query); err != nil {
			return err
		}
	}
	from.isNext = false
	if !query.Next {
		return errProtocol
	}
	for _, file := range files {
		if err := writeFrame(output, collectionAnswer{File: &foundFile{App: number, Name: file.name}}, file.data); err != nil {
			return err
		}
	}
	return writeFrame(output, collectionAnswer{File: &foundFile{App: number, Last: true}}, nil)
}

// archiveError is the archive's fault, as a sentence for people.
type archiveError string

func (e archiveError) Error() string { return string(e) }

func refuse(format string, arguments ...any) error {
	return archiveError(fmt.Sprintf(format, arguments...))
}
