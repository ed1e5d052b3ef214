/* Reads server-sent events from the pieces of a stream. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>

enum { EVENT_LINE_MAX = 64 << 10, EVENT_NAME_BYTES = 32 };

struct event_reader {
	struct bytes line;
	char name[EVENT_NAME_BYTES];
	/* Called for each line of data; name and data are valid during the call. */
	void (*on_event)(void *context, const char *name, const char *data, size_t length);
	void *context;
};

/* Reads a piece. Returns false if a line is too long, or if there is no memory. */
bool event_reader_take(struct event_reader *reader, const char *data, size_t length)
    __attribute__((warn_unused_result));
/* Drops an incomplete line and event. */
void event_reader_reset(struct event_reader *reader);
