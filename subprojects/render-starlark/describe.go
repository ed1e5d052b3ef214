package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	maxMessageBytes   = 2 << 10
	maxBacktraceBytes = 4 << 10
)

// describe turns any error of a request into a problem that its author can understand. If a limit
// was reached, the limit is the problem, whatever error the script or the library made of it.
func describe(err error, m *meter) *problem {
	p := &problem{Kind: problemScript}
	var own *problem
	var evaluation *starlark.EvalError
	var syntactic syntax.Error
	var unresolved resolve.ErrorList
	switch {
	case errors.As(err, &own):
		p = own
	case errors.As(err, &unresolved):
		p.place(unresolved[0].Pos)
		p.Message = unresolved[0].Msg
	case errors.As(err, &syntactic):
		p.place(syntactic.Pos)
		p.Message = syntactic.Msg
	case errors.As(err, &evaluation):
		for inner := evaluation; errors.As(inner.Unwrap(), &inner); {
			evaluation = inner
		}
		p.readBacktrace(evaluation.Backtrace())
	default:
		p.readBacktrace(err.Error())
	}
	p.plainWords()
	m.lookAtClock() // a thread is cancelled at the deadline, too
	if m.reason != "" {
		limit := m.limitProblem()
		p.Kind, p.Message = limit.Kind, limit.Message
	}
	p.Message = shorten(cutAddresses(p.Message), maxMessageBytes)
	p.Backtrace = shorten(cutAddresses(p.Backtrace), maxBacktraceBytes)
	return p
}

func (p *problem) place(position syntax.Position) {
	p.File, p.Line, p.Column = position.Filename(), int(position.Line), int(position.Col)
}

// libraryFailed makes an error of a panic of the library.
func libraryFailed(cause any) error { return fmt.Errorf("the library failed: %v", cause) }

var (
	// "  main.star:12:9: in draw"
	backtraceLine = regexp.MustCompile(`(?m)^  (\S.*):(\d+):(\d+): in .*$`)
	backtraceHead = "Traceback (most recent call last):\n"
	// "Error in fail: "
	errorPrefix = regexp.MustCompile(`^Error(?: in \S+)?: `)
	// "in main at main.star:12:9: "
	positionText = regexp.MustCompile(`^in \S+ at (\S.*?):(\d+):(\d+): `)
)

// readBacktrace parses a backtrace that the library has written as text: the source location is
// that of the innermost call in Starlark, the message is the text after the calls.
func (p *problem) readBacktrace(text string) {
	if match := positionText.FindStringSubmatch(text); match != nil {
		p.File, p.Line, p.Column = match[1], number(match[2]), number(match[3])
	}
	at := strings.Index(text, backtraceHead)
	if at < 0 {
		p.Message = text
		return
	}
	p.Backtrace = text[at:]
	rest := text[at+len(backtraceHead):]
	for strings.HasPrefix(rest, "  ") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if match := backtraceLine.FindStringSubmatch(line); match != nil {
			p.File, p.Line, p.Column = match[1], number(match[2]), number(match[3])
		}
	}
	p.Message = errorPrefix.ReplaceAllString(rest, "")
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

// Beginning of an error of net/http or net/url: the operation, and the whole address.
var addressText = regexp.MustCompile(`\b(Get|Head|Post|Put|Patch|Delete|Options|parse) ("(?:[^"\\]|\\.)*"): `)

// cutAddresses keeps only the host of such an address, which the app's page shows to everybody. The
// rest can contain keys and locations of the user who has installed the app, and is hidden from its
// author.
func cutAddresses(text string) string {
	return addressText.ReplaceAllStringFunc(text, func(found string) string {
		match := addressText.FindStringSubmatch(found)
		address, _ := strconv.Unquote(match[2])
		asked, err := url.Parse(address)
		if err != nil || asked.Host == "" {
			return match[1] + ": "
		}
		return match[1] + " " + strconv.Quote(asked.Scheme+"://"+asked.Host) + ": "
	})
}

// shorten cuts text at a character's border.
func shorten(text string, bytes int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + " ..."
}
