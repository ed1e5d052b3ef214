package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tronbyt/pixlet/runtime/modules/i18n_runtime"
	"github.com/tronbyt/pixlet/runtime/modules/random"
	"github.com/tronbyt/pixlet/runtime/modules/render_runtime/canvas"
	"github.com/tronbyt/pixlet/runtime/modules/time_runtime"
	"github.com/tronbyt/pixlet/schema"
	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"golang.org/x/text/language"
)

const (
	maxPixels      = 1 << 16
	maxResultBytes = 4 << 20
)

// engine answers requests, one at a time.
type engine struct {
	cache    *scriptCache
	versions *versionCache
	network  *network
	sites    *sites // of the request
}

func newEngine() *engine {
	n := newNetwork()
	return &engine{cache: prepareModules(n), versions: newVersionCache(), network: n}
}

// serve answers one request. It returns the answer's head and blob whatever the script does, unless
// the process ends: at its limit of data, or by a stack overflow.
func (e *engine) serve(r *request, script []byte, m *meter) (*answer, []byte) {
	a, log := &answer{}, &logbook{}
	cpuBefore := cpuTime()
	e.network.begin(r)
	m.keptBytes = int64(e.cache.bytes + e.versions.bytes)
	e.sites = &sites{}
	defer func() { e.sites = nil }()
	blob, err := e.run(r, script, m, log, a)
	if err != nil {
		a.Error, blob = describe(err, m), nil
		if e.network.tookTooLong() {
			a.Error.Kind, a.Error.Message = problemScript, "the network takes too long"
		}
	}
	if err == nil && m.holdsTooMuch() {
		a.Error, blob = describe(m.limitProblem(), m), nil
	}
	a.Log, a.LogDropped = log.lines, log.dropped
	a.Hosts = e.network.hostsAsked()
	a.ElapsedUs = time.Since(m.script.started).Microseconds()
	a.CPUUs = (cpuTime() - cpuBefore).Microseconds()
	a.Steps, a.MemoryBytes = m.allSteps(), m.peakBytes
	return a, blob
}

func (e *engine) run(r *request, script []byte, m *meter, log *logbook, a *answer) (blob []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = libraryFailed(cause)
		}
	}()
	switch r.What {
	case whatPaint:
		shown, err := readTree(script, r, m)
		if err != nil || shown == nil {
			return nil, err
		}
		return show(shown, r, m, a)
	case whatDescribe:
		return nil, readForm(script, r, m, a)
	case whatReply:
		return nil, readReply(script, r, m, a)
	}
	ctx, cancel := context.WithDeadline(context.Background(), m.script.deadline)
	defer cancel()
	v, err := e.versions.find(r.App+"@"+r.Version, script)
	if err != nil {
		return nil, &problem{Kind: problemApp, Message: err.Error()}
	}
	a.IntervalS = v.intervalS
	r.draws2x = r.Is2x && v.manifest != nil && v.manifest.Supports2x
	app, err := e.load(ctx, r, v, m, log)
	if err != nil {
		return nil, placed(err, v.files)
	}
	switch r.What {
	case whatRender:
		roots, err := app.run(ctx, r.Config)
		if err != nil || len(roots) == 0 {
			return nil, placed(err, v.files)
		}
		shown := reelOf(roots, r)
		shown.made = e.sites.of
		return show(shown, r, m, a)
	case whatSchema:
		return nil, keepSchema(app.schema, a)
	case whatHandler:
		return nil, callHandler(ctx, app, r, a)
	}
	return nil, badRequest("what must be render, schema, handler, paint, describe or reply")
}

func (e *engine) load(ctx context.Context, r *request, v *version, m *meter, log *logbook) (*applet, error) {
	location, err := time.LoadLocation(r.Timezone)
	if err != nil {
		return nil, badRequest("unknown time zone " + r.Timezone)
	}
	locale, err := language.Parse(r.Locale)
	if err != nil {
		return nil, badRequest("unknown locale " + r.Locale)
	}
	if err := checkSize(r); err != nil {
		return nil, err
	}
	now := time.UnixMilli(r.NowMs).In(location)
	setProcessClock(r, location)
	e.cache.now = now

	return loadApplet(ctx, v, func(thread *starlark.Thread) {
		thread.Name = r.App + "@" + r.Version
		thread.Print = log.print
		time_runtime.SetLocation(thread, location)
		i18n_runtime.AttachLanguageToThread(thread, locale)
		canvas.AttachToThread(thread, r.meta())
		starlarktime.SetNow(thread, func() (time.Time, error) { return now, nil })
		random.SeedThread(thread, r.Seed, r.Seed)
		m.attach(thread)
		e.sites.attach(thread)
	})
}

func checkSize(r *request) error {
	pixels := maxPixels
	if r.Is2x {
		pixels /= 4
	}
	if r.Width <= 0 || r.Height <= 0 || r.Width > pixels/r.Height {
		return badRequest(fmt.Sprintf("%d x %d pixels is not a valid size", r.Width, r.Height))
	}
	return nil
}

func show(shown *reel, r *request, m *meter, a *answer) ([]byte, error) {
	blob, cut, err := picture(shown, r, m)
	if err != nil {
		return nil, err
	}
	a.Cut = cut
	if len(blob) > maxBlobBytes {
		return nil, tooLarge("picture", len(blob), maxBlobBytes)
	}
	a.DelaysMs = frameDelays(blob)
	a.MaxAgeS = shown.maxAgeS
	a.ShowFullAnimation = shown.showFullAnimation
	return blob, nil
}

func keepSchema(form *schema.Schema, a *answer) error {
	text, err := json.Marshal(form)
	if err == nil && len(text) > maxResultBytes {
		return tooLarge("schema", len(text), maxResultBytes)
	}
	a.Schema = text
	return err
}

func callHandler(ctx context.Context, app *applet, r *request, a *answer) error {
	if app.schema == nil {
		return &problem{Kind: problemApp, Message: "the app has no schema"}
	}
	result, err := app.callHandler(ctx, r)
	if err == nil && len(result) > maxResultBytes {
		err = tooLarge("handler's answer", len(result), maxResultBytes)
	}
	if err == nil {
		a.Result = &result
	}
	return err
}

func tooLarge(what string, bytes, most int) error {
	return &problem{Kind: problemLimit, Message: fmt.Sprintf("the %s is too large: %d bytes, maximum %d", what, bytes, most)}
}

func badRequest(message string) error {
	return &problem{Kind: problemRequest, Message: message}
}
