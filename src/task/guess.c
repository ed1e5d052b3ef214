#include "task/guess.h"
#include "base/clock.h"
#include "base/network.h"

/* Finds the address or /64 network whose failed attempts are counted. False: not counted. */
static bool guesser_of(const struct service *service, struct str remote_address, struct id *ret_id)
{
	struct address address;

	if (service->guess_rate.per_second == 0 || !address_read(remote_address, &address))
		return false;
	address_cut_to_subscriber(&address);
	memcpy(ret_id->bytes, address.bytes, sizeof(ret_id->bytes));
	return true;
}

struct rate_result guess_is_allowed(const struct service *service, struct str remote_address)
{
	uint64_t now_us = clock_monotonic_us();
	struct id id;

	/* Without a limit there is no table. */
	if (service->guess_rate.per_second == 0 || rate_is_unused(service->guesses, now_us) ||
	    !guesser_of(service, remote_address, &id))
		return (struct rate_result){.is_allowed = true};
	return rate_look(service->guesses, &service->guess_rate, id, now_us);
}

void guess_failed(const struct service *service, struct str remote_address)
{
	struct id id;

	if (guesser_of(service, remote_address, &id))
		rate_take(service->guesses, &service->guess_rate, id, clock_monotonic_us());
}
