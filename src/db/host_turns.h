/* Turns of the servers of a connection string, for callers that connect in their own steps: see
 * db/hosts.h. A pass consists of hosts_turns() turns from hosts_first_turn() on, each of another
 * server. Its order is fixed when it begins, whatever other passes find out meanwhile. */
#pragma once

#include "db/hosts.h"

#include <netdb.h>

struct host_turn {
	unsigned first;	 /* private: the server of the pass's first turn */
	unsigned number; /* from 0 to hosts_turns() - 1 */
};

unsigned hosts_turns(const struct hosts *hosts);
struct host_turn hosts_first_turn(const struct hosts *hosts);

/* Returns the name whose addresses must be looked up for this turn, or NULL. */
const char *hosts_name(const struct hosts *hosts, struct host_turn turn);

/* Begins to connect to the turn's server; address: one of its name, or NULL. Never returns NULL;
 * the status may be CONNECTION_BAD. */
PGconn *hosts_begin(const struct hosts *hosts, const struct hosts_use *use, struct host_turn turn,
		    const char *address);

/* Returns the time limit for one address. addresses: number of addresses of the host's name, or 0.
 */
unsigned hosts_limit_ms(const struct hosts *hosts, unsigned addresses);

/* Puts the server with this index in the string first. */
void hosts_put_first(struct hosts *hosts, unsigned index);
/* Puts the server of this usable connection first. */
void hosts_note_good(struct hosts *hosts, const PGconn *pg);
/* Puts the next server first if this connection's server, which is unusable, was first. */
void hosts_pass_over(struct hosts *hosts, const PGconn *pg);

/* Compares names, addresses or ports as libpq gives them; NULL counts as empty. */
bool hosts_are_same(const char *one, const char *other);

/* Copies them for another thread; the known timeline is shared. Free with hosts_destroy(). */
struct hosts *hosts_copy(const struct hosts *hosts);

struct timeline_known *hosts_known(struct hosts *hosts);
/* Returns why a server with this timeline must not be used; UNAVAILABLE_NOT: it may. */
enum unavailable hosts_judge(struct hosts *hosts, struct timeline timeline);

/* Whether all servers are unix sockets of this machine. */
bool hosts_are_near(const struct hosts *hosts);

/* Keeps the more useful failure of the two. */
void hosts_keep_failure(struct hosts_failure *kept, enum unavailable unavailable,
			const char *words);

enum {
	HOSTS_ADDRESSES_MAX = 8,
	HOST_ADDRESS_BYTES = 80, /* numeric address with its zone */
};

/* Numeric addresses of a name, the last good one first. */
struct host_addresses {
	unsigned count;
	char list[HOSTS_ADDRESSES_MAX][HOST_ADDRESS_BYTES];
};

/* Looks up a name, blocking. Returns false if it has no address, and keeps the failure. */
bool hosts_look_up(const struct hosts *hosts, const char *name, struct host_addresses *ret,
		   struct hosts_failure *failure);

/* Takes the first addresses that the system's resolver found. */
void hosts_take_addresses(const struct hosts *hosts, const struct addrinfo *found,
			  struct host_addresses *ret);
