/* Masks keys in texts that callers chose: a path, X-Request-Id, a panel's report of itself. */
#pragma once

#include <text/str.h>

/* Shorter texts hold no key. */
enum { SECRET_LENGTH_MIN = 12 };

/* Copies text to ret, which has as many bytes, with an asterisk for each byte of a text that has
 * the form of a key, as it stands or percent-encoded (RFC 3986 section 2.1), once or more often:
 * the letters and digits after "ddk_", and runs of 24 to 32 of them that are mixed as in a device's
 * key (domain/key.h). A device's key has no prefix, so adjacent letters and digits are masked with
 * it, and so are other random texts of digits and both cases. Words, UUIDs, hexadecimal digits and
 * longer runs stay. Of keys with adjacent characters, one in fifty looks like those and is not
 * recognized. The time is proportional to the length of text, whatever it contains. Returns false
 * if there is no key; ret need not be set then. */
bool secret_mask(struct str text, char *ret);
/* Returns the length, at most max, at which to cut a text. The cut leaves no partial key, which
 * secret_mask() would not recognize. */
size_t secret_cut(struct str text, size_t max);
