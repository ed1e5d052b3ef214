/* The turns of the servers of a connection string, for who connects in steps of its own: see
 * db/hosts.h. A pass goes from hosts_first_turn() on through hosts_turns() turns, each of another
 * server: the order is that of the pass's begin, whatever other passes find out meanwhile. */
#pragma once

#include "db/hosts.h"

#include <netdb.h>

struct host_turn {
	unsigned first;	 /* private: the server of the pass's first turn */
	unsigned number; /* from 0 to hosts_turns() - 1 */
};

unsigned hosts_turns(const struct hosts *hosts);
struct host_turn hosts_first_turn(const struct hosts *hosts);

/* The name whose addresses have to be looked up for this turn, or NULL. */
const char *hosts_name(const struct hosts *hosts, struct host_turn turn);

/* Begins to connect to it; address: one of its name, or NULL. Never NULL; the status may be
 * CONNECTION_BAD. */
PGconn *hosts_begin(const struct hosts *hosts, const struct hosts_use *use, struct host_turn turn,
		    const char *address);

/* Time limit for one address. addresses: number of addresses of the host's name, or 0. */
unsigned hosts_limit_ms(const struct hosts *hosts, unsigned addresses);

/* The connection is usable: its server comes first from now on. */
void hosts_note_good(struct hosts *hosts, const PGconn *pg);
/* Puts the next server first if this connection's server, which is unusable, was first. */
void hosts_pass_over(struct hosts *hosts, const PGconn *pg);

/* Compares names, addresses or ports as libpq gives them; NULL is empty. */
bool hosts_are_same(const char *one, const char *other);

/* All are sockets of this machine. */
bool hosts_are_near(const struct hosts *hosts);

/* Keeps the failure that says most. */
void hosts_keep_failure(struct hosts_failure *kept, enum unavailable unavailable,
			const char *words);

enum {
	HOSTS_ADDRESSES_MAX = 8,
	HOST_ADDRESS_BYTES = 80, /* of a numeric one, with its zone */
};

/* The numeric addresses of a name, the good one first. */
struct host_addresses {
	unsigned count;
	char list[HOSTS_ADDRESSES_MAX][HOST_ADDRESS_BYTES];
};

/* The first ones of what the system's resolver found. */
void hosts_take_addresses(const struct hosts *hosts, const struct addrinfo *found,
			  struct host_addresses *ret);
