/* Look-ups of names. Each takes a thread, which may go on after its transfer has ended. */
#pragma once

#include "flight.h"

enum {
	LOOK_UPS_MAX = 64, /* including abandoned ones */
	LOOK_UPS_SCOPE_MAX = 4,
	LOOK_UPS_GIVEN_UP_MS = 10 * 1000, /* how long a thread may go on after its transfer */
};

struct look_ups {
	/* Names that were still being looked up when their transfers ended. */
	struct given_up {
		struct key account, scope;
		int64_t until_ms;
	} given_up[LOOK_UPS_MAX];
};

/* Whether there is a thread to look a name up in; an account uses at most as many as it leaves
 * free. flights: the list of all. */
bool look_ups_may(const struct look_ups *look_ups, const struct flight *flights,
		  const struct request *request);
/* Notes that the transfer of the request has ended during its look-up. */
void look_ups_note_given_up(struct look_ups *look_ups, const struct request *request);
