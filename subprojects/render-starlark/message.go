package main

import (
	"encoding/json"
	"image"

	"github.com/tronbyt/pixlet/runtime/modules/render_runtime/canvas"
)

// Kinds of request.
const (
	whatRender  = "render"  // a picture
	whatSchema  = "schema"  // the app's schema
	whatHandler = "handler" // the answer of one of the schema's handlers

	// Kinds for an app in another language; the blob is a tree of widgets (tree.go).
	whatPaint    = "paint"    // a picture
	whatDescribe = "describe" // the app's schema
	whatReply    = "reply"    // the result of a schema's handler: a Schema, or a list of options
)

// request is the head of a request. The blob is the script: one file, or several as txtar; or a
// tree. Zero values get the defaults of setDefaults; the size has none.
type request struct {
	What    string `json:"what"`
	App     string `json:"app"`     // with version the scope of the script's cache
	Version string `json:"version"` // checksum of the script

	Config   map[string]any `json:"config"`
	NowMs    int64          `json:"now_ms"` // the script's clock stands still at this Unix time
	Timezone string         `json:"timezone"`
	Locale   string         `json:"locale"`
	Seed     uint64         `json:"seed"`

	Width         int   `json:"width"`
	Height        int   `json:"height"`
	Is2x          bool  `json:"is_2x"`           // the picture has twice the width and height
	MaxDurationMs int   `json:"max_duration_ms"` // limit of an animation
	MaxWholeMs    int   `json:"max_whole_ms"`    // limit of an animation with show_full_animation, maybe longer than its turn
	MaxBytes      int   `json:"max_bytes"`       // a larger picture gets more effort, and is cut then
	TimeoutMs     int64 `json:"timeout_ms"`      // processor time for the script, and for painting
	EncodeMs      int64 `json:"encode_ms"`       // processor time for encoding what was painted
	WallExtraMs   int64 `json:"wall_extra_ms"`   // additional time by the clock
	MaxSteps      int64 `json:"max_steps"`

	Network *bool `json:"network"` // false: the script's requests are refused

	Handler   string `json:"handler"`
	Parameter string `json:"parameter"`

	draws2x bool // it is drawn so; otherwise it is drawn as large as the size says, and enlarged
}

// meta returns what scripts can learn about the canvas, whose size is the scaled one.
func (r *request) meta() canvas.Metadata {
	return canvas.Metadata{Width: r.Width, Height: r.Height, Is2x: r.draws2x}
}

// bounds returns the rectangle that is painted.
func (r *request) bounds() image.Rectangle {
	return image.Rect(0, 0, r.meta().ScaledWidth(), r.meta().ScaledHeight())
}

// magnification returns by which factor the picture is larger than what is painted.
func (r *request) magnification() int {
	if r.Is2x && !r.draws2x {
		return 2
	}
	return 1
}

// incoming is any received head: a request, or the answer to a fetch (network.go).
type incoming struct {
	request
	Fetch *fetchReply `json:"fetch"`
}

func (r *request) setDefaults() {
	if r.Timezone == "" {
		r.Timezone = "UTC"
	}
	if r.Locale == "" {
		r.Locale = "en"
	}
	if r.MaxDurationMs == 0 {
		r.MaxDurationMs = 15_000
	}
	if r.MaxWholeMs == 0 {
		r.MaxWholeMs = r.MaxDurationMs
	}
	if r.MaxBytes == 0 {
		r.MaxBytes = maxBlobBytes
	}
	if r.TimeoutMs == 0 {
		r.TimeoutMs = 30_000
	}
	if r.EncodeMs == 0 {
		r.EncodeMs = 10_000
	}
	if r.MaxSteps == 0 {
		r.MaxSteps = maxSteps
	}
}

// answer is the head of an answer. The blob is the picture, a lossless WebP; it is empty if the app
// has nothing to show, or if there is an error.
type answer struct {
	Error *problem `json:"error,omitempty"`

	DelaysMs          []int `json:"delays_ms,omitempty"` // delay of each frame; empty for a still picture
	MaxAgeS           int   `json:"max_age_s,omitempty"`
	ShowFullAnimation bool  `json:"show_full_animation,omitempty"`

	Cut string `json:"cut,omitempty"` // what was left out of the animation; empty: nothing

	IntervalS *int `json:"interval_s,omitempty"` // interval of the manifest; 0: each turn
	// is rendered
	Hosts []string `json:"hosts,omitempty"` // hosts requested over the network

	Schema json.RawMessage `json:"schema,omitempty"`
	Result *string         `json:"result,omitempty"` // result of the handler
	// The member that is in the blob instead, as it is long.
	BlobIs string `json:"blob_is,omitempty"`

	Log        []string `json:"log,omitempty"`
	LogDropped int      `json:"log_dropped,omitempty"` // lines that did not fit

	ElapsedUs   int64 `json:"elapsed_us"`
	CPUUs       int64 `json:"cpu_us"`
	Steps       int64 `json:"steps"`
	MemoryBytes int64 `json:"memory_bytes"` // the most memory that the process used meanwhile

	// The process ends after this answer, since it uses too much memory.
	Recycle bool `json:"recycle,omitempty"`
}

const maxMemberBytes = 64 << 10

// moveLong moves a long schema or result into the blob, which these answers do not use otherwise.
func (a *answer) moveLong(blob []byte) []byte {
	switch {
	case len(a.Schema) > maxMemberBytes:
		blob, a.Schema, a.BlobIs = a.Schema, nil, "schema"
	case a.Result != nil && len(*a.Result) > maxMemberBytes:
		blob, a.Result, a.BlobIs = []byte(*a.Result), nil, "result"
	}
	return blob
}

// Kinds of problems.
const (
	problemScript = "script" // the script is wrong; File, Line and Column say where if it is known
	problemApp    = "app"    // the upload is not an app: no main(), a bad archive, a bad
	// manifest
	problemLimit   = "limit"   // time, steps, memory, recursion, size
	problemLate    = "late"    // the machine is too busy
	problemRequest = "request" // the caller's fault
)

type problem struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Backtrace string `json:"backtrace,omitempty"`
}

func (p *problem) Error() string { return p.Message }

// hello is the head of the first frame, which the renderer sends when it is ready.
type hello struct {
	Engine  string `json:"engine"`
	Library string `json:"library"`
	Layers  string `json:"layers"` // active layers of the sandbox, separated by spaces
}
