/* Writes the panel's events, one per line: JSON for programs, and plain text for people.
 *
 *   {"event":"displaying","monotonic_us":81273645,"wall_us":1763712345678901,"counter":3}
 *   2026-11-20T08:15:30.123Z displaying counter=3 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct events {
	int json_fd;  /* -1: none */
	int plain_fd; /* -1: none */
};

/* Opens the outputs. path: NULL for none, "-" for standard output; a file is created or emptied.
 * plain: print lines for people on standard output. Returns 0 or a negative errno. */
int events_open(struct events *events, const char *path, bool plain);
void events_close(struct events *events);

enum event_value { EVENT_END, EVENT_NUMBER, EVENT_TEXT, EVENT_SHA256 };

struct event_field {
	const char *name;
	enum event_value type;
	int64_t number;
	const void *data; /* the text, UTF-8 or not; or the data to hash */
	size_t size;
};

#define EVENT_NUMBER(name, value)                                                                  \
	{                                                                                          \
		name, EVENT_NUMBER, (int64_t)(value), NULL, 0                                      \
	}
#define EVENT_TEXT(name, text)                                                                     \
	{                                                                                          \
		name, EVENT_TEXT, 0, text, strlen(text)                                            \
	}
#define EVENT_SHA256(name, data, size)                                                             \
	{                                                                                          \
		name, EVENT_SHA256, 0, data, size                                                  \
	}
/* Calls events_write() with any number of the three kinds of members above. */
#define EVENT(events, name, ...)                                                                   \
	events_write(events, name, (const struct event_field[]){__VA_ARGS__ __VA_OPT__(, ){0}})

void events_write(struct events *events, const char *name, const struct event_field *fields);

/* Writes a JSON string; invalid UTF-8 is replaced. */
void events_quote(FILE *file, const char *text, size_t size);

uint64_t events_wall_us(void); /* Returns the time since 1970, in microseconds. */
