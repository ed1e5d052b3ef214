#include "look_ups.h"

#include <sandboxed/clock.h>

bool look_ups_may(const struct look_ups *look_ups, const struct flight *flights,
		  const struct request *request)
{
	unsigned of_scope = 0, own = 0, all = 0;
	int64_t now = clock_ms();

	for (const struct flight *flight = flights; flight; flight = flight->next) {
		if (!flight->transfer.is_new && !flight->transfer.is_looking_up)
			continue;
		all++;
		own += flight_is_of(flight, &request->account);
		of_scope += flight_is_of(flight, &request->account) &&
			    key_is_same(&flight->request.scope, &request->scope);
	}
	for (unsigned i = 0; i < LOOK_UPS_MAX; i++) {
		const struct given_up *given_up = &look_ups->given_up[i];
		bool is_own = key_is_same(&given_up->account, &request->account);

		if (given_up->until_ms <= now)
			continue;
		all++;
		own += is_own;
		of_scope += is_own && key_is_same(&given_up->scope, &request->scope);
	}
	return of_scope < LOOK_UPS_SCOPE_MAX && own + all < LOOK_UPS_MAX;
}

void look_ups_note_given_up(struct look_ups *look_ups, const struct request *request)
{
	struct given_up *oldest = look_ups->given_up;

	for (unsigned i = 1; i < LOOK_UPS_MAX; i++)
		if (look_ups->given_up[i].until_ms < oldest->until_ms)
			oldest = &look_ups->given_up[i];
	*oldest = (struct given_up){.account = request->account,
				    .scope = request->scope,
				    .until_ms = clock_ms() + LOOK_UPS_GIVEN_UP_MS};
}
