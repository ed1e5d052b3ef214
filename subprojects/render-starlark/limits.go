package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	gohumanize "github.com/dustin/go-humanize"
	"go.starlark.net/starlark"
)

const (
	// The limits are checked every so many steps. Between two checks the script can call itself
	// some hundred times more, and use memory up to the process's limit of data.
	stepsPerLook = 2_000
	looksPerHeap = 8

	// Nested calls; as many fit on the stack, however large their frames are.
	maxCallDepth = 20_000

	// Limit of a script's data, without garbage; the process may have 256 MiB (the launcher's
	// limit of data).
	maxHeapBytes = 96 << 20
)

// A script's work is counted in steps of Starlark, so that its picture depends neither on the machine's speed nor on its
// load: the heaviest known community app takes 176,000,000 steps, for which a server's core needs 10 s, since its
// steps are slow ones. An endless loop takes as many steps in 2 to 12 s.
const maxSteps = 500_000_000

// Work that steps do not count, as functions of the library and painting, is limited in processor time, so that a busy
// machine is not the app's fault: three times what that app takes. The clock ends a request, too, but later: then the
// machine is too busy.
const (
	wallTimes = 3
	wallExtra = 5 * time.Second
)

// meter measures one request and ends its scripts when they reach a limit. Starlark counts the
// steps of each thread; a request has a thread for each file it loads, for the schema and for
// main().
type meter struct {
	script   *budget // the script and its painting
	maxSteps int64

	now atomic.Pointer[budget] // that of the work that is being done

	threads    []*starlark.Thread
	steps      int64 // steps counted so far
	keptBytes  int64 // memory kept for later requests, not counted for this one
	stripBytes int64 // memory of painted frames, likewise
	peakBytes  int64
	looks      int
	reason     string // the limit that was reached
	isStarved  bool   // the time by the clock is over
}

// budget is the time for a part of a request. It never changes.
type budget struct {
	started  time.Time
	deadline time.Time     // by the clock
	timeout  time.Duration // processor time
	cpu      time.Duration // processor time that the process used before
	exceeded string        // for the app's author, with the timeout behind it
}

func newBudget(timeoutMs int64, extra time.Duration, exceeded string) *budget {
	now, timeout := time.Now(), time.Duration(timeoutMs)*time.Millisecond
	return &budget{now, now.Add(wallTimes*timeout + extra), timeout, cpuTime(), exceeded}
}

func newMeter(r *request) *meter {
	extra := wallExtra + time.Duration(r.WallExtraMs)*time.Millisecond
	m := &meter{script: newBudget(r.TimeoutMs, extra, "takes more than"), maxSteps: r.MaxSteps}
	m.now.Store(m.script)
	m.holdsTooMuch()
	return m
}

// beginEncoding ends the script's time: what its picture then takes is the server's matter.
func (m *meter) beginEncoding(r *request) {
	m.now.Store(newBudget(r.EncodeMs, time.Duration(r.WallExtraMs)*time.Millisecond, "makes a picture whose encoding takes more than"))
}

// attach makes the meter check the thread from time to time.
func (m *meter) attach(thread *starlark.Thread) {
	m.threads = append(m.threads, thread)
	thread.SetMaxExecutionSteps(stepsPerLook)
	thread.OnMaxSteps = func(thread *starlark.Thread) {
		thread.SetMaxExecutionSteps(thread.ExecutionSteps() + stepsPerLook)
		m.steps += stepsPerLook
		if err := m.look(thread.CallStackDepth()); err != nil {
			thread.Cancel(err.Error())
		}
	}
}

// allSteps includes, for the report, the steps since the last check.
func (m *meter) allSteps() int64 {
	total := int64(0)
	for _, thread := range m.threads {
		total += int64(thread.ExecutionSteps())
	}
	return total
}

// giveWay yields to a process that answers requests and waits for this core. The kernel would
// switch to it when it is woken, but if it had used a little more than its share by then, only at
// the next tick of the clock, up to 4 ms later. If no process waits, this takes less than a
// microsecond.
func giveWay() {
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}

// check returns an error if a limit was reached outside of scripts: while painting and encoding.
func (m *meter) check() error {
	m.holdsTooMuch()
	return m.look(0)
}

func (m *meter) look(depth int) error {
	giveWay()
	m.looks++
	m.lookAtClock()
	switch {
	case m.reason != "":
	case m.steps > m.maxSteps:
		m.reason = fmt.Sprintf("takes more than %s steps of Starlark", gohumanize.Comma(m.maxSteps))
	case depth > maxCallDepth:
		m.reason = fmt.Sprintf("calls itself more than %d times deep", maxCallDepth)
	case m.looks%looksPerHeap == 0:
		m.holdsTooMuch()
	}
	if m.reason != "" {
		return m.limitProblem()
	}
	return nil
}

// holdsTooMuch checks the memory and sets the reason.
func (m *meter) holdsTooMuch() bool {
	notCounted := m.keptBytes + m.stripBytes
	held := heldByObjects() - notCounted
	if held > maxHeapBytes {
		runtime.GC() // some of the counted bytes may be garbage
		held = heldByObjects() - notCounted
	}
	m.peakBytes = max(m.peakBytes, held)
	if held > maxHeapBytes && m.reason == "" {
		m.reason = fmt.Sprintf("holds more than %d MiB of memory", maxHeapBytes>>20)
	}
	return held > maxHeapBytes
}

func (m *meter) lookAtClock() {
	if m.reason == "" {
		m.reason, m.isStarved = m.lateness(0)
	}
}

// lateness returns which limit of time was exceeded by this duration, or "". It reads only what
// does not change, so other goroutines may call it, too.
func (m *meter) lateness(since time.Duration) (reason string, isStarved bool) {
	b := m.now.Load()
	used := cpuTime() - b.cpu
	switch {
	case used > b.timeout+since:
		return fmt.Sprintf("%s %v", b.exceeded, b.timeout), false
	case time.Now().After(b.deadline.Add(since)):
		return fmt.Sprintf("had %v of the processor in %v: the machine is too busy",
			used.Round(100*time.Millisecond), b.deadline.Sub(b.started)), true
	}
	return "", false
}

func (m *meter) limitProblem() *problem {
	return limitProblem(m.reason, m.isStarved)
}

func limitProblem(reason string, isStarved bool) *problem {
	kind := problemLimit
	if isStarved {
		kind = problemLate
	}
	return &problem{Kind: kind, Message: "the app " + reason}
}

// heldByObjects returns the bytes of all objects, garbage since the last collection included.
func heldByObjects() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64())
}

// logbook collects the lines that a script prints. A line that does not fit is cut between two
// characters, with a mark at its end, or dropped.
type logbook struct {
	lines   []string
	bytes   int // with a line feed for each line
	dropped int
}

const (
	maxLogLines = 50
	maxLogBytes = 8 << 10
	cutMark     = "…"
)

func (l *logbook) print(_ *starlark.Thread, text string) {
	text = strings.TrimSuffix(text, "\n")
	for len(l.lines) < maxLogLines {
		line, rest, isMore := strings.Cut(text, "\n")
		l.add(line)
		if !isMore {
			return
		}
		text = rest
	}
	l.dropped += 1 + strings.Count(text, "\n")
}

func (l *logbook) add(line string) {
	room := maxLogBytes - l.bytes - 1
	if room <= len(cutMark) {
		l.dropped++
		return
	}
	if len(line) > room {
		end := room - len(cutMark)
		for end > 0 && !utf8.RuneStart(line[end]) {
			end--
		}
		line = line[:end] + cutMark
	}
	l.bytes += len(line) + 1
	l.lines = append(l.lines, line)
}
