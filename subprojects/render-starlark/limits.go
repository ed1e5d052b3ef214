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

	// Number of calls that fit on the stack, however large each is.
	maxCallDepth = 20_000

	// Limit of a script's data, without garbage; the process may have 256 MiB (the launcher's
	// limit of data).
	maxHeapBytes = 96 << 20
)

// The time of a request is that of the processor, so that nobody has to answer for what else the machine does.
// The clock ends a request, too, later: then the machine is too busy.
const (
	wallTimes = 3
	wallExtra = 5 * time.Second
)

// meter measures one request and ends its scripts at their limits. Starlark counts the steps of
// each thread; a request has a thread for each file it loads, for the schema and for main().
type meter struct {
	started  time.Time
	deadline time.Time     // by the clock
	timeout  time.Duration // processor time
	cpu      time.Duration // processor time that the process used before
	maxSteps int64

	threads   []*starlark.Thread
	steps     int64 // steps counted so far
	keptBytes int64 // what the process keeps for later requests: nobody's
	peakBytes int64
	looks     int
	reason    string // the limit that was reached
	isStarved bool   // it is the clock
}

func newMeter(r *request) *meter {
	now := time.Now()
	timeout := time.Duration(r.TimeoutMs) * time.Millisecond
	wall := wallTimes*timeout + wallExtra
	m := &meter{started: now, deadline: now.Add(wall), timeout: timeout, cpu: cpuTime(), maxSteps: r.MaxSteps}
	m.holdsTooMuch()
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
		m.reason = fmt.Sprintf("takes more than %d steps", m.maxSteps)
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

// holdsTooMuch looks at the memory and sets the reason.
func (m *meter) holdsTooMuch() bool {
	held := heldByObjects() - m.keptBytes
	if held > maxHeapBytes {
		runtime.GC() // the counted bytes may be garbage
		held = heldByObjects() - m.keptBytes
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

// lateness says which time is over for so long, or nothing. It reads what does not change, so that others may
// ask, too.
func (m *meter) lateness(since time.Duration) (reason string, isStarved bool) {
	used := cpuTime() - m.cpu
	switch {
	case used > m.timeout+since:
		return fmt.Sprintf("takes more than %v", m.timeout), false
	case time.Now().After(m.deadline.Add(since)):
		return fmt.Sprintf("had %v of the processor in %v: the machine is too busy",
			used.Round(100*time.Millisecond), m.deadline.Sub(m.started)), true
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

// heldByObjects is what objects take, with what the collector has not looked at since.
func heldByObjects() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
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
