/* Continues an instance in another program: see main/handover.h. */
#pragma once

#include "main/handover.h"
#include "main/instance_change.h"

/* Fills the handover with the instance's open resources. */
void instance_hand_over(const struct instance *instance, struct handover *handover);

/* Replaces instance_open(): uses the handed-over resources, with a configuration that may listen on
 * other addresses: instance_keep() or instance_undo() follows. Returns EXIT_DONE, or an exit code
 * with a reason; then nothing handed over is closed, and the first program can take it back. */
enum exit_code instance_take_over(struct instance *instance, const struct config *config,
				  const struct handover *handover,
				  struct instance_before *ret_before, struct reason *reterr);
