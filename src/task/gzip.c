#include "gzip.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, OUTPUT_BYTES = 16 * 1024 };

struct gzip {
	z_stream stream;
};

struct gzip *gzip_new(void)
{
	struct gzip *gzip = memory_zalloc(sizeof(*gzip));

	if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return gzip;
}

void gzip_free(struct gzip *gzip)
{
	if (!gzip)
		return;
	deflateEnd(&gzip->stream);
	free(gzip);
}

void gzip_write(struct gzip *gzip, struct str portion, bool is_last, struct buffer *output)
{
	z_stream *stream = &gzip->stream;

	stream->next_in = (Bytef *)(uintptr_t)portion.data;
	stream->avail_in = (uInt)portion.length;
	do {
		stream->next_out = (Bytef *)buffer_reserve(output, OUTPUT_BYTES);
		stream->avail_out = OUTPUT_BYTES;
		require(deflate(stream, is_last ? Z_FINISH : Z_SYNC_FLUSH) != Z_STREAM_ERROR);
		buffer_commit(output, OUTPUT_BYTES - stream->avail_out);
	} while (stream->avail_out == 0);
}
