/* IDs that displayd makes: UUID version 7 (RFC 9562 section 5.7).
 *
 * They sort by creation time, hold 74 random bits, and need no escaping in a path. */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum { ID_BYTES = 16, ID_TEXT_LENGTH = 36 };

struct id {
	uint8_t bytes[ID_BYTES];
};

/* Makes a new ID. IDs of one millisecond sort in random order. */
struct id id_new(void);

/* Writes "0190163d-8694-739b-aea5-966c26f8ad91" and a NUL. */
void id_format(struct id id, char ret_text[static ID_TEXT_LENGTH + 1]);

/* Reads a UUID of either case and any version. Returns false if text does not have the form of a
 * UUID. */
bool id_parse(struct str text, struct id *ret_id);

bool id_equal(struct id a, struct id b);

/* Whether all bytes are zero, as in no ID. */
bool id_is_none(struct id id);

/* Returns the entry of an ID that displayd has made, in a table of this many, a power of two up to
 * 65,536. */
unsigned id_slot(struct id id, unsigned entries);
