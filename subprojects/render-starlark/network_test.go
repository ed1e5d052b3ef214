package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// askWithNetwork answers what the script asks for, until there is the renderer's own answer.
func (p *process) askWithNetwork(t *testing.T, script string, reply func(*fetchRequest, []byte) (fetchReply, []byte)) (*answer, []fetchRequest) {
	t.Helper()
	r := testRequest()
	allowed := true
	r.Network = &allowed
	require.NoError(t, writeFrame(p.link, r, []byte(script)))
	var asked []fetchRequest
	for {
		var head json.RawMessage
		blob, err := readFrame(p.link, &head)
		require.NoError(t, err)
		var fetch struct{ Fetch *fetchRequest }
		require.NoError(t, json.Unmarshal(head, &fetch))
		if fetch.Fetch == nil {
			a := &answer{}
			require.NoError(t, json.Unmarshal(head, a))
			return a, asked
		}
		asked = append(asked, *fetch.Fetch)
		got, body := reply(fetch.Fetch, blob)
		got.ID = fetch.Fetch.ID
		require.NoError(t, writeFrame(p.link, map[string]any{"fetch": got}, body))
	}
}

const loadHTTP = `load("http.star", "http")` + "\n"

func TestFetch(t *testing.T) {
	p := startProcess(t)
	const script = loadHTTP + `
def main():
    r = http.post("https://user:secret@example.org/a?b=c#d", params = {"e": "f"}, headers = {"X-One": "1"},
        json_body = {"g": 1}, ttl_seconds = 60)
    print(r.status_code, r.status, r.url, r.headers["Content-Type"], r.json()["h"])
    return []
`
	a, asked := p.askWithNetwork(t, script, func(f *fetchRequest, body []byte) (fetchReply, []byte) {
		assert.Equal(t, `{"g":1}`, string(body))
		return fetchReply{Status: 201, URL: "https://example.com/end",
			Headers: map[string]string{"content-type": "application/json"}}, []byte(`{"h": "i"}`)
	})
	require.Nil(t, a.Error)
	assert.Equal(t, []string{"201 201 Created https://example.com/end application/json i"}, a.Log)
	assert.Equal(t, []string{"example.org"}, a.Hosts)
	require.Len(t, asked, 1)
	assert.Equal(t, "POST", asked[0].Method)
	assert.Equal(t, "https://example.org/a?b=c&e=f", asked[0].URL)
	assert.EqualValues(t, 60, asked[0].TTLS)
	assert.Equal(t, map[string]string{"Authorization": "Basic dXNlcjpzZWNyZXQ=", "X-One": "1",
		"Content-Type": "application/json"}, asked[0].Headers)
}

func TestFetchFails(t *testing.T) {
	p := startProcess(t)
	fail := func(*fetchRequest, []byte) (fetchReply, []byte) {
		return fetchReply{Error: "there is no host example.org"}, nil
	}
	a, _ := p.askWithNetwork(t, fetch("https://example.org/"), fail)
	assert.Contains(t, a.Error.Message, "there is no host example.org")
	assert.Equal(t, 3, a.Error.Line)
	assert.Equal(t, []string{"example.org"}, a.Hosts)

	large := loadHTTP + "def main():\n    http.post(\"https://example.org/\", body = \"x\" * 1100000)"
	a, asked := p.askWithNetwork(t, large, fail)
	assert.Contains(t, a.Error.Message, "larger than 1 MiB")
	assert.Empty(t, asked)

	a, _ = p.ask(t, testRequest(), fetch("https://example.org/"))
	assert.Contains(t, a.Error.Message, "no network here")
}

func TestFetchesAreCounted(t *testing.T) {
	p := startProcess(t)
	many := loadHTTP + "def main():\n    for i in range(100):\n        http.get(\"https://example.org/%d\" % i)"
	answer := func(*fetchRequest, []byte) (fetchReply, []byte) { return fetchReply{Status: 200}, nil }
	for range 2 { // each request has its own
		a, asked := p.askWithNetwork(t, many, answer)
		assert.Contains(t, a.Error.Message, fmt.Sprintf("%d times at most", maxFetches))
		assert.Len(t, asked, maxFetches)
	}
}

func TestFetchEndsAtTheDeadline(t *testing.T) {
	p := startProcess(t)
	r := testRequest()
	r.Network, r.TimeoutMs = nil, 300
	require.NoError(t, writeFrame(p.link, r, []byte(fetch("https://example.org/"))))
	_, err := readFrame(p.link, &fetchHead{})
	require.NoError(t, err)
	a := &answer{}
	_, err = readFrame(p.link, a)
	require.NoError(t, err)
	if a.Recycle { // the watchdog was quicker, on a busy machine
		return
	}
	assert.Equal(t, problemScript, a.Error.Kind)
	assert.Equal(t, "the network takes too long", a.Error.Message)
	late := map[string]any{"fetch": fetchReply{ID: 1, Status: 200}} // its request has ended
	require.NoError(t, writeFrame(p.link, late, []byte("late")))
	a, _ = p.ask(t, testRequest(), colours)
	assert.Nil(t, a.Error)
}

func TestTheParentsQueueIsNotTheNetworksTime(t *testing.T) {
	n := newNetwork()
	n.begin(&request{TimeoutMs: 60_000})
	assert.Equal(t, maxWaits, n.left())
	n.countWait(time.Now().Add(-maxWaits), false)
	assert.LessOrEqual(t, n.left(), time.Duration(0))
	n.deliver(&fetchReply{QueuedMs: 8_000}, nil)
	assert.Greater(t, n.left(), maxWaits/2)
	n.countWait(time.Now(), true)
	assert.False(t, n.tookTooLong())
}

func TestIntervalOfTheManifest(t *testing.T) {
	for text, want := range map[string]int{
		"recommendedInterval: 5\n":                300,
		"id: x\nrecommended_interval: 10\n":       600,
		"recommendedInterval: 0\n":                0,
		"recommendedInterval: -7\n":               -1,
		"recommendedInterval: 99999999999999\n":   7 * 24 * 3600,
		"recommendedInterval: soon\n":             -1,
		"- a\n- list\n":                           -1,
		"a: &a [*a, *a]\nb: [":                    -1,
		strings.Repeat("[", 20_000):               -1,
		"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b]\n": -1,
	} {
		files := fstest.MapFS{"manifest.yaml": &fstest.MapFile{Data: []byte(text)}}
		got := -1 // it says nothing
		if seconds := intervalS(files); seconds != nil {
			got = *seconds
		}
		assert.Equal(t, want, got, text)
	}
	assert.Nil(t, intervalS(fstest.MapFS{}))
	p := startProcess(t)
	a, _ := p.ask(t, testRequest(), "-- app.star --\ndef main():\n    return []\n-- manifest.yaml --\nrecommendedInterval: 5\n")
	assert.Equal(t, 300, *a.IntervalS)
}
