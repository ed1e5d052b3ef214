package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tronbyt/go-libwebp/webp"
)

// The library's modules have process-wide hooks, so all tests share one engine.
var testEngine = newEngine()

var testNow = time.Date(2026, 7, 1, 12, 34, 56, 0, time.UTC)

func testRequest() *request {
	r := &request{What: whatRender, App: "test", Version: "1", NowMs: testNow.UnixMilli(),
		Timezone: "Europe/Zagreb", Seed: 1, Width: 64, Height: 32, Network: new(bool)}
	r.setDefaults()
	r.TimeoutMs = 120_000 // for a busy machine, and the race detector
	return r
}

func serve(r *request, script string) (*answer, []byte) {
	return testEngine.serve(r, []byte(script), newMeter(r))
}

// mustServe fails the test if the answer is an error.
func mustServe(t *testing.T, r *request, script string) (*answer, []byte) {
	t.Helper()
	a, blob := serve(r, script)
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	return a, blob
}

// expression returns the value of a Starlark expression as text, by way of the log.
func expression(t *testing.T, r *request, load, text string) string {
	t.Helper()
	a, _ := mustServe(t, r, load+"\ndef main():\n    print("+text+")\n    return []\n")
	require.Len(t, a.Log, 1)
	return a.Log[0]
}

// packFolder makes one script of an app's folder, as displayctl does.
func packFolder(t testing.TB, folder string) string {
	t.Helper()
	var script strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(entry.Name(), ".") && path != folder {
			if err == nil && entry.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		addToArchive(&script, name, data)
		return err
	})
	require.NoError(t, err)
	return script.String()
}

func addToArchive(script *strings.Builder, name string, data []byte) {
	if utf8.Valid(data) && !bytes.Contains(data, []byte("\n-- ")) && bytes.HasSuffix(data, []byte("\n")) {
		script.WriteString("-- " + name + " --\n" + string(data))
		return
	}
	script.WriteString("-- " + name + ";base64 --\n" + base64.StdEncoding.EncodeToString(data) + "\n")
}

// movie has what a panel shows: frames over black, each with its delay.
type movie struct {
	frames []*image.RGBA
	delays []time.Duration
}

func decode(t testing.TB, file []byte) movie {
	t.Helper()
	decoder, err := webp.NewAnimationDecoder(file)
	require.NoError(t, err)
	defer decoder.Close()
	decoded, err := decoder.Decode()
	require.NoError(t, err)
	var result movie
	before := 0
	for i, frame := range decoded.Image {
		for at := 3; at < len(frame.Pix); at += 4 {
			require.EqualValues(t, 255, frame.Pix[at])
		}
		result.frames = append(result.frames, frame)
		result.delays = append(result.delays, time.Duration(decoded.Timestamp[i]-before)*time.Millisecond)
		before = decoded.Timestamp[i]
	}
	return result
}

func requireSameMovie(t *testing.T, want, got []byte) {
	t.Helper()
	wanted, shown := decode(t, want), decode(t, got)
	require.Equal(t, wanted.delays, shown.delays)
	for i := range wanted.frames {
		require.True(t, bytes.Equal(wanted.frames[i].Pix, shown.frames[i].Pix), "frame %d", i)
	}
}

func parseDay(t *testing.T, text string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return day.Add(12 * time.Hour)
}
