package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The tests' own program is the renderer when this is set: TestMain then runs main().
const runsAsRenderer = "RENDER_STARLARK_RUNS"

// Environment variables: the sandbox's launcher and the renderer. If the launcher is set, the
// renderer runs in it.
const launcherVariable, rendererVariable = "DISPLAYD_SANDBOX", "DISPLAYD_RENDER_STARLARK"

const dataLimitBytes = 256 << 20

// noMemoryForThread is the runtime's message where the limit meets the stack of a new thread, and
// not the heap.
const noMemoryForThread = "pthread_create failed: Resource temporarily unavailable"

func TestMain(m *testing.M) {
	if os.Getenv(runsAsRenderer) != "" {
		limit := syscall.Rlimit{Cur: dataLimitBytes, Max: dataLimitBytes}
		if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
			panic(err)
		}
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is a renderer whose parent is the test.
type process struct {
	command *exec.Cmd
	link    *os.File
	stderr  bytes.Buffer
	hello   hello
}

// launch starts the program with these words.
func launch(t testing.TB, words ...string) *process {
	t.Helper()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	theirs := os.NewFile(uintptr(ends[1]), "renderer")
	defer theirs.Close()
	p := &process{link: os.NewFile(uintptr(ends[0]), "test")}
	if launcher := os.Getenv(launcherVariable); launcher != "" {
		p.command = exec.Command(launcher, append([]string{"--data", "256M", "--best-effort", os.Getenv(rendererVariable)}, words...)...)
	} else {
		p.command = exec.Command(os.Args[0], words...)
		p.command.Env = append(os.Environ(), runsAsRenderer+"=1")
	}
	p.command.ExtraFiles = []*os.File{theirs}
	p.command.Stderr = &p.stderr
	require.NoError(t, p.command.Start())
	t.Cleanup(func() {
		p.link.Close()
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	return p
}

func startProcess(t testing.TB) *process {
	t.Helper()
	p := launch(t)
	if _, err := readFrame(p.link, &p.hello); err != nil {
		_ = p.command.Wait()
		t.Fatal(err, p.stderr.String())
	}
	return p
}

// ask returns the answer, or nil if the process has ended without one.
func (p *process) ask(t testing.TB, r *request, script string) (*answer, []byte) {
	t.Helper()
	require.NoError(t, writeFrame(p.link, r, []byte(script)))
	a := &answer{}
	blob, err := readFrame(p.link, a)
	if err != nil {
		return nil, nil
	}
	return a, blob
}

// end waits until the process ends by itself, and returns its exit status.
func (p *process) end(t testing.TB) int {
	t.Helper()
	var exit *exec.ExitError
	if err := p.command.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.command.ProcessState.ExitCode()
}

func TestProcessAnswersOneRequestAfterTheOther(t *testing.T) {
	p := startProcess(t)
	require.Equal(t, "STARLARK", p.hello.Engine)
	for range 3 {
		a, blob := p.ask(t, testRequest(), colours)
		require.Nil(t, a.Error)
		require.NotEmpty(t, blob)
		a, _ = p.ask(t, testRequest(), "def main():\n    fail(1)")
		require.Equal(t, "fail: 1", a.Error.Message)
	}
	p.link.Close()
	require.Equal(t, 0, p.end(t))
}

func TestHostileScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	const deep = "    for i in range(%d):\n        w = render.%s\n    return render.Root(child = w)"
	tree := func(times, widget string) string {
		body := strings.NewReplacer("%d", times, "%s", widget).Replace(deep)
		return loadRender + "def main():\n    w = render.Box()\n" + body
	}
	shown := func(widget string) string {
		return loadRender + "def main():\n    return render.Root(child = " + widget + ")"
	}
	// Scripts that use all the time they get, so little is enough for them.
	endless := []string{"an integer that squares", "a deep tree", "a wide tree", "a wide tree of rows", "a million roots",
		"box of a billion"}
	for name, c := range map[string]struct {
		script string
		want   string // part of the error's message; "": any error is accepted, and the end
		// of the process
	}{
		"endless loop at top level":  {"while True:\n    pass\ndef main():\n    pass", "takes more than"},
		"endless loop in main":       {"def main():\n    while True:\n        pass", "takes more than"},
		"endless loop in the schema": {"def get_schema():\n    while True:\n        pass\ndef main():\n    pass", "takes more than"},
		"endless loop in a handler":  {handler("while True:\n        pass"), "takes more than"},
		"memory in a handler":        {handler("return 'a' * (1 << 29)"), ""},
		"endless loop over a list":   {"def main():\n    for i in range(1 << 40):\n        pass", "takes more than"},
		"recursion":                  {"def f(n):\n    return f(n + 1)\ndef main():\n    f(0)", "times deep"},
		"recursion at top level":     {"def f(n):\n    return f(n + 1)\nf(0)\ndef main():\n    pass", "times deep"},
		"recursion through sorted":   {"def f(n):\n    return sorted([n], key = f)\ndef main():\n    f(0)", "times deep"},
		"nested too deep to parse":   {"def main():\n    return " + strings.Repeat("(", 900_000), ""},
		"a list that grows":          {"def main():\n    l = []\n    while True:\n        l.append(\"x\" * 1000 + str(len(l)))", "memory"},
		"a string that doubles":      {"def main():\n    s = \"x\"\n    while True:\n        s += s", ""},
		"a string of 1 GB":           {"def main():\n    s = \"x\" * (1 << 30 - 1)\n    return s", ""},
		"a list of a billion":        {"def main():\n    return [0] * (1 << 29)", ""},
		"an integer that squares":    {"def main():\n    x = 3\n    while True:\n        x *= x", ""},
		"a range into a list":        {"def main():\n    return list(range(1 << 40))", ""},
		"closures":                   {"def make():\n    big = [0] * 1000\n    return lambda: big\ndef main():\n    l = []\n    while True:\n        l.append(make())", "memory"},
		"a dict that grows":          {"def main():\n    d = {}\n    for i in range(1 << 40):\n        d[i] = [i] * 1000", "memory"},
		"a deep tree":                {tree("1000000", "Padding(pad = 0, child = w)"), ""},
		"a wide tree":                {tree("40", "Stack(children = [w, w])"), ""},
		"a wide tree of rows":        {tree("40", "Row(children = [w, w])"), ""},
		"a value that is deep":       {"def main():\n    l = []\n    for i in range(10000000):\n        l = [l]\n    print(l)", ""},
		"a list that holds itself":   {"def main():\n    l = []\n    l.append(l)\n    print(l)\n    return l", "of the type list"},
		"a tree that holds itself": {loadRender + "def main():\n    l = [render.Box()]\n    r = render.Row(children = l)\n" +
			"    l.append(r)\n    return render.Root(child = r)", "none"},
		"no tree":                   {"def main():\n    return {1: main}", "main() must return a Root"},
		"a list of no trees":        {"def main():\n    return [1]", "main() must return a Root"},
		"main with arguments":       {"def main(a, b):\n    pass", "missing 1 argument"},
		"picture of 60,000":         {imageApp(hugePNG()), ""},
		"picture scaled up":         {imageApp([]byte(smallGIF), "width = 60000", "height = 60000"), ""},
		"SVG of 60,000":             {imageApp([]byte(hugeSVG)), ""},
		"box of a billion":          {shown("render.Box(width = 1 << 30, height = 1 << 30, color = \"#fff\")"), ""},
		"text that is long":         {shown("render.Marquee(width = 64, child = render.Text(\"x\" * 10000000))"), ""},
		"10,000 frames":             {loadRender + "def main():\n    return render.Root(delay = 1, child = render.Animation([render.Box(color = \"#\" + (\"00000\" + str(i))[-6:]) for i in range(10000)]))", ""},
		"a million roots":           {loadRender + "def main():\n    return [render.Root(delay = 1, child = render.Box())] * 1000000", ""},
		"a million lines":           {"def main():\n    for i in range(1000000):\n        print(i)\n    return []", "none"},
		"lines without end":         {"def main():\n    while True:\n        print(\"x\" * 1000)", "takes more than"},
		"a chart without colours":   {shown("render.PieChart(colors = [], weights = [1], diameter = 10)"), ""},
		"a broken SVG":              {imageApp([]byte("<svg xmlns='http://www.w3.org/2000/svg'><path d='M")), ""},
		"an animation of emptiness": {shown("render.Sequence(children = [])"), ""},
		"negative sizes":            {shown("render.Box(width = -5, height = -5, color = \"#fff\")"), ""},
		"a plot of nothing":         {shown("render.Plot(data = [(0, 1), (1, None)], width = 64, height = 32)"), "must be numbers"},
		"a plot of infinity":        {shown("render.Plot(data = [(0, 1), (float(\"inf\"), 1)], width = 64, height = 32)"), "must be numbers"},
		"a plot that goes far":      {shown("render.Plot(data = [(0, 1), (1 << 50, 1)], x_lim = (0, 1), width = 64, height = 32)"), "beyond x_lim"},
		"a plot without room":       {shown("render.Plot(data = [(0, 1), (1, 2)], y_lim = (1, 1), width = 64, height = 32)"), "none"},
		"a plot of a billion":       {shown("render.Plot(data = [(0, 1), (1, 2)], width = 1 << 40, height = 32)"), "beyond x_lim"},
		"an empty animation":        {shown("render.Animation([])"), ""},
		"regular expression":        {"load(\"re.star\", \"re\")\ndef main():\n    re.findall(\"(a*)*b\", \"a\" * 1000000)\n    return []", ""},
		"gzip that expands":         {data(bomb(t), "load(\"compress/gzip.star\", \"gzip\")", "gzip.decompress(data)"), "memory"},
		"an own file":               {"load(\"/etc/passwd\", \"file\")\ndef main():\n    pass", "neither a file of the app nor a module"},
		"a file above":              {"load(\"../../etc/passwd\", \"file\")\ndef main():\n    pass", "neither a file of the app nor a module"},
		"a file by name":            {"def main():\n    open(\"/etc/passwd\")", "undefined: open"},
		"the environment":           {"load(\"os.star\", \"os\")\ndef main():\n    pass", "neither a file of the app nor a module"},
		"address 127.0.0.1":         {fetch("http://127.0.0.1/"), "no network here"},
		"address [::1]":             {fetch("http://[::1]/"), "no network here"},
		"address of link":           {fetch("http://169.254.169.254/latest"), "no network here"},
		"address in hex":            {fetch("http://0x7f000001/"), "no network here"},
		"address by name":           {fetch("https://localhost/"), "no network here"},
		"address in address":        {fetch("http://[::ffff:127.0.0.1]/"), "no network here"},
		"address of a file":         {fetch("file:///etc/passwd"), "no network here"},
		"address of the parent":     {fetch("unix:///proc/self/fd/3"), "no network here"},
	} {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t)
			r := testRequest()
			r.TimeoutMs = 2_000
			if c.want == "takes more than" || slices.Contains(endless, name) {
				r.TimeoutMs = 300
			}
			if strings.HasSuffix(name, "in a handler") {
				r.What, r.Handler = whatHandler, "field$f"
			}
			began := time.Now()
			a, _ := p.ask(t, r, c.script)
			got := "nothing to complain of"
			switch {
			case a == nil:
				code := p.end(t)
				got, _, _ = strings.Cut(p.stderr.String(), "\n")
				require.NotEqual(t, 0, code)
				if c.want != "memory" || !strings.Contains(got, noMemoryForThread) {
					require.Contains(t, got, c.want)
				}
			case a.Error != nil:
				got = a.Error.Message
				require.NotEqual(t, "none", c.want, got)
				if c.want != "takes more than" || !strings.Contains(got, "the machine is too busy") {
					require.Contains(t, got, c.want)
				}
			default:
				require.Contains(t, []string{"", "none"}, c.want)
			}
			t.Logf("%.60s (%v)", got, time.Since(began).Round(time.Millisecond))
			if a != nil && !a.Recycle { // the process continues as if nothing had
				// happened
				a, blob := p.ask(t, testRequest(), colours)
				require.Nil(t, a.Error)
				require.NotEmpty(t, blob)
			}
		})
	}
}

const (
	smallGIF = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	hugeSVG  = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 60000 60000'>" +
		"<rect width='60000' height='60000' fill='red'/></svg>"
)

// hugePNG has 60,000 x 60,000 pixels, and no data for them.
func hugePNG() []byte {
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind, data string) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		file = append(file, kind+data...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE([]byte(kind+data)))
	}
	chunk("IHDR", "\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00")
	chunk("IDAT", "\x78\x9c\x03\x00\x00\x00\x00\x01")
	chunk("IEND", "")
	return file
}

// bomb is 512 MiB of zeros in half a megabyte.
func bomb(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := gzip.NewWriter(&file)
	zeros := make([]byte, 1<<20)
	for range 512 {
		_, err := writer.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return file.Bytes()
}

// data is a script whose main() evaluates the expression, with the bytes as data.
func data(bytes []byte, load, expression string) string {
	return load + "\nload(\"encoding/base64.star\", \"base64\")\ndef main():\n    data = base64.decode(\"" +
		base64.StdEncoding.EncodeToString(bytes) + "\")\n    return " + expression + "\n"
}

func imageApp(file []byte, size ...string) string {
	widget := "render.Image(" + strings.Join(append([]string{"src = data"}, size...), ", ") + ")"
	return data(file, loadRender, "render.Root(child = "+widget+")")
}

// handler is an app whose schema asks it for an answer.
func handler(body string) string {
	return `load("schema.star", "schema")
def f(text):
    ` + body + `
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Typeahead(id = "field", name = "Field", desc = "A field", icon = "gear", handler = f),
    ])
def main():
    return []
`
}

func fetch(address string) string {
	return "load(\"http.star\", \"http\")\ndef main():\n    http.get(\"" + address + "\")\n    return []"
}
