/* A view of bytes that it does not own. Not NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *data; /* may be NULL where length is 0 */
	size_t length;	  /* bytes */
};

/* A view of a string literal. */
#define STR(literal) ((struct str){.data = (literal), .length = sizeof(literal) - 1})
/* Arguments for printf's "%.*s". */
#define STR_ARG(s) (int)(s).length, (s).length ? (s).data : ""

static inline struct str str_from(const char *text)
{
	return (struct str){.data = text, .length = text ? strlen(text) : 0};
}

static inline bool str_equal(struct str a, struct str b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static inline bool str_starts_with(struct str s, struct str prefix)
{
	return s.length >= prefix.length && str_equal((struct str){s.data, prefix.length}, prefix);
}

static inline bool str_ends_with(struct str s, struct str ending)
{
	return s.length >= ending.length &&
	       str_equal((struct str){s.data + (s.length - ending.length), ending.length}, ending);
}

/* Returns the rest of s from offset on; offset must not be beyond its length. */
static inline struct str str_from_offset(struct str s, size_t offset)
{
	/* Adding to NULL is undefined, even 0. */
	return (struct str){.data = offset ? s.data + offset : s.data, .length = s.length - offset};
}

/* Compares ignoring the case of ASCII letters, as for HTTP's tokens (RFC 9110 section 5.1). */
bool str_equal_ignore_case(struct str a, struct str b);

bool str_starts_with_ignore_case(struct str s, struct str prefix);

/* Returns the position of c in s, or s.length. */
size_t str_find(struct str s, char c);

/* Returns s without leading and trailing spaces and tabs (OWS of RFC 9110 section 5.6.3). */
struct str str_trim(struct str s);

/* Reads s as a non-negative decimal number without sign. Returns false for anything else, and above
 * max. */
bool str_to_uint64(struct str s, unsigned long long max, unsigned long long *ret_value);

/* Takes the piece up to the next separator off the front of *rest. Returns false if nothing is
 * left. "a,,b" gives "a", "", "b". Start with rest->data not NULL. */
bool str_next(struct str *rest, char separator, struct str *ret_piece);
