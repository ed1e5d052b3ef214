/* Rights that a worker gives up before it serves: see sandbox/sandbox.h. It keeps its sockets, its
 * memory, its open files, and access to the private database's socket. With --database it also
 * keeps what libpq and the name resolver read to reconnect:
 *
 *   /etc (resolv.conf, hosts, nsswitch.conf, certificates) and where its links lead
 *   the system's shared libraries, among which are those of NSS
 *   ~/.pgpass, ~/.pg_service.conf and ~/.postgresql
 *   the folders of the files that the URL or PG... variables name (passfile, sslrootcert, ...)
 *
 * In the home directory, only files that exist when the worker starts stay readable.
 *
 * Before Linux 6.7 the worker could connect a client's socket to another address: Landlock cannot
 * refuse that there. Built with a sanitizer, a worker has no Landlock, and its filter allows the
 * calls of reports and of the search for leaks. */
#pragma once

#include "main/config.h"
#include "main/reason.h"

struct worker_sandbox {
	unsigned layers; /* layers of sandbox/sandbox.h to enter */
	bool is_required;
};

/* Finds which layers this kernel and container have, and logs it. Returns -1 with a sentence if a
 * layer is missing that SANDBOX_REQUIRED needs. */
__attribute__((warn_unused_result)) int sandbox_plan(struct worker_sandbox *ret,
						     enum sandbox_mode mode, struct reason *reterr);

/* Puts the calling process, which has one thread, into these layers of the sandbox. database: the
 * value of --database; NULL: the private one. Logs a layer that fails after all; returns false if
 * it is required. */
__attribute__((warn_unused_result)) bool worker_sandbox_enter(const struct worker_sandbox *sandbox,
							      const char *database);
