/* Resolves the host names of a connection string on a worker thread: libpq itself would stop the
 * whole loop while a name server does not answer. */
#pragma once

#include "loop/loop.h"

struct resolution;

/* Whether the string itself has host names. Addresses and sockets need no resolving; hosts of the
 * environment or of a service file are left to libpq. */
bool resolve_is_needed(const char *url);

/* The URL is a connection string that libpq understands. */
bool resolve_url_is_valid(const char *url);

/* Only where resolve_is_needed(). done is called later, with NULL or with a reason, unless
 * resolve_free() was called before. resolve_free() it, which may be done inside done. */
struct resolution *resolve_start(struct loop *loop, const char *url,
				 void (*done)(void *context, const char *error), void *context);

/* Values for libpq's keywords host, hostaddr and port, which may be NULL; after done. */
const char *resolve_host(const struct resolution *resolution);
const char *resolve_hostaddr(const struct resolution *resolution);
const char *resolve_port(const struct resolution *resolution);

/* Also while the resolution is under way; NULL is fine. */
void resolve_free(struct resolution *resolution);
