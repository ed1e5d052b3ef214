/* Shared parts of reading an export of a tronbyt server. */
#pragma once

#include "domain/tronbyt.h"

/* Object of the file. */
struct tronbyt_reader {
	struct faults *faults;	       /* of the whole file; its arena is used for texts */
	struct tronbyt_export *export; /* for notes, as the next two */
	struct tronbyt_device *device;
	struct str entry;
	const struct json_value *object;
	struct str key;	  /* its name in the object that contains it; data is NULL: none */
	bool has_levels;  /* brightness is a number of 0 to 5, not a percentage */
	struct str scale; /* of the device's brightness; empty: none */
};

/* Read a member; if it is missing or null, leave *ret_value unchanged. So does another type, with a
 * note. */
void tronbyt_text(struct tronbyt_reader *reader, const char *name, struct str *ret_value);
/* Also reads 0 and 1. */
void tronbyt_bool(struct tronbyt_reader *reader, const char *name, bool *ret_value);
/* Sets values out of range to the nearer limit, with a note. */
void tronbyt_number(struct tronbyt_reader *reader, const char *name, int64_t least, int64_t most,
		    int64_t *ret_value);
/* Reads a percentage, or a level by the scale, which is empty or six percentages with commas. */
void tronbyt_brightness(struct tronbyt_reader *reader, const char *name, struct str scale,
			int64_t *ret_percent);
/* Reads "HH:MM" or "H:MM", with seconds or without, or a whole hour; an empty text counts as
 * missing. Returns false if it is missing, or invalid, with a note. */
bool tronbyt_clock(struct tronbyt_reader *reader, const char *name, int64_t *ret_minute);
/* Reads an ID, a text or a whole number; if the member is missing, the object's own name. */
struct str tronbyt_id(struct tronbyt_reader *reader, const char *name);
/* Returns the member, if it exists and is not null; else NULL. */
const struct json_value *tronbyt_member(const struct tronbyt_reader *reader, const char *name);
/* Whether the value is a number above 5, so a percentage. */
bool tronbyt_is_percentage(const struct json_value *value);

/* Adds a note about a member, which is named in words. */
__attribute__((format(printf, 3, 4))) void tronbyt_say(struct tronbyt_reader *reader,
						       const char *member, const char *why, ...);
/* Adds a note if the text is neither empty nor one of those without meaning. */
void tronbyt_say_text(struct tronbyt_reader *reader, const char *name, const char *nothing,
		      const char *why);
/* Reads a filter's name; an unknown one is left out, with a note. */
void tronbyt_filter(struct tronbyt_reader *reader, const char *name, struct str *ret_filter);
/* Adds a note if the member is true. */
void tronbyt_say_bool(struct tronbyt_reader *reader, const char *name, const char *why);

/* Cuts valid text to so many characters. */
struct str tronbyt_cut(struct str text, unsigned most);

/* Reads the place of a device, in the form of struct device; empty: none. Devices whose place was
 * never set have one without coordinates. */
struct str tronbyt_take_place(struct tronbyt_reader *reader);
/* Reads the notes of a device or an entry; empty: none. What is too long is cut. */
struct str tronbyt_take_note(struct tronbyt_reader *reader);

/* Reads the apps of a device, in their order. */
void tronbyt_read_entries(const struct tronbyt_reader *device, struct tronbyt_device *ret_device,
			  unsigned *entries_left);
