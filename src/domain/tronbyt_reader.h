/* Shared parts of reading an export of a tronbyt server. */
#pragma once

#include "domain/tronbyt.h"

/* Object of the file, and its location. */
struct tronbyt_reader {
	struct faults *faults;
	struct tronbyt_notes *notes;
	const struct json_value *object;
	struct str pointer; /* RFC 6901 */
	struct str device;  /* for notes */
	struct str entry;
};

/* Reads a member; if it is missing or null, leaves *ret_value unchanged. Another type is a fault.
 */
void tronbyt_text(struct tronbyt_reader *reader, const char *name, struct str *ret_value);
void tronbyt_bool(struct tronbyt_reader *reader, const char *name, bool *ret_value);
/* Reads a number; sets values out of range to the nearer limit, with a note. */
void tronbyt_number(struct tronbyt_reader *reader, const char *name, int64_t least, int64_t most,
		    int64_t *ret_value);
/* "HH:MM" or "H:MM", with seconds or without; an empty text counts as missing. Returns false if it
 * is missing, or invalid, with a note. */
bool tronbyt_clock(struct tronbyt_reader *reader, const char *name, int64_t *ret_minute);
/* Returns the member, if it exists and is not null; else NULL. */
const struct json_value *tronbyt_member(const struct tronbyt_reader *reader, const char *name);

__attribute__((format(printf, 3, 4))) void tronbyt_say(struct tronbyt_reader *reader,
						       const char *what, const char *why, ...);
__attribute__((format(printf, 3, 4))) void tronbyt_fault(struct tronbyt_reader *reader,
							 const char *name, const char *detail, ...);
/* Adds a note if the text is neither empty nor one of those without meaning. */
void tronbyt_say_text(struct tronbyt_reader *reader, const char *name, const char *nothing,
		      const char *why);
/* Adds a note if the member is true. */
void tronbyt_say_bool(struct tronbyt_reader *reader, const char *name, const char *why);

/* Reads the apps of a device, in their order. */
void tronbyt_read_entries(const struct tronbyt_reader *device, struct tronbyt_device *ret_device,
			  unsigned *entries_left);
