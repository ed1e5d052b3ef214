package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Archives that are made to harm the reader, each through its process with the limits of the server: it gives a reason,
// or the apps that are good.

func gzipped(t testing.TB, content []byte) []byte {
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	_, err := to.Write(content)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return out.Bytes()
}

func numbered(count int, format string) []packedFile {
	files := make([]packedFile, count)
	for i := range files {
		files[i].name = fmt.Sprintf(format, i)
	}
	return files
}

// lyingZip changes the end of a .zip with a zip64 end, which Go writes for more than 65,535 files.
func lyingZip(t testing.TB, count uint64) []byte {
	archive := zipOf(t, usual...)
	at := bytes.LastIndex(archive, indexEndMark)
	size, offset := binary.LittleEndian.Uint32(archive[at+12:]), binary.LittleEndian.Uint32(archive[at+16:])
	wide := append(bytes.Clone(index64Mark), make([]byte, index64Bytes-4)...)
	binary.LittleEndian.PutUint64(wide[4:], index64Bytes-12)
	binary.LittleEndian.PutUint64(wide[24:], count)
	binary.LittleEndian.PutUint64(wide[32:], count)
	binary.LittleEndian.PutUint64(wide[40:], uint64(size))
	binary.LittleEndian.PutUint64(wide[48:], uint64(offset))
	locator := append(bytes.Clone(locator64Mark), make([]byte, locator64Bytes-4)...)
	binary.LittleEndian.PutUint64(locator[8:], uint64(at))
	binary.LittleEndian.PutUint32(locator[16:], 1)
	end := bytes.Clone(archive[at:])
	for i := 8; i < 20; i++ {
		end[i] = 0xff
	}
	return bytes.Join([][]byte{archive[:at], wide, locator, end}, nil)
}

// overlapping has two entries in its index for one file.
func overlapping(t testing.TB) []byte {
	archive := zipOf(t, packedFile{name: "a/manifest.yaml", data: strings.Repeat("x", 1000)}, packedFile{name: "b/manifest.yaml", data: strings.Repeat("x", 1000)})
	first := bytes.Index(archive, indexEntryMark)
	second := first + 1 + bytes.Index(archive[first+1:], indexEntryMark)
	copy(archive[second+42:], archive[first+42:first+46]) // where its file is
	return archive
}

func sparse(t testing.TB) []byte {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "a/manifest.yaml", Typeflag: tar.TypeReg, Format: tar.FormatGNU}))
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "a/a.star", Typeflag: tar.TypeReg, Format: tar.FormatGNU}))
	require.NoError(t, to.Close())
	content := out.Bytes()
	head := content[512:1024]
	head[156] = tar.TypeGNUSparse
	copy(head[386:], "00000000000\x0000000000000\x00") // one hole
	copy(head[483:], "00777777777\x00")                // its real size
	copy(head[148:156], "        ")
	sum := 0
	for _, one := range head {
		sum += int(one)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	return gzipped(t, content)
}

func longHeader(t testing.TB, kind byte, size int) []byte {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: int64(size), Format: tar.FormatGNU}))
	noise := make([]byte, size/2)
	_, _ = rand.Read(noise)
	_, err := to.Write(append(noise, noise...))
	require.NoError(t, err)
	require.NoError(t, to.Close())
	content := out.Bytes()
	content[156] = kind
	copy(content[148:156], "        ")
	sum := 0
	for _, one := range content[:512] {
		sum += int(one)
	}
	copy(content[148:], fmt.Sprintf("%06o\x00 ", sum))
	return gzipped(t, content)
}

func longPax(t testing.TB) []byte {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	require.NoError(t, to.WriteHeader(&tar.Header{Name: "a/manifest.yaml", Typeflag: tar.TypeReg,
		PAXRecords: map[string]string{"comment": strings.Repeat("c", 900<<10)}}))
	require.NoError(t, to.Close())
	return gzipped(t, out.Bytes())
}

func TestHostileArchivesByTheProcess(t *testing.T) {
	good, goodZip := tarOf(t, usual...), zipOf(t, usual...)
	tooLong := bytes.Repeat([]byte("l"), 1<<16)
	inZip := func(files ...packedFile) []byte { return zipOf(t, files...) }
	for name, one := range map[string]struct {
		archive []byte
		words   string // "": the apps sun and moon are given
	}{
		"many empty files in a zip":     {inZip(numbered(60_000, "apps-main/apps/app%d/file-of-a-longer-name.star")...), "more than 50,000"},
		"more than a zip's 16 bits":     {inZip(numbered(65_536+10, "a/%d")...), "more than 50,000"},
		"many empty files in a tar":     {tarOf(t, numbered(60_000, "apps-main/apps/app%d/file-of-a-longer-name.star")...), "more than 50,000"},
		"many folders in a zip":         {inZip(numbered(60_000, "apps-main/%d/")...), "more than 50,000"},
		"many folders in a tar":         {tarOf(t, numbered(60_000, "apps-main/%d/")...), "more than 50,000"},
		"as many files as there may be": {inZip(numbered(50_000, "apps-main/apps/app%d/file-of-a-longer-name.star")...), "no folder"},
		"many apps":                     {inZip(numbered(maxApps+1, "apps/%d/manifest.yaml")...), "more than 5,000 apps"},
		"a zip64 of too many":           {lyingZip(t, 1<<40), "more than 50,000"},
		"a zip64 of most":               {lyingZip(t, 1<<64-1), "more than 50,000"},
		"a zip64 of fewer":              {lyingZip(t, 3), "list of files is damaged"},
		"files that overlap":            {overlapping(t), "overlap"},
		"long names in a zip":           {inZip(packedFile{name: string(tooLong[:1<<16-1])}), "too long"},
		"long names in a tar":           {tarOf(t, packedFile{name: string(tooLong)}), "too long"},
		"a huge name of GNU tar":        {longHeader(t, tar.TypeGNULongName, 4<<20), "too long"},
		"a huge header of pax":          {longHeader(t, tar.TypeXHeader, 4<<20), "too long"},
		"a senseless header of pax":     {longHeader(t, tar.TypeXHeader, 4<<10), "damaged"},
		"a large comment":               {longPax(t), "no folder"},
		"gzip in gzip":                  {gzipped(t, good), "damaged"},
		"an archive in an archive":      {tarOf(t, packedFile{name: "a.tar.gz", data: string(good)}), "no folder"},
		"noise":                         {gzipped(t, []byte(strings.Repeat("noise", 1000))), "damaged, or holds no .tar"},
		"cut tar":                       {good[:len(good)*2/3], "cut off"},
		"cut zip":                       {goodZip[:len(goodZip)*2/3], "list of files is damaged"},
		"data after a tar":              {append(bytes.Clone(good), "and more data"...), "other data after its end"},
		"data after a zip":              {append(bytes.Clone(goodZip), make([]byte, 1<<17)...), "list of files is damaged"},
		"nothing":                       {nil, "is empty"},
		"a page":                        {[]byte("\n<!doctype html><html>Sign in</html>"), "is a web page"},
		"a plain tar":                   {mustUnpack(t, good), "is a .tar without gzip"},
		"another compression":           {[]byte("\xfd7zXZ\x00"), "compressed with xz"},
		"other":                         {[]byte("hello"), "unknown format"},
		"data before a zip":             {append(make([]byte, 100), goodZip...), "unknown format"},
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, collectionWord)
			began := time.Now()
			apps, _, fault := collectionPeer(t, p.link, one.archive, "apps", everyApp)
			assert.Contains(t, fault, one.words)
			assert.NotContains(t, fault, "archive/")
			assert.Empty(t, apps)
			t.Log(fault, time.Since(began).Round(time.Millisecond))
			p.link.Close()
			require.NoError(t, p.command.Wait(), p.stderr.String())
		})
	}
}

func mustUnpack(t testing.TB, archive []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = out.ReadFrom(reader)
	require.NoError(t, err)
	return out.Bytes()
}

// Faults of one app, or names that are only odd, leave the others.
func TestOddArchivesByTheProcess(t *testing.T) {
	many := []packedFile{{name: "apps-main/apps/large/manifest.yaml"}}
	noise := make([]byte, 7<<20)
	_, _ = rand.Read(noise)
	// All apps end in the last files: as much waits as may.
	for i := range 8 {
		many = append(many, packedFile{name: fmt.Sprintf("apps-main/apps/app%d/a.bin", i), data: string(noise)})
	}
	for i := range 8 {
		many = append(many, packedFile{name: fmt.Sprintf("apps-main/apps/app%d/manifest.yaml", i)})
	}
	for name, files := range map[string][]packedFile{
		"another case":   {{name: "apps-main/apps/sun/SUN.star", data: "x"}, {name: "apps-main/apps/Sun/manifest.yaml"}},
		"a line feed":    {{name: "apps-main/apps/su\nn/manifest.yaml"}, {name: "apps-main/apps/su\nn/a.star"}},
		"not UTF-8":      {{name: "apps-main/apps/s\xfcn/manifest.yaml"}, {name: "apps-main/apps/s\xfcn/a.star"}},
		"empty files":    numbered(20_000, "apps-main/old/%d"),
		"much at once":   many,
		"a folder twice": {{name: "apps-main/apps/sun/"}, {name: "apps-main/apps/sun/"}},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(append([]packedFile{}, usual...), files...)
			archives := [][]byte{zipOf(t, all...)}
			if len(files) < 10 {
				archives = append(archives, tarOf(t, all...))
			}
			for _, archive := range archives {
				p := launch(t, collectionWord)
				_, given, fault := collectionPeer(t, p.link, archive, "apps", everyApp)
				assert.Empty(t, fault)
				assert.Equal(t, "moon", given["moon/moon.star"])
				assert.Equal(t, "def main(): pass", given["sun/sun.star"])
				p.link.Close()
				require.NoError(t, p.command.Wait(), p.stderr.String())
			}
		})
	}
	p := launch(t, collectionWord)
	apps, _, fault := collectionPeer(t, p.link, sparse(t), "", everyApp)
	assert.Empty(t, fault)
	require.Len(t, apps, 1)
	assert.Contains(t, apps[0].Fault, "a.star")
}

// A .zip whose index names its files in no order would have each read in another place.
func TestDisorder(t *testing.T) {
	file := &distantFile{size: 1 << 20, input: bytes.NewReader(nil), output: &bytes.Buffer{}, given: maxReads<<20 + maxReadsFree}
	_, err := file.ReadAt(make([]byte, 1), 0)
	assert.EqualError(t, err, "has its files in no order")
	var refusal archiveError
	assert.ErrorAs(t, broken(err), &refusal)
	assert.EqualError(t, broken(zip.ErrAlgorithm), "has a file that is compressed in a way that this server cannot read")
}
