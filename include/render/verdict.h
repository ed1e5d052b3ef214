/* Verdict about a version of an app: whether it can run, and what it makes. It is stored with the
 * version, and shown to its author, to reviewers and to programs; displayctl app render --check has
 * the same words.
 *
 * The script is loaded for its form, and rendered with its default settings; all requests to the
 * network are refused. A script that fails because of such a request can run, and so can one whose
 * main() fails, which may lack settings. One that reaches a limit or crashes cannot. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "render/engine.h"

struct verdict_facts {
	struct engine_problem load;	      /* problem of loading it, or of its form */
	struct str load_hosts;		      /* hosts that it asked meanwhile */
	int fields;			      /* fields of its form; negative: unknown */
	uint64_t cpu_us;		      /* CPU time of loading it */
	const struct engine_answer *rendered; /* NULL: not rendered */
};

/* Whether the problem is no fault of the script: it was refused a host. */
bool verdict_wants_network(const struct engine_problem *problem, struct str hosts);

/* Whether it cannot run. */
bool verdict_is_bad(const struct verdict_facts *facts);

/* Returns the verdict as JSON, VersionCheck of docs/api, in the arena. */
struct str verdict_write(const struct verdict_facts *facts, struct arena *arena);

/* Appends "2 frames in 1.0 s, 228 bytes; took 0.8 ms of CPU time, 7.4 MiB". The text may quote the
 * renderer. */
void verdict_append_picture(const struct engine_answer *answer, struct buffer *text);
