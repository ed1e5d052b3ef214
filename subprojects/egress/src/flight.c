#include "flight.h"

#include "download.h"

#include <stdlib.h>

bool flight_add_waiter(struct flight *flight, struct client *client, const struct request *request)
{
	struct waiter *waiter = memory_take(sizeof(*waiter));

	if (!waiter)
		return false;
	*waiter = (struct waiter){.client = client,
				  .account = request->account,
				  .id = request->id,
				  .next = flight->waiters};
	flight->waiters = waiter;
	client->under_way++;
	return true;
}

void flight_drop_waiter(struct waiter **at)
{
	struct waiter *waiter = *at;

	*at = waiter->next;
	waiter->client->under_way--;
	free(waiter);
}

bool flight_is_of(const struct flight *flight, const struct key *account)
{
	return key_is_same(&flight->request.account, account);
}

bool flight_is_wanted(const struct flight *flight)
{
	const struct waiter *waiter = flight->waiters;

	while (waiter && !client_has_room(waiter->client))
		waiter = waiter->next;
	return waiter;
}

struct flight *flight_take_others(struct flight *flight, int64_t now_ms)
{
	struct waiter *others = NULL;
	struct flight *rest = memory_take(sizeof(*rest));

	if (!rest)
		return NULL;
	for (struct waiter **at = &flight->waiters; *at;) {
		struct waiter *waiter = *at;

		if (key_is_same(&waiter->account, &flight->request.account)) {
			at = &waiter->next;
			continue;
		}
		*at = waiter->next;
		waiter->next = others;
		others = waiter;
	}
	if (!others) {
		free(rest);
		return NULL;
	}
	rest->waiters = others;
	rest->since_ms = now_ms;
	rest->request = flight->request;
	rest->request.account = others->account;
	flight->request = (struct request){.account = flight->request.account};
	return rest;
}

struct flight *flights_find(struct flight *flights, const struct key *key)
{
	while (flights && !key_is_same(&flights->request.key, key))
		flights = flights->next;
	return flights;
}

unsigned flights_transfers(const struct flight *flights, const struct key *account,
			   const struct key *scope, unsigned *ret_scope)
{
	unsigned count = 0;

	*ret_scope = 0;
	for (; flights; flights = flights->next) {
		if (!flights->has_started || !flight_is_of(flights, account))
			continue;
		count++;
		*ret_scope += key_is_same(&flights->request.scope, scope);
	}
	return count;
}

const char *flights_refuse_download(const struct flight *flights, const struct request *request)
{
	unsigned count = 0;

	for (; flights; flights = flights->next) {
		if (!flights->request.download)
			continue;
		if (flight_is_of(flights, &request->account))
			return "another file of this account is being fetched";
		count++;
	}
	return count < DOWNLOADS_MAX ? NULL : "too many files are being fetched, try again later";
}
