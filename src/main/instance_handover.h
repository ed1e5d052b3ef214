/* An instance that goes on in another program: see main/handover.h. */
#pragma once

#include "main/handover.h"
#include "main/instance_change.h"

/* What the instance holds open. */
void instance_hand_over(const struct instance *instance, struct handover *handover);

/* In place of instance_open(): what was handed over, with a configuration that may listen on other
 * addresses: instance_keep() or instance_undo() follows. EXIT_DONE, or an exit code with a reason;
 * then nothing is closed that was handed over, and the first program can have it back. */
enum exit_code instance_take_over(struct instance *instance, const struct config *config,
				  const struct handover *handover,
				  struct instance_before *ret_before, struct reason *reterr);
