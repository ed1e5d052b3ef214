/* Processes of the server that run a worker's writes, see db/writers.h. */
#pragma once

#include "db/writers.h"

#include <stdbool.h>

/* Slots of the connections of each kind, and of processes in doubt. */
enum {
	WRITER_POOL = 0,
	WRITER_RETRIES = 4,
	WRITER_APART = 6,
	WRITER_DOUBTS = 8,
	WRITER_SLOTS = 32
};

/* A process of the server: numbers are used again, so its beginning is part of its name. */
struct backend {
	int32_t pid;
	int64_t start_us; /* since 1970, by the server's clock; 0: no process */
};

struct writer_slot;

/* writers: NULL gives NULL. */
struct writer_slot *writers_slot(struct writers *writers, unsigned number);

/* Notes the process of a connection in place of the former. slot: NULL is allowed. */
void writer_note(struct writer_slot *slot, struct backend backend);
/* Whether a process is noted. */
bool writer_noted(const struct writer_slot *slot);
/* Returns the process, and forgets it. */
struct backend writer_take(struct writer_slot *slot);
