/* Reads server-sent events out of pieces of a stream. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>

enum { EVENT_LINE_MAX = 64 << 10, EVENT_NAME_BYTES = 32 };

struct event_reader {
	struct bytes line;
	char name[EVENT_NAME_BYTES];
	/* A line of data; both are the reader's. */
	void (*on_event)(void *context, const char *name, const char *data, size_t length);
	void *context;
};

/* False: a line is too long. */
bool event_reader_take(struct event_reader *reader, const char *data, size_t length)
    __attribute__((warn_unused_result));
/* Forgets a line and an event that have begun. */
void event_reader_reset(struct event_reader *reader);
