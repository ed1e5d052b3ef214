package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Frames, as ../sandboxed/include/sandboxed/frame.h describes them. The blob is a script, or a picture.
const (
	maxHeadBytes = 1 << 20
	maxBlobBytes = 8 << 20
)

var errFrameTooLarge = errors.New("frame is larger than allowed")

// readFrame reads one frame into head and returns its blob. At the end of the stream, between two
// frames, it returns io.EOF.
func readFrame(r io.Reader, head any) ([]byte, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return nil, err
	}
	headBytes := binary.BigEndian.Uint32(lengths[:4])
	blobBytes := binary.BigEndian.Uint32(lengths[4:])
	if headBytes > maxHeadBytes || blobBytes > maxBlobBytes {
		return nil, errFrameTooLarge
	}
	text := make([]byte, headBytes)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("reading a head: %w", err)
	}
	blob := make([]byte, blobBytes)
	if _, err := io.ReadFull(r, blob); err != nil {
		return nil, fmt.Errorf("reading a blob: %w", err)
	}
	if err := json.Unmarshal(text, head); err != nil {
		return nil, fmt.Errorf("parsing a head: %w", err)
	}
	return blob, nil
}

// writeFrame writes one frame with a single write.
func writeFrame(w io.Writer, head any, blob []byte) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if len(text) > maxHeadBytes || len(blob) > maxBlobBytes {
		return errFrameTooLarge
	}
	frame := make([]byte, 8, 8+len(text)+len(blob))
	binary.BigEndian.PutUint32(frame[:4], uint32(len(text)))
	binary.BigEndian.PutUint32(frame[4:], uint32(len(blob)))
	frame = append(append(frame, text...), blob...)
	_, err = w.Write(frame)
	return err
}
