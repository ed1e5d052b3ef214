/* Compiles the scripts in TypeScript that await review: reviewers and authors see at once whether
 * they compile, and renders have less to do. One at a time in a worker, of each account in turn;
 * the database decides which worker does it. A version that a slow or busy machine could not
 * compile is put off, with pauses that grow (app_compile_put_off.sql): only the compiler says that
 * a version does not compile. */
#pragma once

#include "db/statements.h"
#include "render/renders.h"

struct compiles {
	struct renders_settings settings;
	struct hint_subscription hints; /* "version:<id>:0": a version was uploaded */
	struct deadline look;
	struct arena arena; /* of the compile under way */
	struct db_query query;
	struct app_compile_lease_row row;
	struct id after; /* account whose turn was last; all zero: begin with the first one */
	uint64_t pause_ms;
	struct engine_job engine;
	bool is_busy;
	bool runs;	  /* the engine runs it */
	bool looks_again; /* another version was uploaded meanwhile */
	bool is_draining;
};

/* Set settings before. */
void compiles_start(struct compiles *compiles);
void compiles_drain(struct compiles *compiles);
void compiles_finish(struct compiles *compiles);
