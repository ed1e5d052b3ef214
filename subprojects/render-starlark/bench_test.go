package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Targets: a still picture 3 ms, 64 frames 40 ms, both to WebP, warm; and 100 MiB at most after
// 1,000 different apps. Run with: go test -run - -bench .

const stillApp = loadRender + `load("time.star", "time")
def main(config):
    now = time.now().in_location(config.get("$tz", "Europe/Zagreb"))
    return render.Root(child = render.Box(child = render.Column(
        main_align = "center", cross_align = "center", children = [
            render.Text(now.format("15:04"), font = "6x13"),
            render.Text(now.format("Mon 2 Jan"), color = "#888"),
        ])))
`

const marqueeApp = loadRender + `
def main():
    return render.Root(child = render.Box(child = render.Marquee(
        width = 64, child = render.Text("Hello, panels of the world 12"))))
`

func benchmarkApp(b *testing.B, script string, frames int) {
	r := testRequest()
	r.MaxDurationMs = frames * 50
	for b.Loop() {
		a, _ := serve(r, script)
		if a.Error != nil || max(1, len(a.DelaysMs)) != frames {
			b.Fatal(a.Error, len(a.DelaysMs))
		}
	}
}

// picturesApp shows one of many pictures.
func picturesApp() string {
	var picture bytes.Buffer
	noise := image.NewRGBA(image.Rect(0, 0, 64, 32))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 3)
	}
	_ = png.Encode(&picture, noise)
	script := strings.Builder{}
	script.WriteString("-- a.star --\n" + loadRender + `load("p0.png", file = "file")
def main():
    return render.Root(child = render.Image(src = file.readall("rb")))
`)
	for i := range 100 {
		addToArchive(&script, fmt.Sprintf("p%d.png", i), picture.Bytes())
	}
	return script.String()
}

func BenchmarkPictures(b *testing.B) { benchmarkApp(b, picturesApp(), 1) }

func BenchmarkStill(b *testing.B)   { benchmarkApp(b, stillApp, 1) }
func BenchmarkMarquee(b *testing.B) { benchmarkApp(b, marqueeApp, 64) }

// residentMiB returns the process's resident memory as the kernel counts it.
func residentMiB(b *testing.B, pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, _ := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kib) / 1024
}

// BenchmarkThousandApps renders 1,000 different apps in one renderer: variants of the community
// apps if they are available, else of the two above.
func BenchmarkThousandApps(b *testing.B) {
	scripts := []string{stillApp, marqueeApp}
	folders, _ := filepath.Glob(filepath.Join(appsFolder(), "*", "app"))
	for _, folder := range folders {
		scripts = append(scripts, packFolder(b, folder))
	}
	for b.Loop() {
		p := startProcess(b)
		highest, restarts := 0.0, 0
		for i := range 1000 {
			r := testRequest()
			r.Version = strconv.Itoa(i)
			script := fmt.Sprintf("# variant %d\n%s", i, scripts[i%len(scripts)])
			a, _ := p.ask(b, r, script)
			if a == nil {
				b.Fatal("the process ended: " + p.stderr.String())
			}
			highest = max(highest, residentMiB(b, p.command.Process.Pid))
			if a.Recycle {
				p = startProcess(b)
				restarts++
			}
		}
		b.ReportMetric(residentMiB(b, p.command.Process.Pid), "MiB-at-the-end")
		b.ReportMetric(highest, "MiB-highest")
		b.ReportMetric(float64(restarts), "recycled")
	}
}

// BenchmarkMessage draws messages of the server: 490 letters take at most three times as long as 20.
func BenchmarkMessage(b *testing.B) {
	script, err := os.ReadFile("../../src/api/message.star")
	require.NoError(b, err)
	for _, scroll := range []string{"left", "auto"} {
		for _, letters := range []int{20, 100, 255, 490} {
			b.Run(fmt.Sprintf("%s/%d", scroll, letters), func(b *testing.B) {
				r := testRequest()
				r.MaxDurationMs, r.MaxBytes = 45_000, 460_000
				r.Config = map[string]any{"text": strings.Repeat("x", letters), "color": "#fff", "background": "#000",
					"font": "tb-8", "align": "center", "scroll": scroll}
				for b.Loop() {
					a, _ := serve(r, string(script))
					require.Nil(b, a.Error)
					b.ReportMetric(float64(a.CPUUs)/1000, "cpu-ms")
				}
			})
		}
	}
}
