/* Requests of a run's script to the network, and their answers: those of a run without a turn are
 * held until it has one. */
#pragma once

#include "run_parts.h"

/* Callbacks of the run's requests to renderers. */
void run_on_fetch(struct renderer_request *request, yyjson_val *fetch, struct str body);
void run_on_waits(struct renderer_request *request, unsigned fetches, int64_t turn);

/* Drops the fetches of a finished request, and their answers. */
void run_forget_fetches(struct engine_run *run);

/* Gives the process its turn, and the answers that it waits for. */
void run_go_on(struct engine_run *run);
