/* Several files in one text, as in txtar: after a line "-- NAME --" follow the lines of that file.
 * The lines of a file whose NAME ends with ";base64" are its Base64. What comes before the first
 * such line is a comment. */
#pragma once

#include "text/str.h"

struct txtar_file {
	struct str name; /* without ";base64" and surrounding space; a view into the text */
	struct str data; /* a view into the text, not decoded */
	bool is_base64;
};

/* Whether the text's first line, comments (#) and empty lines aside, names a file. */
bool txtar_is_archive(struct str text);

/* Takes the first file off the text. Returns false if no line names one. */
bool txtar_next(struct str *text, struct txtar_file *ret_file);
