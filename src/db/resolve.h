/* The host names of a connection string, resolved on a worker thread: libpq itself would stop the
 * whole loop while a name server does not answer. */
#pragma once

#include "loop/loop.h"

struct resolution;

/* True where the string names hosts. Addresses, sockets, and what the environment or a service file
 * says need nothing. */
bool resolve_is_needed(const char *url);

/* resolve_is_needed() has said yes. done is called later, unless cancelled: with NULL, or with a
 * reason. resolve_free() ends it, in done too. */
struct resolution *resolve_start(struct loop *loop, const char *url,
				 void (*done)(void *context, const char *error), void *context);

/* Values for libpq's keywords host, hostaddr and port, which may be NULL; after done. */
const char *resolve_host(const struct resolution *resolution);
const char *resolve_hostaddr(const struct resolution *resolution);
const char *resolve_port(const struct resolution *resolution);

/* Also while it is under way; NULL is fine. */
void resolve_free(struct resolution *resolution);
