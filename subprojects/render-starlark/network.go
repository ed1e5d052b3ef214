package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// network lets the http module reach the internet by requests to the parent process over the link,
// while a request is under way. The parent decides which requests are allowed, and caches answers.
type network struct {
	send func(head any, body []byte) error // nil: there is no parent to ask

	mutex     sync.Mutex
	waiting   map[int64]chan *fetched
	last      int64
	isAllowed bool
	asked     int
	hosts     []string
	waited    time.Duration // total time of all waits
	most      time.Duration
	isLate    bool // a wait ended without an answer
}

const (
	maxFetches      = 20
	maxFetchBody    = 1 << 20
	maxWaits        = 10 * time.Second // of all requests of a run
	maxFetchTimeout = 10 * time.Second // the parent allows 5 s, and the time until the fetch's
	// turn
	cacheForHeader   = "X-Tidbyt-Cache-Seconds"
	identifierHeader = "X-Tidbyt-App"
)

var (
	errNoNetwork   = errors.New("no network here")
	errTooMany     = fmt.Errorf("an app asks the network %d times at most", maxFetches)
	errSlow        = errors.New("the network takes too long")
	errLargeUpload = errors.New("what is sent is larger than 1 MiB")
)

// fetchRequest is the member "fetch" of a frame to the parent; the frame's blob is the body.
type fetchRequest struct {
	ID      int64             `json:"id"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	TTLS    int64             `json:"ttl_s,omitempty"`
}

type fetchHead struct {
	Fetch fetchRequest `json:"fetch"`
}

// fetchReply is the member "fetch" of the answering frame.
type fetchReply struct {
	ID      int64             `json:"id"`
	Status  int               `json:"status"`
	URL     string            `json:"url"` // URL after all redirects
	Headers map[string]string `json:"headers"`
	Error   string            `json:"error"` // message for people; the other members are then
	// missing

	// QueuedMs is how long the parent has kept the answer that follows; the other members are then
	// missing.
	QueuedMs int64 `json:"queued_ms"`
}

type fetched struct {
	reply *fetchReply
	body  []byte
}

func newNetwork() *network { return &network{waiting: map[int64]chan *fetched{}} }

// begin is called before each request.
func (n *network) begin(r *request) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	clear(n.waiting) // drop the waiters of the last request
	n.isAllowed = n.send != nil && (r.Network == nil || *r.Network)
	n.asked, n.hosts = 0, nil
	n.waited, n.isLate = 0, false
	n.most = min(time.Duration(r.TimeoutMs)*time.Millisecond, maxWaits)
}

// tookTooLong returns whether the network, not the script, has used up the time.
func (n *network) tookTooLong() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.isLate && n.waited >= n.most/2
}

func (n *network) countWait(since time.Time, isLate bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.waited += time.Since(since)
	n.isLate = n.isLate || isLate
}

func (n *network) hostsAsked() []string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.hosts
}

// deliver passes the answer to the goroutine that waits for it.
func (n *network) deliver(reply *fetchReply, body []byte) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.waited -= time.Duration(reply.QueuedMs) * time.Millisecond
	if waiter := n.waiting[reply.ID]; waiter != nil {
		delete(n.waiting, reply.ID)
		waiter <- &fetched{reply, body} // has room for it
	}
}

// enlist counts the request and returns its ID and the channel for its answer.
func (n *network) enlist(host string) (int64, chan *fetched, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if !n.isAllowed {
		return 0, nil, errNoNetwork
	}
	if n.asked++; n.asked > maxFetches {
		return 0, nil, errTooMany
	}
	if !slices.Contains(n.hosts, host) {
		n.hosts = append(n.hosts, host)
	}
	n.last++
	waiter := make(chan *fetched, 1)
	n.waiting[n.last] = waiter
	return n.last, waiter, nil
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	id, waiter, err := n.enlist(r.URL.Hostname())
	if err != nil {
		return nil, err
	}
	if err := n.send(fetchHead{describeFetch(id, r)}, body); err != nil {
		return nil, err
	}
	began := time.Now()
	over := time.NewTimer(n.left())
	defer over.Stop()
	select {
	case got := <-waiter:
		n.countWait(began, false)
		return got.response(r)
	case <-r.Context().Done():
		n.countWait(began, true)
		return nil, context.Cause(r.Context())
	case <-over.C:
		n.countWait(began, true)
		return nil, errSlow
	}
}

// left returns how long the request may still wait for answers.
func (n *network) left() time.Duration {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.most - n.waited
}

func readUpload(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxFetchBody+1))
	if err == nil && len(body) > maxFetchBody {
		err = errLargeUpload
	}
	return body, err
}

func describeFetch(id int64, r *http.Request) fetchRequest {
	url := *r.URL
	url.User, url.Fragment, url.RawFragment = nil, "", "" // the HTTP client has put the user
	// into a header
	fetch := fetchRequest{ID: id, Method: r.Method, URL: url.String(), Headers: map[string]string{}}
	fetch.TTLS, _ = strconv.ParseInt(r.Header.Get(cacheForHeader), 10, 64)
	for name, values := range r.Header {
		if name != cacheForHeader && name != identifierHeader {
			fetch.Headers[name] = strings.Join(values, ", ")
		}
	}
	return fetch
}

func (f *fetched) response(r *http.Request) (*http.Response, error) {
	if f.reply.Error != "" {
		return nil, errors.New(f.reply.Error)
	}
	header := http.Header{}
	for name, value := range f.reply.Headers {
		header.Set(name, value)
	}
	asked := r
	if url, err := r.URL.Parse(f.reply.URL); err == nil && f.reply.URL != "" {
		asked = r.Clone(r.Context())
		asked.URL = url
	}
	return &http.Response{
		Status:     fmt.Sprintf("%03d %s", f.reply.Status, http.StatusText(f.reply.Status)),
		StatusCode: f.reply.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(f.body)),
		ContentLength: int64(len(f.body)),
		Request:       asked,
	}, nil
}
