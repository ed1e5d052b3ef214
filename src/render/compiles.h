/* Has the scripts in TypeScript compiled that await their review: reviewers and authors see at once
 * whether they compile, and renders have less to do. One at a time in a worker; which worker does
 * it, the database says. */
#pragma once

#include "render/renders.h"

struct compiles {
	struct renders_settings settings;
	struct hint_subscription hints; /* "version:<id>:0": one was uploaded */
	struct deadline look;
	struct arena arena; /* of what is under way */
	struct db_query query;
	struct app_compile_lease_row *row;
	struct engine_job engine;
	bool is_busy;
	bool runs;	  /* the engine has it */
	bool looks_again; /* another one was uploaded meanwhile */
	bool is_draining;
};

/* The caller has set settings. */
void compiles_start(struct compiles *compiles);
void compiles_drain(struct compiles *compiles);
void compiles_finish(struct compiles *compiles);
