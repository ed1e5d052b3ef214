/* Several files in one text, as in txtar: after a line "-- NAME --" follow the lines of that file.
 * The lines of a file whose NAME ends with ";base64" are its Base64. What comes before the first
 * such line is a comment. */
#pragma once

#include "text/str.h"

struct txtar_file {
	struct str name; /* without ";base64" and the space around it; in the text */
	struct str data; /* as it is in the text */
	bool is_base64;
};

/* Whether the text's first line, comments (#) and empty lines aside, names a file. */
bool txtar_is_archive(struct str text);

/* Takes the first file off the text. False: no line names one. */
bool txtar_next(struct str *text, struct txtar_file *ret_file);
