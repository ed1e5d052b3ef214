/* Compiles the scripts in TypeScript that await review: reviewers and authors see at once whether
 * they compile, and renders have less to do. One at a time in a worker; the database decides which
 * worker does it. */
#pragma once

#include "render/renders.h"

struct compiles {
	struct renders_settings settings;
	struct hint_subscription hints; /* "version:<id>:0": a version was uploaded */
	struct deadline look;
	struct arena arena; /* of the compile under way */
	struct db_query query;
	struct app_compile_lease_row *row;
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
