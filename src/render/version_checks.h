/* Checks the versions that were uploaded: loads each once in the sandbox, renders it once, and
 * stores the verdict (render/verdict.h), by which it can be approved or not. What TypeScript
 * compiles to is stored, too.
 *
 * For each language a worker makes two checks at the same time, of different accounts: the accounts
 * take turns, each with its oldest version, so no account's scripts hold up all the others. The
 * database decides which worker makes a check. A check that a busy machine ended is repeated, after
 * growing pauses, as often as necessary. */
#pragma once

#include "loop/lanes.h"
#include "render/renders.h"
#include "render/verdict.h"

enum { VERSION_CHECKS_AT_ONCE = 2 };

struct version_checks;

/* Makes one check at a time. */
struct version_check {
	struct version_checks *checks;
	enum engine_language language;
	struct deadline look, renew;
	struct arena arena; /* of the check under way */
	struct db_query query;
	struct version_check_lease_row *row;
	struct engine_job engine;
	struct lane_job reading; /* of its form */
	struct arena form_arena;
	struct str schema;
	struct verdict_facts facts;
	struct str compiled;
	struct id after;  /* account that had the last turn */
	bool has_wrapped; /* the accounts were gone through from the first one on */
	bool has_waiting; /* an account's oldest version is not due */
	bool is_busy;	  /* looks, or makes a check */
	bool runs;	  /* the engine runs it */
	bool looks_again; /* a version was uploaded meanwhile */
};

struct version_checks {
	struct renders_settings settings;
	struct hint_subscription hints; /* "version:<id>:0": a version waits */
	struct version_check slots[ENGINE_LANGUAGE_COUNT][VERSION_CHECKS_AT_ONCE];
	bool is_draining;
};

/* Set settings before. */
void version_checks_start(struct version_checks *checks);
void version_checks_drain(struct version_checks *checks);
void version_checks_finish(struct version_checks *checks);
