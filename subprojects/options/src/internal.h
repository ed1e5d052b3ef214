/* Shared parts of the library's files. */
#pragma once

#include "options/options.h"

/* realloc() that never fails. */
void *options_grow(void *old, size_t size);
char *options_copy(const char *text, size_t length);

/* An option of the set, or of the command that was found; NULL: there is none. */
const struct option *options_find(const struct options *options, const char *name, size_t length);
/* Keeps a copy of the value. */
void options_add(struct options *options, const struct option *option, enum option_source source,
		 unsigned line, const char *value, size_t length);

/* The option's name that was probably meant, or NULL. */
const char *options_nearest(const struct options *options, const char *name, size_t length);

/* Checks one value, and writes it if it is no list's. */
int options_take(struct option_given *given, void *target, struct options_error *reterr);

/* The options of the set, then those of the command; NULL begins, and ends. */
const struct option *options_next(const struct options *options, const struct option *previous);
