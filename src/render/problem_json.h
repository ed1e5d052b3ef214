/* Problem of an engine as JSON, for the database. */
#pragma once

#include "base/arena.h"
#include "render/engine.h"

/* {"kind": "script", "message": ..., "authorMessage": ..., "file": ..., "line": ..., "column": ...,
 * "backtrace": ...}; unknown members are null. author_message: message for people other than the
 * owner of the settings. In the arena; NULL data: no problem. */
struct str problem_json(const struct engine_problem *problem, struct str author_message,
			struct arena *arena);

/* Whether the script has crashed or reached a limit. */
bool problem_is_blamed(const struct engine_problem *problem);
/* Whether the render must be tried again, since it was not the script's fault. */
bool problem_is_passing(const struct engine_problem *problem);
