#include "desk.h"

#include "cache.h"
#include "download.h"
#include "look_ups.h"

#include <sandboxed/clock.h>
#include <stdlib.h>
#include <string.h>

enum { FOREVER_MS = 3600 * 1000, TICK_MS = 500 };

struct desk {
	struct transfer_tools tools;
	struct cache *cache;
	struct tenant *tenants;
	struct flight *flights; /* oldest first */
	unsigned flight_count, transfer_count;
	struct look_ups look_ups;
};

static const char too_many[] = "too many requests of apps are waiting";
static const char no_memory[] = "the network of apps has no memory left";

struct desk *desk_create(const struct network_list *allowed, const char *certificates)
{
	struct desk *desk = memory_take(sizeof(*desk));

	if (!desk)
		return NULL;
	desk->tools = (struct transfer_tools){.shares = shares_create(), .allowed = allowed};
	desk->cache = cache_create(DESK_CACHE_BYTES);
	trust_init(&desk->tools.trust, certificates);
	if (desk->tools.shares && desk->cache)
		return desk;
	free(desk->tools.shares);
	free(desk->cache);
	free(desk);
	return NULL;
}

static void destroy_flight(struct desk *desk, struct flight **at)
{
	struct flight *flight = *at;

	*at = flight->next;
	while (flight->waiters)
		flight_drop_waiter(&flight->waiters);
	desk->flight_count--;
	desk->transfer_count -= flight->has_started;
	transfer_finish(&flight->transfer);
	request_finish(&flight->request);
	reply_finish(&flight->reply);
	if (flight->tenant)
		tenant_leave(flight->tenant, clock_ms());
	free(flight);
}

void desk_destroy(struct desk *desk)
{
	while (desk->flights)
		destroy_flight(desk, &desk->flights);
	cache_destroy(desk->cache);
	shares_destroy(desk->tools.shares);
	tenants_destroy(&desk->tenants);
	trust_finish(&desk->tools.trust);
	free(desk);
}

static void refuse(struct client *client, int64_t id, const char *words)
{
	struct reply reply = {0};

	reply_set_error(&reply, "%s", words);
	client_answer(client, id, &reply);
	reply_finish(&reply);
}

/* Answers all clients that wait for the flight with the error, and removes the flight. */
static void give_up(struct desk *desk, struct flight **at, const char *words)
{
	for (struct waiter *waiter = (*at)->waiters; waiter; waiter = waiter->next)
		refuse(waiter->client, waiter->id, words);
	destroy_flight(desk, at);
}

/* Whether one request may answer several clients: only if it changes nothing on the server. A
 * request with a body counts too if the app has set how long its answer may be cached. */
static bool is_shared(const struct request *request)
{
	return !request->download &&
	       (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0 ||
		(strcmp(request->method, "POST") == 0 && request->ttl_s > 0));
}

/* Whether the account leaves as many of the client's places free as it has. */
static bool may_wait(const struct desk *desk, const struct client *client,
		     const struct key *account)
{
	unsigned own = 0;

	for (const struct flight *flight = desk->flights; flight; flight = flight->next)
		for (const struct waiter *waiter = flight->waiters; waiter; waiter = waiter->next)
			own += waiter->client == client && key_is_same(&waiter->account, account);
	return own + client->under_way < CLIENT_UNDER_WAY_MAX;
}

/* Whether the account may have one more flight, and memory for it: at most as much as it leaves
 * free. */
static bool may_fly(const struct desk *desk, const struct request *request)
{
	size_t own_bytes = request->bytes, bytes = 0;
	unsigned own = 0;

	for (const struct flight *flight = desk->flights; flight; flight = flight->next) {
		bytes += flight->request.bytes;
		if (flight_is_of(flight, &request->account)) {
			own++;
			own_bytes += flight->request.bytes;
		}
	}
	return own + desk->flight_count < DESK_FLIGHTS_MAX &&
	       own_bytes + bytes <= DESK_REQUESTS_BYTES_MAX;
}

/* Takes the request from the account's share of the host's name. */
static enum share_result take_name(const struct desk *desk, const struct request *request)
{
	if (request->is_paced)
		return SHARE_TAKEN;
	return shares_take_name(desk->tools.shares, &request->account, request->host, clock_us());
}

/* Whether there is room for a flight and a share of the account is left. Returns false after
 * sending the client the reason. */
static bool admit(struct desk *desk, struct client *client, const struct request *request)
{
	enum share_result result;
	struct reply reply = {0};

	const char *why_not = may_fly(desk, request) ? NULL : too_many;

	if (!why_not && request->download)
		why_not = flights_refuse_download(desk->flights, request);
	if (why_not) {
		refuse(client, request->id, why_not);
		return false;
	}
	result = take_name(desk, request);
	if (result == SHARE_TAKEN)
		return true;
	shares_explain(result, request->host, &reply);
	client_answer(client, request->id, &reply);
	reply_finish(&reply);
	return false;
}

static void append(struct desk *desk, struct flight *flight)
{
	struct flight **end = &desk->flights;

	while (*end)
		end = &(*end)->next;
	*end = flight;
	desk->flight_count++;
}

/* Takes the content of the request. */
static void add_flight(struct desk *desk, struct client *client, struct request *request)
{
	struct flight *flight;

	if (!admit(desk, client, request)) {
		request_finish(request);
		return;
	}
	flight = memory_take(sizeof(*flight));
	if (!flight || !flight_add_waiter(flight, client, request)) {
		refuse(client, request->id, no_memory);
		request_finish(request);
		free(flight);
		return;
	}
	flight->request = *request;
	flight->since_ms = clock_ms();
	append(desk, flight);
}

/* Adds the client to those that wait for the flight. A flight that has not started becomes that of
 * the account with fewer transfers, whose shares it then uses. */
static void join(struct desk *desk, struct flight *flight, struct client *client,
		 const struct request *request)
{
	const struct key *scope = &request->scope;
	unsigned of_scope;

	if (!flight_add_waiter(flight, client, request)) {
		refuse(client, request->id, no_memory);
		return;
	}
	if (!flight->has_started && !flight->has_landed &&
	    flights_transfers(desk->flights, &request->account, scope, &of_scope) <
		flights_transfers(desk->flights, &flight->request.account, scope, &of_scope) &&
	    take_name(desk, request) == SHARE_TAKEN)
		flight->request.account = request->account;
}

static void take_request(struct desk *desk, struct client *client, struct request *request)
{
	const struct reply *kept = NULL;
	struct flight *flight = NULL;

	if (is_shared(request)) {
		kept = cache_find(desk->cache, &request->key, clock_ms());
		flight = flights_find(desk->flights, &request->key);
	}
	if (kept)
		client_answer(client, request->id, kept);
	else if (!may_wait(desk, client, &request->account))
		refuse(client, request->id, too_many);
	else if (flight)
		join(desk, flight, client, request);
	else {
		add_flight(desk, client, request);
		return;
	}
	request_finish(request);
}

/* The flight may have ended meanwhile. */
static void obey(struct desk *desk, const struct client *client, const struct download_order *order)
{
	for (struct flight **at = &desk->flights; *at; at = &(*at)->next) {
		struct flight *flight = *at;

		if (!flight->request.download || !flight->waiters ||
		    flight->waiters->client != client || flight->waiters->id != order->id)
			continue;
		if (order->bytes == 0)
			destroy_flight(desk, at);
		else
			download_take(&flight->transfer, order->bytes);
		return;
	}
}

void desk_take(struct desk *desk, struct client *client)
{
	char words[REQUEST_WORDS_MAX];
	struct download_order order;
	struct request request;
	struct frame frame;
	enum frame_state state;

	while (client_has_room(client) &&
	       (state = client_next(client, &frame)) != FRAME_NEEDS_MORE) {
		enum request_status read = REQUEST_BROKEN;

		if (state == FRAME_IS_WHOLE && download_order_read(frame.head, &order)) {
			obey(desk, client, &order);
			client_skip(client, &frame);
			continue;
		}
		if (state == FRAME_IS_WHOLE) {
			read = request_read(frame.head, frame.blob, &request, words);
			client_skip(client, &frame);
		}
		if (read == REQUEST_FINE) {
			take_request(desk, client, &request);
			continue;
		}
		if (read == REQUEST_REFUSED)
			refuse(client, request.id, words);
		if (state == FRAME_IS_WHOLE)
			request_finish(&request);
		if (read == REQUEST_BROKEN) {
			client->is_gone = true;
			return;
		}
	}
}

void desk_forget(struct desk *desk, const struct client *client)
{
	for (struct flight **at = &desk->flights; *at;) {
		for (struct waiter **waiter = &(*at)->waiters; *waiter;) {
			if ((*waiter)->client == client)
				flight_drop_waiter(waiter);
			else
				waiter = &(*waiter)->next;
		}
		if (!(*at)->waiters && (!(*at)->has_started || (*at)->request.download))
			destroy_flight(desk, at);
		else
			at = &(*at)->next;
	}
}

/* Finds the oldest waiting flight of the account with the fewest transfers. */
static struct flight *find_next(const struct desk *desk)
{
	struct flight *found = NULL;
	unsigned fewest = DESK_TRANSFERS_MAX - desk->transfer_count;

	for (struct flight *flight = desk->flights; flight && fewest > 0; flight = flight->next) {
		unsigned count, of_scope;

		if (flight->has_started || flight->has_landed || !flight_is_wanted(flight))
			continue;
		count = flights_transfers(desk->flights, &flight->request.account,
					  &flight->request.scope, &of_scope);
		if (count < fewest && of_scope < DESK_SCOPE_TRANSFERS_MAX &&
		    look_ups_may(&desk->look_ups, desk->flights, &flight->request)) {
			fewest = count;
			found = flight;
		}
	}
	return found;
}

/* Whether there is something to do without waiting, because written bytes have made room. */
static bool can_go_on(const struct desk *desk, const struct client *clients)
{
	struct frame frame;

	for (; clients; clients = clients->next)
		if (client_has_room(clients) && client_next(clients, &frame) != FRAME_NEEDS_MORE)
			return true;
	for (const struct flight *flight = desk->flights; flight; flight = flight->next)
		if (flight->has_landed && flight_is_wanted(flight))
			return true;
	return find_next(desk);
}

void desk_wait(const struct desk *desk, struct pollfd *fds, unsigned count,
	       const struct client *clients)
{
	int most_ms = desk->flights ? TICK_MS : FOREVER_MS;

	most_ms = can_go_on(desk, clients) ? 0 : tenants_wait_ms(desk->tenants, most_ms);
	count += tenants_list(desk->tenants, fds + count, DESK_FDS_MAX);
	if (poll(fds, count, most_ms) < 0)
		for (unsigned i = 0; i < count; i++)
			fds[i].revents = 0;
}

static void start(struct desk *desk, struct flight *flight)
{
	flight->tenant = tenants_take(&desk->tenants, &flight->request.account);
	flight->has_started = true;
	desk->transfer_count++;
	if (flight->tenant &&
	    transfer_start(&flight->transfer, &desk->tools, flight->tenant, &flight->request)) {
		if (flight->request.download)
			flight->transfer.download = (struct download){
			    .client = flight->waiters->client,
			    .id = flight->waiters->id,
			    .window = DOWNLOAD_WINDOW,
			};
		return;
	}
	flight->has_landed = true;
	flight->since_ms = clock_ms();
	reply_set_error(&flight->reply, "%s", no_memory);
}

static void start_some(struct desk *desk)
{
	struct flight *flight;

	trust_renew(&desk->tools.trust);
	while (desk->transfer_count < DESK_TRANSFERS_MAX && (flight = find_next(desk)))
		start(desk, flight);
}

/* Refuses requests that have waited too long for their turn, or whose client has had no room for
 * the answer. */
static void refuse_late(struct desk *desk)
{
	int64_t before_ms = clock_ms() - DESK_WAIT_MS;

	for (struct flight **at = &desk->flights; *at;) {
		if (((*at)->has_landed || !(*at)->has_started) && (*at)->since_ms < before_ms)
			give_up(desk, at, too_many);
		else
			at = &(*at)->next;
	}
}

/* Answers the clients that wait for finished flights, as far as they have room. */
static void answer_landed(struct desk *desk)
{
	for (struct flight **at = &desk->flights; *at;) {
		struct flight *flight = *at;

		for (struct waiter **waiter = &flight->waiters; flight->has_landed && *waiter;) {
			if (client_has_room((*waiter)->client)) {
				client_answer((*waiter)->client, (*waiter)->id, &flight->reply);
				flight_drop_waiter(waiter);
			} else {
				waiter = &(*waiter)->next;
			}
		}
		if (flight->has_landed && !flight->waiters)
			destroy_flight(desk, at);
		else
			at = &flight->next;
	}
}

/* The account of the flight has used up its share. The other accounts that wait for the same answer
 * are not concerned: one of them repeats the request with its own share. */
static void hand_over(struct desk *desk, struct flight *flight)
{
	while ((flight = flight_take_others(flight, clock_ms()))) {
		const struct request *request = &flight->request;
		enum share_result result = take_name(desk, request);

		append(desk, flight);
		if (result == SHARE_TAKEN)
			return;
		shares_explain(result, request->host, &flight->reply);
		flight->has_landed = true;
	}
}

static void end_transfer(struct desk *desk, struct transfer *transfer, CURLcode code)
{
	struct flight *flight = desk->flights;
	enum share_result share = transfer->share;
	int64_t lifetime_s;

	while (flight && &flight->transfer != transfer)
		flight = flight->next;
	if (!flight)
		return; /* each transfer is one of a flight */
	transfer_end(transfer, code, &flight->reply, &lifetime_s);
	if (transfer->is_looking_up && code == CURLE_OPERATION_TIMEDOUT)
		look_ups_note_given_up(&desk->look_ups, &flight->request);
	transfer_finish(transfer);
	flight->has_landed = true;
	flight->since_ms = clock_ms();
	if (lifetime_s > 0)
		cache_keep(desk->cache, &flight->request.key, &flight->reply,
			   flight->since_ms + lifetime_s * 1000);
	if (code != CURLE_OK && share != SHARE_TAKEN)
		hand_over(desk, flight);
}

static void end_transfers(struct desk *desk, struct tenant *tenant)
{
	struct transfer *transfer;
	CURLcode code;
	CURL *easy;

	while ((easy = tenant_next(tenant, &code))) {
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
		end_transfer(desk, transfer, code);
	}
}

void desk_run(struct desk *desk)
{
	start_some(desk);
	for (struct tenant *tenant = desk->tenants; tenant; tenant = tenant->next)
		if (tenant->transfers > 0)
			tenant_run(tenant);
	for (struct flight *flight = desk->flights; flight; flight = flight->next)
		flight->transfer.is_new = false;
	for (struct tenant *tenant = desk->tenants; tenant; tenant = tenant->next)
		end_transfers(desk, tenant);
	answer_landed(desk);
	refuse_late(desk);
	tenants_sweep(&desk->tenants, clock_ms());
	start_some(desk);
}
