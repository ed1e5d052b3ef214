package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/pixlet/manifest"
)

// Writes the pictures again, to be checked before they are committed: go test -run Own . -write
var writes = flag.Bool("write", false, "write the pictures of our own apps")

const ownApps = "../../share/apps"

func TestOwnApps(t *testing.T) {
	for name, c := range map[string]struct {
		app    string
		config map[string]any
	}{
		"clock":         {"clock", nil},
		"clock-12":      {"clock", map[string]any{"twelve_hours": "true", "colour": "#0f0"}},
		"date":          {"date", nil},
		"marquee":       {"marquee", nil},
		"marquee-short": {"marquee", map[string]any{"text": "Hello"}},
		"countdown":     {"countdown", nil},
		"countdown-now": {"countdown", map[string]any{"until": "2026-07-01T12:35:20Z", "name": "Lunch"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := testRequest()
			r.Config = c.config
			_, got := mustServe(t, r, packFolder(t, filepath.Join(ownApps, c.app)))
			requireOwnPicture(t, name, got)
		})
	}
}

func requireOwnPicture(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".webp")
	if *writes {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	requireSameMovie(t, want, got)
}

func TestOwnAppsHaveManifestAndSchema(t *testing.T) {
	folders, err := filepath.Glob(ownApps + "/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		if scripts, _ := filepath.Glob(folder + "/*.star"); len(scripts) == 0 {
			continue // it is in another language
		}
		file, err := os.Open(filepath.Join(folder, "manifest.yaml"))
		require.NoError(t, err)
		described, err := manifest.LoadManifest(file)
		require.NoError(t, file.Close())
		require.NoError(t, err)
		require.NoError(t, described.Validate())
		assert.Equal(t, filepath.Base(folder), described.ID)

		r := testRequest()
		r.What = whatSchema
		a, _ := mustServe(t, r, packFolder(t, folder))
		assert.Contains(t, string(a.Schema), `"version":"1"`)
	}
}

func TestWeekOfTheYear(t *testing.T) {
	script := packFolder(t, ownApps+"/date") + "-- show.star --\nload(\"date.star\", \"week\")\n" +
		"load(\"time.star\", \"time\")\nprint(week(time.now()))\n"
	for day, week := range map[string]string{
		"2026-01-01": "1", "2027-01-01": "53", "2025-12-29": "1", "2024-12-30": "1", "2026-07-01": "27",
	} {
		r := testRequest()
		r.NowMs = parseDay(t, day).UnixMilli()
		a, _ := mustServe(t, r, script)
		assert.Equal(t, []string{week}, a.Log, day)
	}
}
