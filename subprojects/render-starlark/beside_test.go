package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tronbyt/pixlet/encode"
	"github.com/tronbyt/pixlet/runtime"
	"github.com/tronbyt/pixlet/runtime/appletcache"
	"github.com/tronbyt/pixlet/runtime/modules/random"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime/canvas"
	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"golang.org/x/text/language"
)

// byLibrary renders an app's folder as the library's own server does; nil if the app fails.
func byLibrary(folder string) []byte {
	ctx := context.Background()
	location, _ := time.LoadLocation("Europe/Zagreb")
	app, err := runtime.NewAppletFromPath(ctx, folder, runtime.WithLocation(location),
		runtime.WithLanguage(language.English), runtime.WithPrintDisabled(),
		runtime.WithCanvasMeta(canvas.Metadata{Width: 64, Height: 32}),
		runtime.WithThreadInitializer(func(thread *starlark.Thread) *starlark.Thread {
			starlarktime.SetNow(thread, func() (time.Time, error) { return testNow, nil })
			random.SeedThread(thread, 1, 1)
			return thread
		}))
	if err != nil {
		return nil
	}
	defer func() { _ = app.Close() }()
	roots, err := app.RunWithConfig(ctx, nil)
	if err != nil {
		return nil
	}
	blob, _ := encode.ScreensFromRoots(roots, 64, 32).EncodeWebP(ctx, 15*time.Second)
	return blob
}

// BenchmarkBesideLibrary compares renders with the library's, app by app: processor time, both warm and in turn. The
// library keeps compiled scripts, too, in a folder. Target: 0.95 as the geometric mean, none above 1.2.
func BenchmarkBesideLibrary(b *testing.B) {
	folders, _ := filepath.Glob(filepath.Join(appsFolder(), "*", "app"))
	appletcache.Enabled.Store(true)
	defer appletcache.Enabled.Store(false)
	compared, logs, ourBytes, theirBytes := map[string]float64{}, 0.0, 0, 0
	for b.Loop() {
		for _, folder := range folders {
			name := filepath.Base(filepath.Dir(folder))
			appletcache.Dir.Store(b.TempDir())
			script, r := packFolder(b, folder), testRequest()
			r.App = name
			theirs := byLibrary(folder)
			a, our := serve(r, script)
			if theirs == nil || a.Error != nil {
				continue // it needs the network
			}
			ourBytes, theirBytes = ourBytes+len(our), theirBytes+len(theirs)
			compared[name] = cpuRatio(func() { serve(r, script) }, func() { byLibrary(folder) })
			fmt.Fprintf(os.Stderr, "%-30s %.2f\n", name, compared[name])
		}
	}
	if len(compared) == 0 {
		b.Skip("no apps in " + appsFolder())
	}
	for _, ratio := range compared {
		logs += math.Log(ratio)
	}
	b.ReportMetric(math.Exp(logs/float64(len(compared))), "ratio")
	b.ReportMetric(slices.Max(slices.Collect(maps.Values(compared))), "worst-ratio")
	b.ReportMetric(float64(ourBytes)/float64(theirBytes), "bytes-ratio")
	b.ReportMetric(float64(len(compared)), "apps")
}

// cpuRatio is how much more processor time one call takes than the other: the median of some rounds.
func cpuRatio(one, other func()) float64 {
	const rounds, calls = 5, 40 * time.Millisecond
	count := max(3, int(calls/cpuOf(2, one)))
	var ratios []float64
	for range rounds {
		ratios = append(ratios, float64(cpuOf(count, one))/float64(cpuOf(count, other)))
	}
	slices.Sort(ratios)
	return ratios[rounds/2]
}

// cpuOf returns the processor time of each call.
func cpuOf(calls int, call func()) time.Duration {
	before := cpuTime()
	for range calls {
		call()
	}
	return (cpuTime() - before) / time.Duration(calls)
}
