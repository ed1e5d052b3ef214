/* Stages of an engine run.
 *
 *   STARLARK    -> SCRIPT ---------------------> CHECK -> done
 *   TYPESCRIPT  -> COMPILE -> SCRIPT -> PAINT -> CHECK -> done
 *
 * Only a picture is checked. A job runs to its end even if its result is no longer needed, since
 * processes are working on it. */
#pragma once

#include "run_parts.h"

/* Initializes a run. Returns 0 or -EINVAL; then there is nothing to finish. */
__attribute__((warn_unused_result)) int run_init(struct engine_run *run, struct engine_job *job);
/* Call it after done(), or before run_start(). */
void run_finish(struct engine_run *run);

/* Starts a run, with job set. done() is called once, later, from the loop. */
void run_start(struct engine_run *run, const struct run_tools *tools);
