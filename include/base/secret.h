/* Keys in texts that callers chose: a path, X-Request-Id, what a panel says of itself. */
#pragma once

#include <text/str.h>

/* Shorter texts hold no key. */
enum { SECRET_LENGTH_MIN = 12 };

/* Copies text to ret, which has as many bytes, with an asterisk for each byte of what has the form
 * of a key, as it stands or percent-encoded (RFC 3986 section 2.1), once or more often: the letters
 * and digits behind "ddk_", and 24 to 32 of them where they are mixed as a device's key is
 * (domain/key.h). Such a key has no mark of its own, so that what is glued to it is masked with it;
 * so are other random texts of digits and both cases. Words, UUIDs, hexadecimal digits and longer
 * runs stay. Of keys that are glued to something, one in fifty looks like these and is not known.
 * Takes time by the length of text, whatever is in it. False where there is no key; ret need not be
 * set then. */
bool secret_mask(struct str text, char *ret);
/* Returns the length, at most max, at which to cut a text. The cut leaves no beginning of a key,
 * which secret_mask() would not recognize. */
size_t secret_cut(struct str text, size_t max);
