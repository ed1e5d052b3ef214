/* Limits the requests and bytes of an account's apps.
 *
 *   a host    SHARE_HOST_BURST requests at once, then SHARE_HOST_PER_S a second. A host is counted
 *             by its name without the port, and by each address that is connected to (of IPv6 the
 *             /64): names that lead to one address are one host, and so are addresses of one name
 *   all       SHARE_BYTES_PER_S of answers and of what is sent, after SHARE_BYTES_BURST at once.
 *             An account that has used its share begins nothing more, and a transfer of it that
 *             is SHARE_DEBT_BYTES beyond is cut off
 *
 *   downloads SHARE_DOWNLOAD_BYTES_PER_S, after SHARE_DOWNLOAD_BYTES_BURST at once: two of the
 *             largest, and then one more in half an hour. They do not count for the others
 *
 * Hosts are stored until their share is full again, ten seconds at most, and at most
 * SHARE_HOSTS_MAX of them: an account that has as many as it leaves free gets no further ones. The
 * caller passes the time, in microseconds. */
#pragma once

#include "cache.h"

#include <text/reach.h>

enum {
	SHARE_HOST_BURST = 20,
	SHARE_HOST_PER_S = 2,
	SHARE_BYTES_PER_S = 1000 * 1000,
	SHARE_BYTES_BURST = 4 * 1000 * 1000,
	SHARE_DOWNLOAD_BYTES_PER_S = 64 << 10,
	SHARE_DOWNLOAD_BYTES_BURST = 256 << 20,
	SHARE_DEBT_BYTES = 2 << 20, /* the largest answer, begun with the last byte of the share */
	SHARE_HOSTS_MAX = 16 * 1024,
};

enum share_result {
	SHARE_TAKEN,
	SHARE_HOST_USED_UP,
	SHARE_TOO_MANY_HOSTS, /* or there is no memory */
	SHARE_BYTES_USED_UP,
	SHARE_DOWNLOADS_USED_UP,
};

struct shares;

/* Returns NULL if there is no memory. */
struct shares *shares_create(void) __attribute__((warn_unused_result));
void shares_destroy(struct shares *shares);

/* Takes a request from the account's share of the host. The name's share is taken before a
 * connection is looked for, and only while the account has bytes left. */
enum share_result shares_take_name(struct shares *shares, const struct key *account,
				   const char *host, int64_t now_us)
    __attribute__((warn_unused_result));
enum share_result shares_take_address(struct shares *shares, const struct key *account,
				      const struct address *address, int64_t now_us)
    __attribute__((warn_unused_result));

/* Takes received or sent bytes from the account's share. Returns false if the account's transfers
 * are to be cut off, also if there is no memory. */
bool shares_take_bytes(struct shares *shares, const struct key *account, size_t bytes,
		       int64_t now_us) __attribute__((warn_unused_result));

/* The same for bytes of a download. The key is that of the account's downloads, not the account's.
 */
bool shares_take_download(struct shares *shares, const struct key *key, size_t bytes,
			  int64_t now_us) __attribute__((warn_unused_result));

/* Returns the number of hosts that are stored. */
unsigned shares_count(const struct shares *shares);

/* Makes the reply an error for the app's author that says which share is used up. */
void shares_explain(enum share_result result, const char *host, struct reply *reply);
