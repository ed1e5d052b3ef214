package main

// #include <malloc.h>
// static size_t c_heap_bytes(void)
// {
//     struct mallinfo2 info = mallinfo2();
//     return info.arena + info.hblkhd;
// }
import "C"

// cHeapBytes returns the memory that the C library has mapped for libraries such as libwebp, whether they use it or not.
func cHeapBytes() int64 {
	return int64(C.c_heap_bytes())
}
