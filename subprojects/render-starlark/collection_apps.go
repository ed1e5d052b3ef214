package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	gohumanize "github.com/dustin/go-humanize"
)

const (
	manifestName      = "manifest.yaml"
	maxManifestBytes  = 64 << 10
	maxManifestsBytes = 16 << 20
	maxApps           = 5_000
	maxAppFiles       = 2_000
	maxAppBytes       = 32 << 20
	maxFileBytes      = maxBlobBytes
	maxPendingBytes   = 64 << 20 // files of apps whose others are further behind
)

type namedFile struct {
	name string
	data []byte
}

// archivedFile is what is kept of a file when the archive is listed.
type archivedFile struct {
	name  string // relative to the app's folder
	hash  [sha256.Size]byte
	bytes int64
}

type archivedApp struct {
	path     string // in the archive
	shown    string // relative to the folder of the collection
	manifest []byte
	files    []archivedFile
	bytes    int64
	fault    string
	isWanted bool
	given    int // files that were read again
	pending  []namedFile
}

type archived struct {
	apps  []*archivedApp
	files int
	bytes int64
	of    map[string]*archivedApp // by path
	at    map[*archivedApp]int
}

// sum returns a hash of the app's files, which does not depend on their order.
func (a *archivedApp) sum() []byte {
	hash := sha256.New()
	for _, file := range a.files {
		hash.Write([]byte(file.name))
		hash.Write([]byte{0})
		_ = binary.Write(hash, binary.BigEndian, file.bytes)
		hash.Write(file.hash[:])
	}
	return hash.Sum(nil)
}

// rawFile is a file whose app is not known yet.
type rawFile struct {
	name  string
	isOdd bool
	hash  [sha256.Size]byte
	bytes int64
}

// listArchive finds the apps: each folder with a manifest that is in no other such folder, below the collection's folder.
// If it is alone, that folder is the only app. Hidden files and folders are left out.
func listArchive(file io.ReaderAt, size int64, folder string, isAlone bool) (*archived, error) {
	var files []rawFile
	manifests := map[string][]byte{}
	manifestBytes := 0
	room := make([]byte, 32<<10)
	err := walkArchive(file, size, func(one member, content io.Reader) error {
		if isHidden(one.name) {
			return nil
		}
		raw := rawFile{name: one.name, isOdd: one.isOdd}
		if !one.isOdd {
			var kept bytes.Buffer
			isManifest := path.Base(one.name) == manifestName
			hash := sha256.New()
			to := io.Writer(hash)
			if isManifest {
				to = io.MultiWriter(hash, &limitedBuffer{&kept, maxManifestBytes + 1})
			}
			written, err := io.CopyBuffer(to, content, room)
			if err != nil {
				return err
			}
			raw.bytes = written
			hash.Sum(raw.hash[:0])
			if isManifest {
				if len(manifests) == maxApps {
					return refuse("has more than %s apps", gohumanize.Comma(maxApps))
				}
				if manifestBytes += kept.Len(); manifestBytes > maxManifestsBytes {
					return refuse("has manifests of more than %d MiB in all", maxManifestsBytes>>20)
				}
				manifests[path.Dir(one.name)] = kept.Bytes()
			}
		}
		files = append(files, raw)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sortOut(files, manifests, folder, isAlone)
}

type limitedBuffer struct {
	to   *bytes.Buffer
	left int
}

func (b *limitedBuffer) Write(data []byte) (int, error) {
	taken := min(b.left, len(data))
	b.left -= taken
	b.to.Write(data[:taken])
	return len(data), nil
}

func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// rootOf returns the folder of the collection in the archive. Forges put all into one folder, named like the branch.
func rootOf(files []rawFile, folder string) (string, error) {
	folder = strings.Trim(path.Clean("/"+folder), "/")
	top := ""
	for i, file := range files {
		first, _, isBelow := strings.Cut(file.name, "/")
		if !isBelow || (i > 0 && first != top) {
			top = ""
			break
		}
		top = first
	}
	roots := []string{path.Join(top, folder)}
	if top != "" && folder != "" {
		roots = append(roots, folder)
	}
	for _, root := range roots {
		if root == "" || slices.ContainsFunc(files, func(file rawFile) bool { return strings.HasPrefix(file.name, root+"/") }) {
			return root, nil
		}
	}
	return "", refuse("has no folder %q", shortName(folder))
}

func sortOut(files []rawFile, manifests map[string][]byte, folder string, isAlone bool) (*archived, error) {
	root, err := rootOf(files, folder)
	if err != nil {
		return nil, err
	}
	found := &archived{of: map[string]*archivedApp{}, at: map[*archivedApp]int{}, files: len(files)}
	if isAlone {
		if len(files) == 0 {
			return nil, refuse("has no files")
		}
		manifests = map[string][]byte{path.Clean(root): manifests[path.Clean(root)]}
	}
	for where, manifest := range manifests {
		if isAlone || isBelow(where, root) && !isInApp(where, root, manifests) {
			shown := strings.TrimPrefix(strings.TrimPrefix(where, root), "/")
			if shown == "" {
				shown = path.Base(where)
			}
			if shown == "." {
				shown = "app"
			}
			found.of[where] = &archivedApp{path: where, shown: shown, manifest: manifest}
		}
	}
	if len(found.of) == 0 {
		return nil, refuse("has no folder with a %s", manifestName)
	}
	for _, app := range found.of {
		found.apps = append(found.apps, app)
	}
	sort.Slice(found.apps, func(i, j int) bool { return found.apps[i].path < found.apps[j].path })
	for i, app := range found.apps {
		found.at[app] = i
	}
	for _, file := range files {
		found.bytes += file.bytes
		if app := found.appOf(file.name); app != nil {
			app.add(file)
		}
	}
	for _, app := range found.apps {
		sort.Slice(app.files, func(i, j int) bool { return isBefore(app.files[i].name, app.files[j].name) })
		if len(app.manifest) > maxManifestBytes {
			app.manifest, app.fault = nil, "its manifest.yaml is larger than 64 KiB"
		}
	}
	return found, nil
}

// isBefore orders names as a walk through the folders does, part by part: displayctl app import packs the files so, too.
func isBefore(one, other string) bool {
	return strings.ReplaceAll(one, "/", "\x00") < strings.ReplaceAll(other, "/", "\x00")
}

func isBelow(where, root string) bool {
	return root == "" || where == root || strings.HasPrefix(where, root+"/")
}

// isInApp tells whether a folder above this one, but not above the root, is an app.
func isInApp(where, root string, manifests map[string][]byte) bool {
	for where != root && where != "." {
		where = path.Dir(where)
		if _, is := manifests[where]; is && isBelow(where, root) {
			return true
		}
	}
	return false
}

func (a *archived) appOf(name string) *archivedApp {
	for where := path.Dir(name); ; where = path.Dir(where) {
		if app := a.of[where]; app != nil {
			return app
		}
		if where == "." || where == "/" {
			return nil
		}
	}
}

// nameIn returns a file's name relative to the app's folder.
func (a *archivedApp) nameIn(name string) string {
	if a.path == "." {
		return name
	}
	return strings.TrimPrefix(name, a.path+"/")
}

func (a *archivedApp) add(file rawFile) {
	name := a.nameIn(file.name)
	switch {
	case file.isOdd:
		a.fault = "has " + quoteName(name) + ", which is a link, or has a name that files of apps may not have"
	case file.bytes > maxFileBytes:
		a.fault = "its file " + quoteName(name) + " is larger than 8 MiB"
	case len(a.files) == maxAppFiles:
		a.fault = "has more than 2,000 files"
	default:
		a.files = append(a.files, archivedFile{name, file.hash, file.bytes})
	}
	if a.bytes += file.bytes; a.bytes > maxAppBytes {
		a.fault = "is larger than 32 MiB"
	}
}

func quoteName(name string) string { return "\"" + shortName(name) + "\"" }

// give reads the archive again, and gives the wanted apps, each when all of its files were read.
func (a *archived) give(file io.ReaderAt, size int64, take func(number int, files []namedFile) error) error {
	left, pending := 0, 0
	for _, app := range a.apps {
		if app.isWanted {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	err := walkArchive(file, size, func(one member, content io.Reader) error {
		app := a.appOf(one.name)
		if isHidden(one.name) || app == nil || !app.isWanted {
			return nil
		}
		data, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		if pending += len(data); pending > maxPendingBytes {
			return refuse("has the files of its apps in no order")
		}
		app.pending = append(app.pending, namedFile{app.nameIn(one.name), data})
		if app.given++; app.given < len(app.files) {
			return nil
		}
		sort.Slice(app.pending, func(i, j int) bool { return isBefore(app.pending[i].name, app.pending[j].name) })
		for _, file := range app.pending {
			pending -= len(file.data)
		}
		err = take(a.at[app], app.pending)
		app.pending = nil
		if left--; err == nil && left == 0 {
			return errAllGiven
		}
		return err
	})
	if err == errAllGiven {
		return nil
	}
	return err
}

var errAllGiven = refuse("all was given")
