package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packedFile is a file of an archive; a name that ends with / is a folder, a target makes a link.
type packedFile struct{ name, data, target string }

func tarOf(t testing.TB, files ...packedFile) []byte {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	to := tar.NewWriter(zipped)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Size: int64(len(file.data)), Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(file.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if file.target != "" {
			header.Typeflag, header.Linkname = tar.TypeSymlink, file.target
		}
		require.NoError(t, to.WriteHeader(header))
		_, err := io.WriteString(to, file.data)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

func zipOf(t testing.TB, files ...packedFile) []byte {
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, file := range files {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate}
		if file.target != "" {
			header.SetMode(os.ModeSymlink | 0o777)
			file.data = file.target
		}
		one, err := to.CreateHeader(header)
		require.NoError(t, err)
		_, err = io.WriteString(one, file.data)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	return out.Bytes()
}

var usual = []packedFile{
	{name: "apps-main/"}, {name: "apps-main/README.md", data: "Apps"}, {name: "apps-main/.github/manifest.yaml", data: "name: x"},
	{name: "apps-main/apps/"}, {name: "apps-main/apps/sun/"}, {name: "apps-main/apps/sun/sun.star", data: "def main(): pass"},
	{name: "apps-main/apps/sun/manifest.yaml", data: "name: Sun"}, {name: "apps-main/apps/sun/img/a.png", data: "png"},
	{name: "apps-main/apps/sun/img/manifest.yaml", data: "inner"}, {name: "apps-main/apps/sun/.hidden", data: "x"},
	{name: "apps-main/apps/moon/manifest.yaml", data: "name: Moon"}, {name: "apps-main/apps/moon/moon.star", data: "moon"},
	{name: "apps-main/apps/none/none.star", data: "none"}, {name: "apps-main/old/gone/manifest.yaml", data: "name: Gone"},
}

// shownApps lists the apps of an archive: path, files and bytes, and fault.
func shownApps(t *testing.T, archive []byte, folder string) (shown []string, err error) {
	found, err := listArchive(bytes.NewReader(archive), int64(len(archive)), folder, false)
	if err != nil {
		return nil, err
	}
	for _, app := range found.apps {
		shown = append(shown, strings.TrimSpace(fmt.Sprint(app.shown, " ", len(app.files), " ", app.bytes, " ", app.fault)))
		app.isWanted = app.fault == ""
	}
	given := map[int]int{}
	err = found.give(bytes.NewReader(archive), int64(len(archive)), func(number int, files []namedFile) error {
		given[number] = len(files)
		return nil
	})
	require.NoError(t, err)
	for i, app := range found.apps {
		if app.fault == "" {
			assert.Equal(t, len(app.files), given[i])
		}
	}
	return shown, nil
}

func TestUsualArchives(t *testing.T) {
	for _, archive := range [][]byte{tarOf(t, usual...), zipOf(t, usual...)} {
		for folder, wanted := range map[string][]string{
			"apps": {"moon 2 14", "sun 4 33"}, "/apps/": {"moon 2 14", "sun 4 33"}, "apps/sun": {"sun 4 33"},
			"": {"apps/moon 2 14", "apps/sun 4 33", "old/gone 1 10"}, "..": {"apps/moon 2 14", "apps/sun 4 33", "old/gone 1 10"},
			"apps-main/old": {"gone 1 10"},
		} {
			shown, err := shownApps(t, archive, folder)
			require.NoError(t, err, folder)
			assert.Equal(t, wanted, shown, folder)
		}
		_, err := shownApps(t, archive, "elsewhere")
		assert.EqualError(t, err, `has no folder "elsewhere"`)
	}
}

func TestPlainRoot(t *testing.T) {
	shown, err := shownApps(t, tarOf(t, packedFile{name: "./"}, packedFile{name: "./a.star", data: "a"}, packedFile{name: "./manifest.yaml"}), "")
	require.NoError(t, err)
	assert.Equal(t, []string{"app 2 1"}, shown)
}

// TestAlone reads archives whose one folder is an app, with a manifest or without.
func TestAlone(t *testing.T) {
	const script, manifest = "def main():\n    return []\n", "id: clock\n"
	for _, one := range []struct {
		shown, manifest string
		files           []packedFile
	}{
		{"app", "", []packedFile{{name: "clock.star", data: script}}},
		{"clock", "", []packedFile{{name: "clock/"}, {name: "clock/a.star", data: script}, {name: "clock/img/a.png", data: "x"}}},
		{"clock", manifest, []packedFile{{name: "clock/a.star", data: script}, {name: "clock/manifest.yaml", data: manifest},
			{name: "clock/more/manifest.yaml", data: "id: other\n"}, {name: "clock/.git/config", data: "x"}}},
	} {
		for _, archive := range [][]byte{zipOf(t, one.files...), tarOf(t, one.files...)} {
			found, err := listArchive(bytes.NewReader(archive), int64(len(archive)), "", true)
			require.NoError(t, err)
			require.Len(t, found.apps, 1)
			assert.Equal(t, one.shown, found.apps[0].shown)
			assert.Equal(t, one.manifest, string(found.apps[0].manifest))
			assert.Empty(t, found.apps[0].fault)
		}
	}
	empty := zipOf(t)
	_, err := listArchive(bytes.NewReader(empty), int64(len(empty)), "", true)
	assert.ErrorContains(t, err, "has no files")
}

func TestOrderDoesNotMatter(t *testing.T) {
	turned := make([]packedFile, len(usual))
	for i, file := range usual {
		turned[len(usual)-1-i] = file
	}
	sums := map[string]bool{}
	for _, archive := range [][]byte{tarOf(t, usual...), tarOf(t, turned...), zipOf(t, turned...)} {
		found, err := listArchive(bytes.NewReader(archive), int64(len(archive)), "apps", false)
		require.NoError(t, err)
		sums[hex.EncodeToString(found.apps[0].sum())+hex.EncodeToString(found.apps[1].sum())] = true
	}
	assert.Len(t, sums, 1)
}

// Faults of an app leave the others as they are.
func TestFaultsOfApps(t *testing.T) {
	large := strings.Repeat("large\n", maxFileBytes/5)
	for name, file := range map[string]packedFile{
		"link":     {name: "a/one/link", target: "/etc/passwd"},
		"encoding": {name: "a/one/caf\xe9.star", data: "x"},
		"control":  {name: "a/one/a\nb", data: "x"},
		"slash":    {name: `a/one/b\c`, data: "x"},
		"empty":    {name: "a/one//b", data: "x"},
		"long":     {name: "a/one/" + strings.Repeat("n", maxNameBytes), data: "x"},
		"deep":     {name: "a/one/" + strings.Repeat("d/", maxDepth) + "f", data: "x"},
		"large":    {name: "a/one/b", data: large},
		"manifest": {name: "a/one/manifest.yaml", data: strings.Repeat("#", maxManifestBytes+1)},
	} {
		files := []packedFile{{name: "a/two/manifest.yaml"}, file}
		if name != "manifest" {
			files = append(files, packedFile{name: "a/one/manifest.yaml"})
		}
		for _, archive := range [][]byte{tarOf(t, files...), zipOf(t, files...)} {
			found, err := listArchive(bytes.NewReader(archive), int64(len(archive)), "", false)
			require.NoError(t, err, name)
			require.Len(t, found.apps, 2, name)
			assert.NotEmpty(t, found.apps[0].fault, name)
			assert.Empty(t, found.apps[1].fault, name)
		}
	}
	files := []packedFile{{name: "a/manifest.yaml"}}
	random := make([]byte, 7<<20)
	_, _ = rand.Read(random)
	for i := range 6 {
		files = append(files, packedFile{name: fmt.Sprint("a/", i), data: string(random)})
	}
	found := tarOf(t, files...)
	apps, err := listArchive(bytes.NewReader(found), int64(len(found)), "", false)
	require.NoError(t, err)
	assert.Equal(t, "is larger than 32 MiB", apps.apps[0].fault)
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(to []byte) (int, error) { clear(to); return len(to), nil }

func bombs(t testing.TB) map[string][]byte {
	var tarred, zipped bytes.Buffer
	packer, _ := gzip.NewWriterLevel(&tarred, gzip.BestCompression)
	to := tar.NewWriter(packer)
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "a", Size: 1 << 26, Typeflag: tar.TypeReg}))
	_, err := io.CopyN(to, zeros{}, 1<<26)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	require.NoError(t, packer.Close())
	files := zip.NewWriter(&zipped)
	one, err := files.Create("a")
	require.NoError(t, err)
	_, err = io.CopyN(one, zeros{}, 1<<26)
	require.NoError(t, err)
	require.NoError(t, files.Close())
	many := make([]packedFile, maxEntries+1)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	deep := strings.Repeat("a/", maxLongBytes/2)
	long := make([]packedFile, maxIndexBytes/maxLongBytes+2)
	for i := range long {
		long[i].name = deep[:maxLongBytes-4] + fmt.Sprintf("%04d", i)
	}
	return map[string][]byte{"compressed more than": tarred.Bytes(), "compressed more than 200": zipped.Bytes(),
		"too long": tarOf(t, packedFile{name: deep + "a"}), "names that are too long": tarOf(t, long...),
		"more than 50,000 files": tarOf(t, many...), "more than 50,000 files and": zipOf(t, many...)}
}

func TestRefusedArchives(t *testing.T) {
	good := tarOf(t, usual...)
	goodZip := zipOf(t, usual...)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-5] ^= 1
	encrypted := bytes.Clone(goodZip)
	at := bytes.LastIndex(encrypted, []byte("PK\x01\x02"))
	encrypted[at+8] |= 1
	cases := []struct {
		words   string
		archive []byte
	}{
		{"is empty", nil}, {"neither", []byte("<!DOCTYPE html>")}, {"neither", bytes.Repeat([]byte("tar"), 500)},
		{"cut off", good[:len(good)/2]}, {"cut off", good[:len(good)-4]}, {"damaged", flipped}, {"damaged", goodZip[:len(goodZip)/2]},
		{"encrypted", encrypted}, {"no folder with a manifest", tarOf(t, packedFile{name: "a/b"})},
		{"no folder with a manifest", tarOf(t)}, {"no folder with a manifest", zipOf(t)},
		{"twice", tarOf(t, packedFile{name: "a/manifest.yaml"}, packedFile{name: "a/manifest.yaml"})},
		{"twice", tarOf(t, packedFile{name: "a/manifest.yaml"}, packedFile{name: "./a/manifest.yaml"})},
		{"twice", zipOf(t, packedFile{name: "a/manifest.yaml"}, packedFile{name: "a/manifest.yaml"})},
	}
	for _, name := range []string{"../a", "a/../../b", "/etc/passwd", "C:/a", `..\a`, "a/.."} {
		cases = append(cases, struct {
			words   string
			archive []byte
		}{"leads out", tarOf(t, packedFile{name: name, data: "x"})}, struct {
			words   string
			archive []byte
		}{"leads out", zipOf(t, packedFile{name: name, data: "x"})})
	}
	for words, archive := range bombs(t) {
		cases = append(cases, struct {
			words   string
			archive []byte
		}{words, archive})
	}
	for i, one := range cases {
		_, err := shownApps(t, one.archive, "")
		require.Error(t, err, i)
		assert.ErrorAs(t, err, new(archiveError), i)
		assert.Contains(t, err.Error(), one.words, i)
	}
}

// collectionPeer is the parent process of a reader.
func collectionPeer(t testing.TB, link io.ReadWriter, archive []byte, folder string, wants func([]foundApp) []int) ([]foundApp, map[string]string, string) {
	var apps []foundApp
	require.NoError(t, writeFrame(link, collectionQuery{Size: int64(len(archive)), Folder: folder}, nil))
	files, left := map[string]string{}, 0
	for {
		answer := collectionAnswer{}
		blob, err := readFrame(link, &answer)
		require.NoError(t, err)
		switch {
		case answer.Read != nil:
			part := archive[answer.Read.Offset:][:answer.Read.Size]
			require.NoError(t, writeFrame(link, collectionQuery{Data: true}, part))
		case answer.App != nil:
			apps = append(apps, *answer.App)
		case answer.Listed != nil:
			assert.Equal(t, len(apps), answer.Listed.Apps)
			want := wants(apps)
			left = len(want)
			require.NoError(t, writeFrame(link, collectionQuery{Want: want}, nil))
			if len(want) > 0 {
				require.NoError(t, writeFrame(link, collectionQuery{Next: true}, nil))
			}
		case answer.File != nil && answer.File.Last:
			if left--; left == 0 {
				continue
			}
			require.NoError(t, writeFrame(link, collectionQuery{Next: true}, nil))
		case answer.File != nil:
			files[apps[answer.File.App].Path+"/"+answer.File.Name] = string(blob)
		case answer.Done:
			return apps, files, ""
		default:
			return apps, files, answer.Error
		}
	}
}

func everyApp(apps []foundApp) (all []int) {
	for i, app := range apps {
		if app.Fault == "" {
			all = append(all, i)
		}
	}
	return all
}

// TestCollectionProcess runs the program in the sandbox.
func TestCollectionProcess(t *testing.T) {
	random := make([]byte, 7<<20) // more blocks than are kept
	_, _ = rand.Read(random)
	large := append([]packedFile{{name: "apps-main/large", data: string(random)}}, usual...)
	for _, archive := range [][]byte{tarOf(t, usual...), zipOf(t, usual...), tarOf(t, large...), zipOf(t, large...)} {
		p := launch(t, collectionWord)
		apps, files, fault := collectionPeer(t, p.link, archive, "apps", everyApp)
		assert.Empty(t, fault)
		assert.Len(t, apps, 2)
		assert.Equal(t, "moon", files["moon/moon.star"])
		assert.Len(t, files, 6)
		p.link.Close()
		require.NoError(t, p.command.Wait(), p.stderr.String())
	}
}

// FuzzCollection reads any bytes as an archive, through the protocol.
func FuzzCollection(f *testing.F) {
	f.Add(tarOf(f, usual...), "apps")
	f.Add(zipOf(f, usual...), "apps")
	f.Add(tarOf(f, packedFile{name: "a/link", target: "../b"}, packedFile{name: "a/manifest.yaml"}), "")
	f.Add(tarOf(f, usual...)[:100], "")
	f.Add([]byte("PK\x05\x06"+strings.Repeat("\x00", 18)), "a")
	f.Fuzz(func(t *testing.T, archive []byte, folder string) {
		ours, theirs := net.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- runCollection(theirs)
			theirs.Close()
		}()
		apps, files, fault := collectionPeer(t, ours, archive, strings.ToValidUTF8(folder, ""), everyApp)
		ours.Close()
		require.NoError(t, <-ended)
		if fault == "" && len(apps) == 0 {
			t.Error("no app and no fault")
		}
		for name := range files {
			if leadsOut(name) || isOddName(name) {
				t.Errorf("odd name %q", name)
			}
		}
	})
}
