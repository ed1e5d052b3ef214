// The Starlark renderer: a process that makes pictures of apps. The parent process holds the other
// end of the socket at descriptor 3 and sends frames, one request at a time (frame.go, message.go).
// The renderer opens no file and no socket. It ends when the other side closes the socket. Started with the word
// "collection" it reads an archive of apps instead (collection.go).
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"time"
	_ "time/tzdata" // no file is opened for a time zone

	"github.com/tronbyt/pixlet/runtime/appletcache"
)

const (
	linkDescriptor = 3

	softMemoryBytes = 200 << 20 // above, the collector works harder
	keepMemoryBytes = 64 << 20  // above, memory goes back to the system after a request
	recycleBytes    = 100 << 20 // above, the process ends after its answer
	// Likewise: memory that went back to the system stays mapped, and counts for the process's limit of data. Go and
	// the C library do not use each other's.
	recycleMappedBytes = 160 << 20
	maxGoStackBytes    = 64 << 20 // a deeper stack ends the process
	deadlineExtra      = 300 * time.Millisecond
	betweenLooks       = 100 * time.Millisecond
	exitAtItsTimeout   = 3
)

func main() {
	link := os.NewFile(linkDescriptor, "link")
	if _, err := link.Stat(); err != nil {
		fmt.Fprintln(os.Stderr, "render-starlark: is started by displayd and displayctl, with a socket at descriptor 3")
		os.Exit(2)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a script must not fill its parent's log
	time.Local = time.UTC
	appletcache.Enabled.Store(false)
	debug.SetMemoryLimit(softMemoryBytes)
	debug.SetMaxStack(maxGoStackBytes)
	debug.SetTraceback("none")
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	if err := runAs(link, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "render-starlark:", err)
		os.Exit(1)
	}
}

func runAs(link io.ReadWriter, words []string) error {
	if len(words) > 0 && words[0] == collectionWord {
		limitMemory()
		if _, err := restrict(); err != nil {
			return err
		}
		return runCollection(link)
	}
	s := &server{link: link, engine: newEngine()}
	s.engine.network.send = s.write
	layers, err := restrict()
	if err != nil {
		return err
	}
	return s.run(layers)
}

// server exchanges frames with the parent process.
type server struct {
	link   io.ReadWriter
	engine *engine
	mutex  sync.Mutex // held while writing
}

func (s *server) run(layers string) error {
	greeting := hello{Engine: "STARLARK", Library: libraryVersion(), Layers: layers}
	if err := s.write(greeting, nil); err != nil {
		return err
	}
	frames := make(chan received)
	go s.read(frames)
	for frame := range frames {
		if errors.Is(frame.err, io.EOF) {
			return nil
		}
		if frame.err != nil {
			return frame.err
		}
		recycle, err := s.answer(frame.request, frame.script)
		if err != nil || recycle {
			return err
		}
	}
	return nil
}

// received is a request, or an error.
type received struct {
	request *request
	script  []byte
	err     error
}

// read receives frames: requests, and answers to the network requests of scripts.
func (s *server) read(frames chan<- received) {
	reader := bufio.NewReader(s.link)
	for {
		head := &incoming{}
		blob, err := readFrame(reader, head)
		if err == nil && head.Fetch != nil {
			s.engine.network.deliver(head.Fetch, blob)
			continue
		}
		frames <- received{&head.request, blob, err}
		if err != nil {
			return
		}
	}
}

// write sends a frame; the mutex keeps answers and network requests of scripts apart.
func (s *server) write(head any, blob []byte) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return writeFrame(s.link, head, blob)
}

// answer serves one request. A built-in function or a painting that no meter can stop is ended with
// the process, after its error was sent.
func (s *server) answer(r *request, script []byte) (recycle bool, err error) {
	r.setDefaults()
	m := newMeter(r)
	isDone := make(chan struct{})
	go s.watch(m, isDone)
	head, blob := s.engine.serve(r, script, m)
	close(isDone)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if heldBytes() > keepMemoryBytes || mappedBytes() > recycleMappedBytes {
		debug.FreeOSMemory()
		head.Recycle = heldBytes() > recycleBytes || mappedBytes() > recycleMappedBytes
	}
	blob = head.moveLong(blob)
	return head.Recycle, writeFrame(s.link, head, blob)
}

// watch ends the process, with an answer, when the time of the request has been over for a while.
func (s *server) watch(m *meter, isDone <-chan struct{}) {
	looks := time.NewTicker(betweenLooks)
	defer looks.Stop()
	for {
		select {
		case <-isDone:
			return
		case <-looks.C:
		}
		reason, isStarved := m.lateness(deadlineExtra)
		if reason == "" {
			continue
		}
		s.mutex.Lock() // never unlocked: nothing else may be sent any more
		head := &answer{Error: limitProblem(reason, isStarved), Recycle: true,
			ElapsedUs: time.Since(m.script.started).Microseconds(), CPUUs: (cpuTime() - m.script.cpu).Microseconds()}
		_ = writeFrame(s.link, head, nil)
		os.Exit(exitAtItsTimeout)
	}
}

// mappedBytes returns the memory that Go's runtime and the C library have mapped, whether the system has it back or not.
func mappedBytes() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()) + cHeapBytes()
}

// heldBytes returns the memory that Go's runtime has from the system.
func heldBytes() int64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func libraryVersion() string {
	const path = "github.com/tronbyt/pixlet"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return path + " " + module.Version
			}
		}
	}
	return path
}
