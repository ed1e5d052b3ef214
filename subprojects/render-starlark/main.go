// The Starlark renderer: a process that makes pictures of apps. Whoever starts it holds the other
// end of the socket at descriptor 3 and sends frames, one request at a time (frame.go, message.go).
// It opens no file and no socket, and ends with the other side.
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

	softMemoryBytes  = 200 << 20 // the collector works harder above
	keepMemoryBytes  = 64 << 20  // above, memory goes back to the system after a request
	recycleBytes     = 100 << 20 // above, the process ends after its answer
	maxGoStackBytes  = 32 << 20  // a deeper stack ends the process
	deadlineExtra    = 300 * time.Millisecond
	exitAtItsTimeout = 3
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
	s := &server{link: link, engine: newEngine()}
	s.engine.network.send = s.write
	layers, err := seal()
	if err == nil {
		err = s.run(layers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "render-starlark:", err)
		os.Exit(1)
	}
}

// server speaks with whoever started the process.
type server struct {
	link   io.ReadWriter
	engine *engine
	mutex  sync.Mutex // held by who writes
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

// received is a request, or why there is none.
type received struct {
	request *request
	script  []byte
	err     error
}

// read takes what comes: requests, and answers to what a script has asked for.
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

// write sends a frame; answers and what scripts ask for do not mix.
func (s *server) write(head any, blob []byte) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return writeFrame(s.link, head, blob)
}

// answer serves one request. What no meter can end, a built-in function that runs on and on or a
// tree that paints itself without end, ends with the process, after its error was told.
func (s *server) answer(r *request, script []byte) (recycle bool, err error) {
	r.setDefaults()
	m := newMeter(r)
	watchdog := time.AfterFunc(m.timeout+deadlineExtra, func() {
		s.mutex.Lock() // kept: nobody else answers any more
		late := &problem{Kind: problemLimit, Message: "the app " + m.lateReason()}
		head := &answer{Error: late, ElapsedUs: time.Since(m.started).Microseconds(), Recycle: true}
		_ = writeFrame(s.link, head, nil)
		os.Exit(exitAtItsTimeout)
	})
	head, blob := s.engine.serve(r, script, m)
	watchdog.Stop()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if heldBytes() > keepMemoryBytes {
		debug.FreeOSMemory()
		head.Recycle = heldBytes() > recycleBytes
	}
	return head.Recycle, writeFrame(s.link, head, blob)
}

// heldBytes is what the runtime of Go has of the system's memory.
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
