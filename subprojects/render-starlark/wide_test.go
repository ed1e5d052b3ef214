package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/go-libwebp/webp"
)

// Panels of 128x64: apps that support twice the width and height, and those that do not.

const wideManifest = "-- manifest.yaml --\nid: wide\nname: Wide\nsummary: Wide\ndesc: Wide.\nauthor: Nobody\nsupports2x: true\n" +
	"-- wide.star --\n"

const cornerApp = `load("render.star", "render", "canvas")
def main():
    print(canvas.is2x(), canvas.size(), canvas.size(raw = True))
    return render.Root(child = render.Padding(pad = (canvas.width() - 1, canvas.height() - 1, 0, 0),
        child = render.Box(width = 1, height = 1, color = "#0f0")))
`

func wideRequest() *request {
	r := testRequest()
	r.Is2x = true
	return r
}

func firstFrame(t *testing.T, blob []byte) image.Image {
	t.Helper()
	decoder, err := webp.NewAnimationDecoder(blob)
	require.NoError(t, err)
	defer decoder.Close()
	frames, err := decoder.Decode()
	require.NoError(t, err)
	return frames.Image[0]
}

func lit(frame image.Image) (points []image.Point) {
	for y := range frame.Bounds().Dy() {
		for x := range frame.Bounds().Dx() {
			if color.RGBAModel.Convert(frame.At(x, y)).(color.RGBA).G > 0 {
				points = append(points, image.Pt(x, y))
			}
		}
	}
	return points
}

func TestAnAppThatSupportsWidePanels(t *testing.T) {
	for script, want := range map[string]struct {
		log    string
		points []image.Point
	}{
		wideManifest + cornerApp: {"True (128, 64) (64, 32)", []image.Point{{127, 63}}},
		cornerApp:                {"False (64, 32) (64, 32)", []image.Point{{126, 62}, {127, 62}, {126, 63}, {127, 63}}},
	} {
		a, blob := mustServe(t, wideRequest(), script)
		assert.Equal(t, []string{want.log}, a.Log)
		frame := firstFrame(t, blob)
		assert.Equal(t, image.Pt(128, 64), frame.Bounds().Size())
		assert.Equal(t, want.points, lit(frame))
		a, blob = mustServe(t, testRequest(), script)
		assert.Equal(t, []string{"False (64, 32) (64, 32)"}, a.Log)
		assert.Equal(t, []image.Point{{63, 31}}, lit(firstFrame(t, blob)))
	}
}

// The picture of an app in another language is enlarged.
func TestATreeForAWidePanel(t *testing.T) {
	r := wideRequest()
	r.What = whatPaint
	_, blob := mustServe(t, r, `{"widget":"Root","fields":{"child":{"widget":"Box","fields":{"width":1,"height":1,"color":"#0f0"}}}}`)
	assert.Equal(t, []image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, lit(firstFrame(t, blob)))
}

// The process of the other language knows the manifest: it says so if the app draws for wide panels.
func TestATreeThatIsDrawnForAWidePanel(t *testing.T) {
	box := `{"widget":"Root","fields":{"child":{"widget":"Padding","fields":{"pad":[127,63,0,0],` +
		`"child":{"widget":"Box","fields":{"width":1,"height":1,"color":"#0f0"}}}}}}`
	frames := `{"frames":[{"bytes":"` + base64.StdEncoding.EncodeToString(append(make([]byte, 128*64*3-3), 0, 255, 0)) + `"}]}`
	for _, tree := range []string{box, frames} {
		r := wideRequest()
		r.What = whatPaint
		_, blob := mustServe(t, r, `{"places":[],"at":[],"is_2x":true,"tree":`+tree+`}`)
		frame := firstFrame(t, blob)
		assert.Equal(t, image.Pt(128, 64), frame.Bounds().Size())
		assert.Equal(t, []image.Point{{127, 63}}, lit(frame))
	}
}

func TestTreesWithAWrongSize(t *testing.T) {
	root := `{"widget":"Root","fields":{"child":{"widget":"Box","fields":{"width":1,"height":1,"color":"#0f0"}}}}`
	r := testRequest()
	r.What = whatPaint
	_, blob := mustServe(t, r, `{"places":[],"at":[],"is_2x":true,"tree":`+root+`}`)
	assert.Equal(t, image.Pt(64, 32), firstFrame(t, blob).Bounds().Size())
	for _, wrong := range []string{`"is_2x":false,"tree":`, `"is_2x":1,"tree":`, `"is_2x":true,"is_2x":true,"tree":`, `"is_2x":true,"x":`, `"size":2,"tree":`} {
		r := wideRequest()
		r.What = whatPaint
		a, _ := serve(r, `{"places":[],"at":[],`+wrong+root+`}`)
		assert.NotNil(t, a.Error, wrong)
	}
}

func TestWideSizes(t *testing.T) {
	for _, size := range []image.Point{{256, 256}, {129, 128}, {0, 32}, {64, -1}} {
		r := wideRequest()
		r.Width, r.Height = size.X, size.Y
		a, _ := serve(r, cornerApp)
		require.NotNil(t, a.Error, size)
		assert.Equal(t, problemRequest, a.Error.Kind)
	}
}

// All frames with few colours fit into the memory for painted ones, and so do those of an app that is enlarged.
func TestALongAnimationForAWidePanel(t *testing.T) {
	const script = `load("render.star", "render")
def main():
    return render.Root(delay = 10, child = render.Animation(children = [
        render.Padding(pad = (i % 60, i // 60, 0, 0), child = render.Box(width = 1, height = 1, color = "#0f0")) for i in range(1200)]))
`
	for _, text := range []string{wideManifest + script, script} {
		r := wideRequest()
		r.MaxDurationMs = 60_000
		a, blob := mustServe(t, r, text)
		assert.Equal(t, 1200, frameCount(blob))
		assert.Empty(t, a.Cut)
	}
}

func TestMemoryOfFramesForAWidePanel(t *testing.T) {
	r := wideRequest()
	r.draws2x = true
	frame := func(colors, number int) image.Image {
		frame := image.NewRGBA(r.bounds())
		for i := range len(frame.Pix) / 4 {
			binary.BigEndian.PutUint32(frame.Pix[4*i:], uint32((i+number)%colors)<<8|255)
		}
		return frame
	}
	for colors, want := range map[int]int{256: maxFrames, 257: 1024} {
		painted := strip{}
		for painted.add(frame(colors, len(painted.frames)), time.Millisecond, r) {
		}
		assert.Len(t, painted.frames, want)
		assert.LessOrEqual(t, painted.bytes, maxStripBytes2x)
	}
	packed := pack(frame(256, 7))
	require.NotNil(t, packed)
	assert.Equal(t, frame(256, 7), packed.unpack(packed.unpack(nil)))
	assert.Nil(t, pack(frame(257, 7)))
}

func TestAWidePictureIsCutAtTheLimitOfBytes(t *testing.T) {
	r := wideRequest()
	r.MaxBytes = 2000
	a, blob := mustServe(t, r, `load("render.star", "render")
def main():
    return render.Root(child = render.Marquee(width = 64, child = render.Text("A long text that moves, and moves, and moves")))
`)
	assert.LessOrEqual(t, len(blob), 2000)
	assert.NotEmpty(t, a.Cut)
	assert.True(t, bytes.HasPrefix(blob, []byte("RIFF")))
}
