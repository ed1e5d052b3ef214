package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionsAreKept(t *testing.T) {
	c := newVersionCache()
	script := []byte("-- a.star --\n1\n-- b.bin;base64 --\nAAEC\n")
	first, err := c.find("1", script)
	require.NoError(t, err)
	again, err := c.find("1", bytes.Clone(script))
	require.NoError(t, err)
	assert.Same(t, first, again)
	compiled, err := first.program("a.star")
	require.NoError(t, err)
	compiledAgain, err := first.program("a.star")
	require.NoError(t, err)
	assert.Same(t, compiled, compiledAgain)
	// Drafts change under the same name.
	changed, err := c.find("1", bytes.Replace(script, []byte("AAEC"), []byte("AAED"), 1))
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 1, 3}, changed.files["b.bin"].Data)
	assert.Len(t, c.entries, 1)
	other, err := c.find("2", script)
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 1, 2}, other.files["b.bin"].Data)
	_, err = c.find("2", []byte("-- a.star --\n-- a.star --\n"))
	require.Error(t, err)
	assert.Len(t, c.entries, 1)
}

// TestKeptVersionsBeginAnew shows that nothing of a request is left to the next one of the same version.
func TestKeptVersionsBeginAnew(t *testing.T) {
	script := loadRender + `load("random.star", "random")
load("time.star", "time")
kept = []
first = random.number(0, 1 << 30)
def main(config):
    print(len(kept), first, time.now().format("15:04"), config.get("word"))
    return []
`
	r := testRequest()
	r.Config = map[string]any{"word": "one"}
	a, _ := mustServe(t, r, script)
	again, _ := mustServe(t, r, script)
	assert.Equal(t, a.Log, again.Log)
	assert.Equal(t, a.Steps, again.Steps)
	r = testRequest()
	r.Config, r.Seed, r.NowMs = map[string]any{"word": "two"}, 2, r.NowMs+60_000
	other, _ := mustServe(t, r, script)
	words := strings.Fields(other.Log[0])
	assert.Equal(t, []string{"0", "14:35", "two"}, []string{words[0], words[2], words[3]})
	assert.NotEqual(t, strings.Fields(a.Log[0])[1], words[1])
}

func TestKeptVersionsAreBounded(t *testing.T) {
	c := newVersionCache()
	script := func(size int) []byte {
		return []byte("-- a.star --\n1\n-- b.txt --\n" + strings.Repeat("x", size))
	}
	for i := range 100 {
		_, err := c.find(strconv.Itoa(i), script(1<<18))
		require.NoError(t, err)
		assert.LessOrEqual(t, c.bytes, maxVersionsBytes)
	}
	assert.Contains(t, c.entries, "99")
	assert.NotContains(t, c.entries, "0")
	assert.Equal(t, c.order.Len(), len(c.entries))
	large, err := c.find("large", script(maxVersionsBytes))
	require.NoError(t, err)
	assert.Len(t, large.files["b.txt"].Data, maxVersionsBytes)
	assert.NotContains(t, c.entries, "large")
}

// TestMemoryOfVersions shows that what versions are counted with is no less than what they take.
func TestMemoryOfVersions(t *testing.T) {
	c := newVersionCache()
	before := liveBytes()
	for i := range 40 {
		script := strings.Builder{}
		fmt.Fprintf(&script, "def main():\n    return []\n")
		for n := range 400 {
			fmt.Fprintf(&script, "def f%d(a, b = %d):\n    return [a + x * b for x in range(%d)]\n", n, n, i)
		}
		v, err := c.find(strconv.Itoa(i), []byte(script.String()))
		require.NoError(t, err)
		_, err = v.program(soleFileName)
		require.NoError(t, err)
	}
	taken := liveBytes() - before
	t.Logf("%d bytes taken, %d counted", taken, c.bytes)
	assert.LessOrEqual(t, taken, int64(c.bytes))
	runtime.KeepAlive(c)
}

func liveBytes() int64 {
	runtime.GC()
	return heldByObjects()
}
