/* Processes of the server that run a worker's writes, see db/writers.h. */
#pragma once

#include "db/writers.h"

#include <stdbool.h>

/* Places of the connections of each kind, and of processes in doubt. */
enum {
	WRITER_POOL = 0,
	WRITER_RETRIES = 4,
	WRITER_APART = 6,
	WRITER_DOUBTS = 8,
	WRITER_PLACES = 32
};

/* A process of the server: numbers are used again, so its beginning is part of its name. */
struct backend {
	int32_t pid;
	int64_t start_us; /* since 1970, by the server's clock; 0: no process */
};

struct writer_place;

/* writers: NULL gives NULL. */
struct writer_place *writers_place(struct writers *writers, unsigned number);

/* Notes the process of a connection in place of the former. place: NULL is allowed. */
void writer_note(struct writer_place *place, struct backend backend);
/* Whether a process is noted. */
bool writer_noted(const struct writer_place *place);
/* Returns the process, and forgets it. */
struct backend writer_take(struct writer_place *place);
