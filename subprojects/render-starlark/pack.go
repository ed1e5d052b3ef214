package main

import (
	"encoding/binary"
	"image"
)

// A painted frame of twice the width and height takes four times the memory. Most have few colours, and are packed until
// they are encoded.

const maxPackedColors = 256

// packed is a frame with few colours. No frame is painted into it.
type packed struct {
	size    image.Point
	colors  []uint32 // as four bytes of an image.RGBA
	indices []uint8
}

// pack returns nil if the frame has too many colours.
func pack(frame image.Image) *packed {
	rgba, ok := frame.(*image.RGBA)
	if !ok {
		return nil
	}
	p := &packed{size: rgba.Rect.Size(), indices: make([]uint8, len(rgba.Pix)/4)}
	known := map[uint32]uint8{}
	var last uint32
	var index uint8
	for i := range p.indices {
		color := binary.NativeEndian.Uint32(rgba.Pix[4*i:])
		if i == 0 || color != last {
			var isKnown bool
			if index, isKnown = known[color]; !isKnown {
				if len(p.colors) == maxPackedColors {
					return nil
				}
				index = uint8(len(p.colors))
				known[color] = index
				p.colors = append(p.colors, color)
			}
			last = color
		}
		p.indices[i] = index
	}
	return p
}

func (p *packed) bytes() int { return len(p.indices) + 4*len(p.colors) }

// unpack paints the frame into room, which has its size or is nil, and returns it.
func (p *packed) unpack(room *image.RGBA) *image.RGBA {
	if room == nil {
		room = image.NewRGBA(image.Rectangle{Max: p.size})
	}
	for i, index := range p.indices {
		binary.NativeEndian.PutUint32(room.Pix[4*i:], p.colors[index])
	}
	return room
}
