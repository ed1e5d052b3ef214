package main

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const loadRender = `load("render.star", "render")` + "\n"

func TestStillPicture(t *testing.T) {
	a, blob := mustServe(t, testRequest(), loadRender+`
def main():
    return render.Root(child = render.Box(color = "#f00"), max_age = 90, show_full_animation = True)
`)
	shown := decode(t, blob)
	require.Len(t, shown.frames, 1)
	assert.Equal(t, []byte{255, 0, 0, 255}, shown.frames[0].Pix[:4])
	assert.Equal(t, 64, shown.frames[0].Rect.Dx())
	assert.Equal(t, 32, shown.frames[0].Rect.Dy())
	assert.Empty(t, a.DelaysMs)
	assert.Equal(t, 90, a.MaxAgeS)
	assert.True(t, a.ShowFullAnimation)
	assert.Positive(t, a.ElapsedUs)
	assert.Positive(t, a.Steps)
	assert.Positive(t, a.MemoryBytes)
}

const colours = loadRender + `
def main():
    boxes = [render.Box(color = c) for c in ["#f00", "#0f0", "#00f", "#fff"]]
    return render.Root(delay = 100, child = render.Animation(boxes))
`

func TestAnimation(t *testing.T) {
	a, blob := mustServe(t, testRequest(), colours)
	assert.Equal(t, []int{100, 100, 100, 100}, a.DelaysMs)
	assert.Len(t, decode(t, blob).frames, 4)
}

func TestAnimationEndsAtItsMaximum(t *testing.T) {
	r := testRequest()
	r.MaxDurationMs = 250
	a, _ := mustServe(t, r, colours)
	assert.Equal(t, []int{100, 100, 50}, a.DelaysMs)
	assert.Empty(t, a.Cut, "the entry's next turn begins anew, as meant")
	r.MaxWholeMs = 350 // the app does not ask for the full animation
	a, _ = mustServe(t, r, colours)
	assert.Equal(t, []int{100, 100, 50}, a.DelaysMs)
}

func TestWholeAnimationHasItsOwnMaximum(t *testing.T) {
	const raw = `{"delay":100,"show_full_animation":true,"frames":[`
	frames := []string{rawPicture("\xff\x00\x00"), rawPicture("\x00\xff\x00"), rawPicture("\x00\x00\xff"), rawPicture("\xff\xff\xff")}
	for what, script := range map[string]string{
		whatRender: strings.Replace(colours, "delay", "show_full_animation = True, delay", 1),
		whatPaint:  raw + strings.Join(frames, ",") + "]}",
	} {
		t.Run(what, func(t *testing.T) {
			for _, c := range []struct {
				maximumMs, wholeMs int
				delaysMs           []int
				cut                string
			}{
				{250, 0, []int{100, 100, 50}, "the animation is cut after 0.25 s: one that is shown whole lasts no longer"},
				{250, 350, []int{100, 100, 100, 50}, ""},
				{250, 300, []int{100, 100, 100}, "the animation is cut after 0.3 s: one that is shown whole lasts no longer"},
				{250, 400, []int{100, 100, 100, 100}, ""},
				{250, 60_000, []int{100, 100, 100, 100}, ""},
				{250, 100, []int{100, 100, 50}, "the animation is cut after 0.25 s: one that is shown whole lasts no longer"},
			} {
				r := testRequest()
				r.What, r.MaxDurationMs, r.MaxWholeMs = what, c.maximumMs, c.wholeMs
				a, _ := mustServe(t, r, script)
				assert.Equal(t, c.delaysMs, a.DelaysMs)
				assert.Equal(t, c.cut, a.Cut)
			}
		})
	}
}

// distinct is a root with as many colours as the library allows frames, each repeated several
// times.
const distinct = loadRender + `
def root(first, times):
    boxes = [render.Box(color = "#" + ("00000%d" % (first + i // times))[-6:]) for i in range(3000)]
    return render.Root(delay = 1, child = render.Animation(boxes))
`

// crowded is an animation of the largest number of frames, with ten widgets in each.
const crowded = loadRender + `
def frame(i):
    return render.Stack(children = [
        render.Padding(pad = (i % 60, 3 * k, 0, 0), child = render.Box(width = 4, height = 2, color = "#" + str(100000 + 7 * i + k)))
        for k in range(5)])

def main():
    return render.Root(delay = 1, child = render.Animation([frame(i) for i in range(2048)]))
`

// crowdedTree is the same as a tree.
func crowdedTree() string {
	var tree strings.Builder
	for i := range maxFrames {
		for k := range 5 {
			before := []string{`]}},{"widget":"Stack","fields":{"children":[`, ","}[min(k, 1)]
			fmt.Fprintf(&tree, `%s{"widget":"Padding","fields":{"pad":[%d,%d,0,0],"child":`, before, i%60, 3*k)
			fmt.Fprintf(&tree, `{"widget":"Box","fields":{"width":4,"height":2,"color":"#%d"}}}}`, 100000+7*i+k)
		}
	}
	return `{"widget":"Root","fields":{"delay":1,"child":{"widget":"Animation","fields":{"children":[` +
		strings.TrimPrefix(tree.String(), "]}},") + `]}}]}}}}`
}

func TestLongAnimationOfManyWidgets(t *testing.T) {
	r := testRequest()
	r.MaxDurationMs = 60_000
	a, want := mustServe(t, r, crowded)
	require.Len(t, a.DelaysMs, 2000)
	r.What = whatPaint
	a, got := mustServe(t, r, crowdedTree())
	require.Len(t, a.DelaysMs, 2000)
	assert.Equal(t, want, got)
}

func TestAnimationIsCutAtAFrame(t *testing.T) {
	var boxes, frames [2]strings.Builder
	for root := range boxes {
		for i := range 2000 {
			fmt.Fprintf(&boxes[root], `{"widget":"Box","fields":{"color":"#%06d"}},`, 3000*root+i)
		}
	}
	for i := range 500 {
		fmt.Fprintf(&frames[0], "%s,", rawPicture(fmt.Sprintf("%03d", i)))
	}
	root := func(boxes string) string {
		return `{"widget":"Root","fields":{"delay":1,"child":{"widget":"Animation","fields":{"children":[` +
			strings.TrimSuffix(boxes, ",") + `]}}}}`
	}
	for name, c := range map[string]struct {
		what, script    string
		frames, delayMs int
	}{
		"one root":     {whatRender, distinct + "def main():\n    return root(0, 1)", 2000, 1},
		"two roots":    {whatRender, distinct + "def main():\n    return [root(0, 1), root(3000, 1)]", maxFrames, 1},
		"alike":        {whatRender, distinct + "def main():\n    return [root(1000 * i, 2) for i in range(3)]", maxFrames, 2},
		"two trees":    {whatPaint, "[" + root(boxes[0].String()) + "," + root(boxes[1].String()) + "]", maxFrames, 1},
		"raw pictures": {whatPaint, `{"delay":1,"frames":[` + strings.TrimSuffix(frames[0].String(), ",") + `]}`, maxRawFrames, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := testRequest()
			r.What, r.MaxDurationMs = c.what, 60_000
			a, _ := mustServe(t, r, c.script)
			require.Len(t, a.DelaysMs, c.frames)
			for _, delayMs := range a.DelaysMs {
				require.Equal(t, c.delayMs, delayMs)
			}
		})
	}
}

// photographs is like a photograph that moves. Each frame takes its painting time of the processor.
func photographs(r *request, count int, painting time.Duration, painted *int) *reel {
	return &reel{delay: delayOf(0), frames: func(yield func(image.Image) bool) {
		for n := range count {
			began := cpuTime()
			frame := image.NewRGBA(image.Rect(0, 0, r.Width, r.Height))
			for i := range frame.Pix {
				x, y := i/4%r.Width+n, i/4/r.Width
				frame.Pix[i] = byte(4*x+x*y/8*(i&3)) | 255*byte(i&3/3)
			}
			for cpuTime()-began < painting {
			}
			*painted++
			if !yield(frame) {
				return
			}
		}
	}}
}

func TestLargePicturesGetMoreEffort(t *testing.T) {
	r, painted := testRequest(), 0
	make := func(maxBytes int) ([]byte, string) {
		r.MaxBytes, painted = maxBytes, 0
		blob, cut, err := picture(photographs(r, 20, 0, &painted), r, newMeter(r))
		require.NoError(t, err)
		require.Equal(t, 20, painted, "frames are painted once")
		return blob, cut
	}
	large, _ := make(maxBlobBytes)
	same, _ := make(len(large))
	assert.Equal(t, large, same)
	small, cut := make(len(large) - 1)
	assert.Less(t, len(small), len(large))
	assert.Empty(t, cut)
	assert.Equal(t, decode(t, large).frames, decode(t, small).frames)

	less, cut := make(len(small) / 2)
	shown := decode(t, less).frames
	assert.LessOrEqual(t, len(less), len(small)/2)
	assert.Equal(t, decode(t, large).frames[:len(shown)], shown)
	assert.Equal(t, fmt.Sprintf("the animation is cut after %d of 20 frames: the panel accepts %d bytes at most",
		len(shown), len(small)/2), cut)
}

func TestEncodingTakesNoTimeOfTheScript(t *testing.T) {
	r, painted := testRequest(), 0
	large, _, err := picture(photographs(r, 20, 0, &painted), r, newMeter(r))
	require.NoError(t, err)
	r.MaxBytes = len(large) - 1
	small, _, err := picture(photographs(r, 20, 0, &painted), r, newMeter(r))
	require.NoError(t, err)

	r.TimeoutMs, painted = 1000, 0
	late, cut, err := picture(photographs(r, 20, 30*time.Millisecond, &painted), r, newMeter(r))
	require.NoError(t, err)
	assert.Equal(t, 20, painted)
	assert.Empty(t, cut)
	assert.Equal(t, small, late, "it is the same picture, however long its painting took")

	m := newMeter(r)
	all, err := paintAll(photographs(r, 20, 0, &painted), r, m)
	require.NoError(t, err)
	m.beginEncoding(r)
	m.now.Load().timeout = 0
	_, err = encoded(all.frames, r, m, encoderLevel)
	assert.EqualError(t, err, "the app makes a picture whose encoding takes more than 0s")
}

func TestMostFramesArePainted(t *testing.T) {
	r, painted := testRequest(), 0
	r.Width, r.Height, r.MaxDurationMs = 2, 1, 1_000_000
	blob, cut, err := picture(photographs(r, maxFrames+10, 0, &painted), r, newMeter(r))
	require.NoError(t, err)
	require.LessOrEqual(t, frameCount(blob), maxFrames)
	assert.Equal(t, fmt.Sprintf("the animation is cut after %d frames: panels show no more", frameCount(blob)), cut)
}

func TestPictureIsCutAtAFrame(t *testing.T) {
	r := testRequest()
	r.Width, r.Height, r.MaxDurationMs, r.MaxBytes = 256, 256, 60_000, math.MaxInt
	random, painted := rand.New(rand.NewPCG(1, 1)), 0
	shown := &reel{delay: delayOf(0), frames: func(yield func(image.Image) bool) {
		for range 60 { // noise does not compress: 12 MB
			frame := image.NewRGBA(image.Rect(0, 0, r.Width, r.Height))
			for i := range frame.Pix {
				frame.Pix[i] = byte(random.Uint32()) | 255*byte(i&3/3)
			}
			painted++
			if !yield(frame) {
				return
			}
		}
	}}
	a := &answer{}
	blob, err := show(shown, r, newMeter(r), a)
	require.NoError(t, err)
	require.Equal(t, 60, painted)
	assert.LessOrEqual(t, len(blob), maxBlobBytes)
	assert.Greater(t, len(blob), maxBlobBytes*9/10)
	assert.Greater(t, len(a.DelaysMs), 30)
	assert.Len(t, decode(t, blob).frames, len(a.DelaysMs))
}

func TestNothingToShow(t *testing.T) {
	for _, value := range []string{"None", "[]"} {
		_, blob := mustServe(t, testRequest(), "def main():\n    return "+value)
		assert.Empty(t, blob)
	}
}

func TestClockZoneAndRandomNumbersAreInputs(t *testing.T) {
	const load = `load("time.star", "time")
load("random.star", "random")
load("humanize.star", "humanize")`
	r := testRequest()
	assert.Equal(t, "14:34:56 CEST", expression(t, r, load, `time.now().format("15:04:05 MST")`))
	assert.Equal(t, "Europe/Zagreb", expression(t, r, load, `time.tz()`))
	assert.Equal(t, "02:00", expression(t, r, load, `time.from_timestamp(1782864000).format("15:04")`))
	assert.Equal(t, "2 hours ago", expression(t, r, load, `humanize.time(time.from_timestamp(1782909296 - 7200))`))
	numbers := `[random.number(0, 1 << 40), random.number(0, 1 << 40, secure = True)]`
	first := expression(t, r, load, numbers)
	assert.Equal(t, first, expression(t, r, load, numbers))
	r.Seed = 2
	assert.NotEqual(t, first, expression(t, r, load, numbers))
	r.Timezone = "Asia/Tokyo"
	assert.Equal(t, "21:34", expression(t, r, load, `time.now().format("15:04")`))
}

func TestSettingsAndDefaultsOfTheSchema(t *testing.T) {
	const script = `load("schema.star", "schema")
def main(config):
    print(config.str("who"), config.bool("loud"))
    return []
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "who", name = "Who", desc = "Whom to greet", icon = "user", default = "world"),
        schema.Toggle(id = "loud", name = "Loud", desc = "Whether loud", icon = "gear", default = False),
        schema.Typeahead(id = "city", name = "City", desc = "City", icon = "gear", handler = search),
    ])
def search(text):
    return [schema.Option(display = text.upper(), value = text)]
`
	r := testRequest()
	a, _ := mustServe(t, r, script)
	assert.Equal(t, []string{"world False"}, a.Log)
	r.Config = map[string]any{"who": "Ada", "loud": "true"}
	a, _ = mustServe(t, r, script)
	assert.Equal(t, []string{"Ada True"}, a.Log)

	r.What = whatSchema
	a, blob := mustServe(t, r, script)
	assert.Contains(t, string(a.Schema), `"default":"world"`)
	assert.Empty(t, blob)

	r.What, r.Handler, r.Parameter = whatHandler, "city$search", "split"
	a, _ = mustServe(t, r, script)
	require.NotNil(t, a.Result)
	assert.JSONEq(t, `[{"display":"SPLIT","text":"SPLIT","value":"split"}]`, *a.Result)
}

func TestErrorsSayWhere(t *testing.T) {
	for name, c := range map[string]struct {
		script, message string
		line, column    int
	}{
		"syntax":     {"def main(:\n    pass\n", "got ':', want ')'", 1, 11},
		"unknown":    {"def main():\n    return nobody\n", "undefined: nobody", 2, 12},
		"in main":    {"def main():\n    return draw()\ndef draw():\n    return 1 // 0\n", "floored division by zero", 4, 14},
		"fail":       {"def main():\n    fail(\"no\", \"way\")\n", "fail: no way", 2, 9},
		"top level":  {"x = {}[1]\ndef main():\n    pass\n", "key 1 not in dict", 1, 7},
		"load":       {"load(\"nothing.star\", \"nothing\")\ndef main():\n    pass\n", "cannot load nothing.star: neither a file of the app nor a module", 1, 1},
		"no address": {"load(\"http.star\", \"http\")\ndef main():\n    http.get(\"https://ada:pass@example.org/p?key=a%2Bb&q=%22\\\"x#y\")\n", `Get "https://example.org": no network here`, 3, 13},
		"no network": {"load(\"http.star\", \"http\")\ndef main():\n    http.get(\"https://example.org\")\n", `Get "https://example.org": no network here`, 3, 13},
	} {
		t.Run(name, func(t *testing.T) {
			a, blob := serve(testRequest(), c.script)
			require.NotNil(t, a.Error)
			assert.Equal(t, c.message, a.Error.Message)
			assert.Equal(t, [2]int{c.line, c.column}, [2]int{a.Error.Line, a.Error.Column})
			if c.line > 0 {
				assert.Equal(t, soleFileName, a.Error.File)
			}
			assert.Empty(t, blob)
		})
	}
}

func TestErrorInAnotherFileOfTheApp(t *testing.T) {
	a, _ := serve(testRequest(), `# an app
-- main.star --
load("lib/part.star", "part")
def main():
    return part()
-- lib/part.star --
def part():
    return [][0]
`)
	require.NotNil(t, a.Error)
	assert.Equal(t, "lib/part.star", a.Error.File)
	assert.Equal(t, 2, a.Error.Line)
}

func TestFilesOfAnApp(t *testing.T) {
	a, _ := mustServe(t, testRequest(), `-- main.star --
load("words.txt", words = "file")
load("bytes.bin", bytes = "file")
def main():
    print(words.readall())
    print(len(bytes.readall("rb")))
    return []
-- words.txt --
one
-- bytes.bin;base64 --
AAEC
/w==
`)
	assert.Equal(t, []string{"one", "4"}, a.Log)
}

func TestBadArchives(t *testing.T) {
	for _, script := range []string{
		"-- ../x.star --\n", "-- /etc/passwd --\n", "-- a.star --\n-- a.star --\n", "-- a.png;base64 --\n?\n",
		"-- . --\n", strings.Repeat("-- x --\n", 2), "-- manifest.yaml --\n[\n-- a.star --\ndef main():\n    pass\n",
	} {
		a, _ := serve(testRequest(), script)
		require.NotNil(t, a.Error, script)
	}
}

func TestLogIsBounded(t *testing.T) {
	a, _ := mustServe(t, testRequest(), "def main():\n    for i in range(60):\n        print(i)\n    return []")
	assert.Len(t, a.Log, maxLogLines)
	assert.Equal(t, 10, a.LogDropped)
	for script, want := range map[string][]string{
		// A line that is too long, and those behind it.
		`print("x" * 9000); print("y"); print("z\nz")`: {strings.Repeat("x", maxLogBytes-1-len(cutMark)) + cutMark, "3"},
		// Between two characters.
		`print("a"); print("ö" * 5000)`: {"a", strings.Repeat("ö", (maxLogBytes-3-len(cutMark))/2) + cutMark, "0"},
		// No room for a mark.
		`print("x" * 8187); print("y"); print("zzzz")`:  {strings.Repeat("x", 8187), "2"},
		`print("x" * 8183); print("y"); print("zzzz")`:  {strings.Repeat("x", 8183), "y", "zzzz", "0"},
		`print("x" * 8184); print("y"); print("zzzzz")`: {strings.Repeat("x", 8184), "y", "z" + cutMark, "0"},
		// Lines of one text.
		`print("a\n\nb\n"); print(); print("\n" * 60)`: {"a", "", "b", "", strings.Repeat("\n", 45), "14"},
	} {
		a, _ := mustServe(t, testRequest(), "def main():\n    "+script+"\n    return []")
		got := append(a.Log, strconv.Itoa(a.LogDropped))
		assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), script)
		assert.LessOrEqual(t, len(strings.Join(a.Log, "\n"))+1, maxLogBytes)
	}
}

const cacheScript = `load("cache.star", "cache")
def main(config):
    if config.str("set"):
        cache.set("key", config.str("set"), ttl_seconds = 60)
    print(cache.get("key"))
    return []
`

func TestCacheIsOfOneVersionAndLapses(t *testing.T) {
	r := testRequest()
	r.Version = "cache 1"
	r.Config = map[string]any{"set": "mine"}
	a, _ := mustServe(t, r, cacheScript)
	assert.Equal(t, []string{"mine"}, a.Log)
	r.Config = nil
	a, _ = mustServe(t, r, cacheScript)
	assert.Equal(t, []string{"mine"}, a.Log)

	other := *r
	other.Version = "cache 2"
	a, _ = mustServe(t, &other, cacheScript)
	assert.Equal(t, []string{"None"}, a.Log)

	r.NowMs += 60_000
	a, _ = mustServe(t, r, cacheScript)
	assert.Equal(t, []string{"None"}, a.Log)
}

func TestCacheIsBounded(t *testing.T) {
	c := newEngine().cache
	defer func() { testEngine = newEngine() }() // the library has one global cache
	c.now = time.UnixMilli(0)
	value := make([]byte, 100<<10)
	for i := range 1000 {
		require.NoError(t, c.Set(t.Context(), string(rune('a'+i)), value, 60))
	}
	assert.LessOrEqual(t, c.bytes, maxCacheBytes)
	assert.Equal(t, c.order.Len(), len(c.entries))
	assert.ErrorIs(t, c.Set(t.Context(), "b", make([]byte, maxEntryBytes), 60), errEntryTooLarge)
}

func TestBadRequests(t *testing.T) {
	for _, change := range []func(*request){
		func(r *request) { r.What = "dance" },
		func(r *request) { r.Timezone = "Mars/Olympus" },
		func(r *request) { r.Locale = "?" },
		func(r *request) { r.Width = 1 << 30 },
		func(r *request) { r.Height = -1 },
	} {
		r := testRequest()
		change(r)
		a, _ := serve(r, "def main():\n    return []")
		require.NotNil(t, a.Error)
		assert.Equal(t, problemRequest, a.Error.Kind)
	}
}

func TestFrames(t *testing.T) {
	var buffer bytes.Buffer
	require.NoError(t, writeFrame(&buffer, request{App: "a"}, []byte("script")))
	whole := buffer.Bytes()
	var r request
	blob, err := readFrame(bytes.NewReader(whole), &r)
	require.NoError(t, err)
	assert.Equal(t, "script", string(blob))
	assert.Equal(t, "a", r.App)
	for cut := 1; cut < len(whole); cut++ {
		_, err := readFrame(bytes.NewReader(whole[:cut]), &r)
		require.Error(t, err)
		require.NotEqual(t, io.EOF, err)
	}
	_, err = readFrame(bytes.NewReader(nil), &r)
	assert.Equal(t, io.EOF, err)
	_, err = readFrame(bytes.NewReader([]byte{255, 255, 255, 255, 0, 0, 0, 0}), &r)
	assert.ErrorIs(t, err, errFrameTooLarge)
}

func TestClockBlamesNobody(t *testing.T) {
	endless := "def main():\n    while True:\n        pass"
	r := testRequest()
	r.TimeoutMs = 300
	m := newMeter(r)
	m.script.deadline = time.Now() // as if other processes had used the processor
	a, _ := newEngine().serve(r, []byte(endless), m)
	assert.Equal(t, problemLate, a.Error.Kind)
	assert.Contains(t, a.Error.Message, "the machine is too busy")

	m = newMeter(r)
	assert.GreaterOrEqual(t, m.script.deadline.Sub(m.script.started), 5*time.Second)
	a, _ = newEngine().serve(r, []byte(endless), m)
	assert.Equal(t, problemLimit, a.Error.Kind)
	assert.Equal(t, "the app takes more than 300ms", a.Error.Message)
}

// Steps end a script wherever it runs: their number depends neither on the machine's speed nor on its load.
func TestStepsEndAScript(t *testing.T) {
	for _, script := range []string{
		"def main():\n    while True:\n        pass",
		"def f(n):\n    return n + 1\ndef main():\n    x = 0\n    for i in range(1 << 40):\n        x = f(x)",
		"while True:\n    pass\ndef main():\n    pass",
	} {
		r := testRequest()
		assert.EqualValues(t, maxSteps, r.MaxSteps)
		r.MaxSteps = 1_000_000
		a, _ := serve(r, script)
		require.NotNil(t, a.Error)
		assert.Equal(t, problemLimit, a.Error.Kind)
		assert.Equal(t, "the app takes more than 1,000,000 steps of Starlark", a.Error.Message)
		assert.InDelta(t, r.MaxSteps, a.Steps, 2*stepsPerLook)
	}
}

func TestLongAnswersAreBlobs(t *testing.T) {
	text := strings.Repeat("x", 100_000)
	a := &answer{Result: &text}
	assert.Equal(t, text, string(a.moveLong(nil)))
	assert.Nil(t, a.Result)
	assert.Equal(t, "result", a.BlobIs)
	short := "[]"
	a = &answer{Result: &short}
	assert.Equal(t, "picture", string(a.moveLong([]byte("picture"))))
	assert.Equal(t, &short, a.Result)
}

// TestMissingCharacters: characters that the font has, and emoji, are not missing.
func TestMissingCharacters(t *testing.T) {
	script := `
load("displayd.star", "missing")
load("render.star", "render")
def main():
    for content in ["Hello", "żółw, привет", "🍕 and 👩‍🚀", "☃ ቀ, ☃"]:
        print("<%s>" % missing(content, "tb-8"))
    for font in render.fonts:
        print("<%s>" % missing("Az09 ~", font))
    return []
`
	answer, _ := serve(testRequest(), script)
	require.Nil(t, answer.Error)
	require.Greater(t, len(answer.Log), 20)
	assert.Equal(t, []string{"<>", "<>", "<>", "<☃ቀ>"}, answer.Log[:4])
	for _, line := range answer.Log[4:] {
		assert.Equal(t, "<>", line)
	}
}
