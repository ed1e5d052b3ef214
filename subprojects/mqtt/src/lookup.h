/* Look-ups of brokers' names, which wait for servers of names: in threads of their own, of which
 * there are LOOKUP_THREADS_MAX at most. A name that took long, or was not found, at the account's
 * last attempt finds half of them: accounts whose names never resolve do not keep the others
 * waiting. A numeric address needs no thread. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

enum { LOOKUP_THREADS_MAX = 16, LOOKUP_ADDRESSES_MAX = 8 };

struct lookup_address {
	struct sockaddr_storage to;
	socklen_t length;
};

struct lookup_found {
	struct lookup_address addresses[LOOKUP_ADDRESSES_MAX];
	unsigned count; /* 0: the name cannot be resolved */
	bool was_slow;	/* it took more than a second */
};

struct lookup;

/* Begins to look up a host. was_slow: of its last look-up, or that found nothing. on_done is called
 * once, in another thread, under the lock of all look-ups: it must not wait or call functions of
 * this header. It is not called if the result is there at once. Returns NULL if there is no memory
 * or thread. End with lookup_take() or lookup_cancel(). */
struct lookup *lookup_begin(const char *host, int port, bool was_slow,
			    void (*on_done)(void *context), void *context)
    __attribute__((warn_unused_result));
/* Returns false while the look-up is under way; else writes its result and frees it. */
bool lookup_take(struct lookup *lookup, struct lookup_found *ret_found)
    __attribute__((warn_unused_result));
/* Drops the look-up; on_done is not called any more. NULL is allowed. */
void lookup_cancel(struct lookup *lookup);
