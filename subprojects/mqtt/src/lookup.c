#include "lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <sandboxed/budget.h>
#include <sandboxed/bytes.h>
#include <sandboxed/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_MS = 1000, THREAD_STACK = 256 << 10, SERVICE_BYTES = 8 };

struct lookup {
	struct lookup *next;
	char service[SERVICE_BYTES];
	bool was_slow;
	bool is_under_way, is_done, is_cancelled;
	void (*on_done)(void *context);
	void *context;
	struct lookup_found found;
	char host[];
};

static struct {
	pthread_mutex_t lock; /* guards all members, and those of look-ups but host and service */
	pthread_cond_t added;
	struct lookup *first, **end;
	unsigned thread_count, idle_count, slow_count; /* slow_count: under way of slow names */
} lookups = {.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

static void look_up(const char *host, const char *service, int flags, struct lookup_found *found)
{
	const struct addrinfo hints = {
	    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
	struct addrinfo *list = NULL;

	if (getaddrinfo(host, service, &hints, &list) != 0)
		return;
	for (const struct addrinfo *one = list; one && found->count < LOOKUP_ADDRESSES_MAX;
	     one = one->ai_next) {
		struct lookup_address *address = &found->addresses[found->count];

		if (one->ai_addrlen > sizeof(address->to))
			continue;
		memcpy(&address->to, one->ai_addr, one->ai_addrlen);
		address->length = one->ai_addrlen;
		found->count++;
	}
	freeaddrinfo(list);
}

/* Takes the first look-up that may begin. Returns NULL if there is none. */
static struct lookup *take_next(void)
{
	for (struct lookup **at = &lookups.first; *at; at = &(*at)->next) {
		struct lookup *lookup = *at;

		if (lookup->was_slow && lookups.slow_count >= LOOKUP_THREADS_MAX / 2)
			continue;
		*at = lookup->next;
		if (!*at)
			lookups.end = at;
		lookup->is_under_way = true;
		return lookup;
	}
	return NULL;
}

static void run_one(struct lookup *lookup)
{
	struct lookup_found found = {0};
	int64_t from_ms = clock_ms();

	lookups.slow_count += lookup->was_slow;
	pthread_mutex_unlock(&lookups.lock);
	look_up(lookup->host, lookup->service, 0, &found);
	found.was_slow = clock_ms() - from_ms > SLOW_MS;
	pthread_mutex_lock(&lookups.lock);
	lookups.slow_count -= lookup->was_slow;
	if (lookup->is_cancelled) {
		free(lookup);
		return;
	}
	lookup->found = found;
	lookup->is_done = true;
	lookup->on_done(lookup->context);
}

static void *lookups_run(void *argument)
{
	struct lookup *lookup;

	pthread_mutex_lock(&lookups.lock);
	for (;;) {
		while ((lookup = take_next()))
			run_one(lookup);
		lookups.idle_count++;
		pthread_cond_wait(&lookups.added, &lookups.lock);
		lookups.idle_count--;
	}
	return argument;
}

static bool start_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attributes, lookups_run, NULL);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

/* Returns false if there is no thread at all. */
static bool add(struct lookup *lookup)
{
	bool has_thread;

	pthread_mutex_lock(&lookups.lock);
	if (!lookups.idle_count && lookups.thread_count < LOOKUP_THREADS_MAX && start_thread())
		lookups.thread_count++;
	has_thread = lookups.thread_count > 0;
	if (has_thread) {
		if (!lookups.first)
			lookups.end = &lookups.first;
		*lookups.end = lookup;
		lookups.end = &lookup->next;
		pthread_cond_signal(&lookups.added);
	}
	pthread_mutex_unlock(&lookups.lock);
	return has_thread;
}

struct lookup *lookup_begin(const char *host, int port, bool was_slow,
			    void (*on_done)(void *context), void *context)
{
	struct budget *before = budget_enter(NULL); /* threads free it, and its size is bounded */
	struct lookup *lookup = memory_take(sizeof(*lookup) + strlen(host) + 1);

	(void)budget_enter(before);
	if (!lookup)
		return NULL;
	strcpy(lookup->host, host);
	snprintf(lookup->service, sizeof(lookup->service), "%d", port);
	lookup->was_slow = was_slow;
	lookup->on_done = on_done;
	lookup->context = context;
	look_up(host, lookup->service, AI_NUMERICHOST, &lookup->found);
	if (lookup->found.count) {
		lookup->is_done = true;
		return lookup;
	}
	if (add(lookup))
		return lookup;
	free(lookup);
	return NULL;
}

bool lookup_take(struct lookup *lookup, struct lookup_found *ret_found)
{
	bool is_done;

	pthread_mutex_lock(&lookups.lock);
	is_done = lookup->is_done;
	pthread_mutex_unlock(&lookups.lock);
	if (!is_done)
		return false;
	*ret_found = lookup->found;
	free(lookup);
	return true;
}

static void remove_waiting(struct lookup *lookup)
{
	for (struct lookup **at = &lookups.first; *at; at = &(*at)->next) {
		if (*at != lookup)
			continue;
		*at = lookup->next;
		if (!*at)
			lookups.end = at;
		return;
	}
}

void lookup_cancel(struct lookup *lookup)
{
	bool is_left;

	if (!lookup)
		return;
	pthread_mutex_lock(&lookups.lock);
	lookup->is_cancelled = true;
	is_left = lookup->is_under_way && !lookup->is_done; /* its thread frees it */
	if (!lookup->is_under_way && !lookup->is_done)
		remove_waiting(lookup);
	pthread_mutex_unlock(&lookups.lock);
	if (!is_left)
		free(lookup);
}
