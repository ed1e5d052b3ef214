/* The problem of an engine as the database keeps it: JSON. */
#pragma once

#include "base/arena.h"
#include "render/engine.h"

/* {"kind": "script", "message": ..., "authorMessage": ..., "file": ..., "line": ..., "column": ...,
 * "backtrace": ...}; what is not known is null. author_message: what others than the owner of the
 * settings may see. In the arena; NULL data: there is no problem. */
struct str problem_json(const struct engine_problem *problem, struct str author_message,
			struct arena *arena);

/* Whether the script has crashed or met a limit. */
bool problem_is_blamed(const struct engine_problem *problem);
/* Whether the render is to be tried again, and no script is to blame. */
bool problem_is_passing(const struct engine_problem *problem);
