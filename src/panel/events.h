/* What happens at the panel, one line an event: JSON for programs, and plain text for people.
 *
 *   {"event":"displaying","monotonic_us":81273645,"wall_us":1763712345678901,"counter":3}
 *   2026-11-20T08:15:30.123Z displaying counter=3 */
#pragma once

#include "base/buffer.h"

struct events {
	int json_fd;	/* -1: none */
	int plain_fd;	/* -1: none */
	bool json_only; /* of the event that is being written */
	struct buffer json;
	struct buffer plain;
};

/* path: NULL for none, "-" for standard output; a file is created or emptied. plain: lines for
 * people go to standard output. 0 or a negative errno. */
int events_open(struct events *events, const char *path, bool plain);
void events_close(struct events *events);

/* An event is begin, any number of fields, end; end writes each line with one write(). */
void events_begin(struct events *events, const char *name);
/* One that comes too often for people. */
void events_begin_frequent(struct events *events, const char *name);
void events_int(struct events *events, const char *name, int64_t value);
/* UTF-8 or not: bytes that are none are replaced. */
void events_text(struct events *events, const char *name, struct str value);
/* SHA-256 of data, in hex. */
void events_sha256(struct events *events, const char *name, const void *data, size_t size);
void events_end(struct events *events);
