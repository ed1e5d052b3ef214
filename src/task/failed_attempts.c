#include "task/failed_attempts.h"
#include "base/clock.h"
#include "base/limits.h"

#include <text/address.h>

/* Finds the address or /64 network whose failed attempts are counted. False: not counted. */
static bool failing_address(const struct service *service, struct str remote_address,
			    struct id *ret_id)
{
	struct address address;

	if (service->failed_attempt_rate.per_second == 0 || !address_read(remote_address, &address))
		return false;
	address_cut_to_subscriber(&address);
	memcpy(ret_id->bytes, address.bytes, sizeof(ret_id->bytes));
	return true;
}

struct rate_result failed_attempts_allow(const struct service *service, struct str remote_address)
{
	uint64_t now_us = clock_monotonic_us();
	struct id id;

	/* Without a limit there is no table. */
	if (service->failed_attempt_rate.per_second == 0 ||
	    rate_is_unused(service->failed_attempts, now_us) ||
	    !failing_address(service, remote_address, &id))
		return (struct rate_result){.is_allowed = true};
	return rate_look(service->failed_attempts, &service->failed_attempt_rate, id, now_us);
}

void failed_attempts_count(const struct service *service, struct str remote_address)
{
	struct id id;

	if (failing_address(service, remote_address, &id))
		rate_take(service->failed_attempts, &service->failed_attempt_rate, id,
			  clock_monotonic_us());
}

/* ---- former addresses of devices ---- */

static const struct rate_policy alias_of_address = {
    .metric = METRIC_LIMIT_FAILED_ATTEMPTS,
    .name = "address",
    .of_what = "from this address",
    .per_second = LIMIT_ALIAS_ATTEMPTS_PER_S,
    .burst = LIMIT_ALIAS_ATTEMPTS_BURST,
};
static const struct rate_policy alias_of_network = {
    .metric = METRIC_LIMIT_FAILED_ATTEMPTS,
    .name = "network",
    .of_what = "from this network",
    .per_second = LIMIT_ALIAS_NETWORK_ATTEMPTS_PER_S,
    .burst = LIMIT_ALIAS_NETWORK_ATTEMPTS_BURST,
};

/* Finds the buckets of an address and of its network, distinct from others in the table. False: not
 * counted.
 */
static bool alias_attempt_ids(const struct service *service, struct str remote_address,
			      struct id *ret_address, struct id *ret_network)
{
	enum { UNUSED_BYTE = 8 }; /* 0 in an IPv4-mapped address, and in a network of IPv6 */
	struct address network;

	if (!failing_address(service, remote_address, ret_address) ||
	    !address_read(remote_address, &network))
		return false;
	address_cut_to_network(&network);
	memcpy(ret_network->bytes, network.bytes, sizeof(ret_network->bytes));
	ret_address->bytes[UNUSED_BYTE] = 'a';
	ret_network->bytes[UNUSED_BYTE] = 'n';
	return true;
}

bool alias_attempt_begins(const struct service *service, struct str remote_address)
{
	uint64_t now_us = clock_monotonic_us();
	struct id address, network;

	if (!alias_attempt_ids(service, remote_address, &address, &network))
		return true;
	if (!rate_take(service->failed_attempts, &alias_of_address, address, now_us).is_allowed)
		return false;
	if (rate_take(service->failed_attempts, &alias_of_network, network, now_us).is_allowed)
		return true;
	rate_give_back(service->failed_attempts, &alias_of_address, address, now_us);
	return false;
}

void alias_attempt_succeeded(const struct service *service, struct str remote_address)
{
	uint64_t now_us = clock_monotonic_us();
	struct id address, network;

	if (!alias_attempt_ids(service, remote_address, &address, &network))
		return;
	rate_give_back(service->failed_attempts, &alias_of_address, address, now_us);
	rate_give_back(service->failed_attempts, &alias_of_network, network, now_us);
}
