/* Shared parts of the library's files. */
#pragma once

#include "options/options.h"

/* realloc() that ends the process if there is no memory. */
void *options_grow(void *old, size_t size);
char *options_copy(const char *text, size_t length);

/* Finds an option of the set, or of the command that was found; NULL: there is none. */
const struct option *options_find(const struct options *options, const char *name, size_t length);
/* Adds a value; copies it. */
void options_add(struct options *options, const struct option *option, enum option_source source,
		 unsigned line, const char *value, size_t length);

/* Returns the name of the option that was probably meant, or NULL. */
const char *options_nearest(const struct options *options, const char *name, size_t length);

/* Checks one value, and writes it to the target unless its option is a list. */
int options_take(struct option_given *given, void *target, struct options_error *reterr);

/* Returns the option after previous: those of the set, then those of the command. NULL as previous
 * begins; NULL as result is the end. */
const struct option *options_next(const struct options *options, const struct option *previous);
