package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

const (
	// The script is looked at every so many steps. In between it can call itself some hundred
	// times more, and build something that the process's limit of data has to stop.
	stepsPerLook = 2_000
	looksPerHeap = 8

	maxCallDepth = 2_000

	// What a script may hold; the process may have 256 MiB (the launcher's limit of data).
	maxHeapBytes = 96 << 20
)

// meter measures one request and ends its scripts at their limits. Starlark counts the steps of
// each thread; a request has a thread for each file it loads, for the schema and for main().
type meter struct {
	started  time.Time
	deadline time.Time
	timeout  time.Duration
	maxSteps int64

	threads   []*starlark.Thread
	steps     int64 // that were looked at
	peakBytes int64
	looks     int
	reason    string // the limit that was reached
	isLate    bool   // it is the time
}

func newMeter(r *request) *meter {
	now := time.Now()
	timeout := time.Duration(r.TimeoutMs) * time.Millisecond
	m := &meter{started: now, deadline: now.Add(timeout), timeout: timeout, maxSteps: r.MaxSteps}
	m.measureHeap()
	return m
}

// attach makes the meter look at the thread from time to time.
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

// allSteps counts, for the report, what was not looked at, too.
func (m *meter) allSteps() int64 {
	total := int64(0)
	for _, thread := range m.threads {
		total += int64(thread.ExecutionSteps())
	}
	return total
}

// giveWay lets a process that answers requests, and waits for this core, run first. The kernel looks by
// itself when it is woken, but where it has had a little more than its share just then, only at the next
// tick of the clock, up to 4 ms later. Where none waits this takes less than a microsecond.
func giveWay() {
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}

// check ends what is no script: painting and encoding.
func (m *meter) check() error {
	m.measureHeap()
	return m.look(0)
}

func (m *meter) look(depth int) error {
	giveWay()
	m.looks++
	m.lookAtClock()
	switch {
	case m.reason != "":
	case m.steps > m.maxSteps:
		m.reason = fmt.Sprintf("takes more than %d steps", m.maxSteps)
	case depth > maxCallDepth:
		m.reason = fmt.Sprintf("calls itself more than %d times deep", maxCallDepth)
	case m.looks%looksPerHeap == 0 && m.measureHeap() > maxHeapBytes:
		runtime.GC() // what was counted may be garbage
		if m.measureHeap() > maxHeapBytes {
			m.reason = fmt.Sprintf("holds more than %d MiB of memory", maxHeapBytes>>20)
		}
	}
	if m.reason != "" {
		return m.limitProblem()
	}
	return nil
}

func (m *meter) lookAtClock() {
	if m.reason == "" && time.Now().After(m.deadline) {
		m.reason, m.isLate = m.lateReason(), true
	}
}

func (m *meter) lateReason() string {
	return fmt.Sprintf("takes more than %v", m.timeout)
}

func (m *meter) limitProblem() *problem {
	return &problem{Kind: problemLimit, Message: "the app " + m.reason}
}

// measureHeap returns what objects take and keeps the most that the runtime ever held.
func (m *meter) measureHeap() int64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	held := int64(samples[1].Value.Uint64() - samples[2].Value.Uint64())
	m.peakBytes = max(m.peakBytes, held)
	return int64(samples[0].Value.Uint64())
}

// logbook keeps what a script prints, a line each. One that there is no room for is cut between two
// characters, with a mark at its end, or dropped.
type logbook struct {
	lines   []string
	bytes   int // with a sign at the end of each line
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
