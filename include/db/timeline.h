/* Tells a server from a copy of it that was replaced.
 *
 * A standby that becomes a primary begins a new timeline of the same system identifier. An old
 * primary that wakes up has the old timeline, and what is written there nobody else has. So each
 * instance keeps the highest timeline that it has seen, in shared memory and in its state
 * directory, and uses no server with an older one, nor one of another system. Only for connection
 * strings with several servers (db/hosts.h). */
#pragma once

#include "base/region.h"

#include <libpq-fe.h>
#include <stdatomic.h>
#include <stdint.h>

struct timeline {
	uint64_t system; /* PostgreSQL's system identifier; 0: unknown */
	uint32_t number;
};

/* Highest timeline that an instance has seen. Zeroed: none. */
struct timeline_known {
	_Atomic uint64_t system;
	_Atomic uint32_t number;
};

/* Its common part is a struct timeline_known. */
extern const struct region timeline_region;

enum timeline_rank {
	TIMELINE_CURRENT, /* the highest one, or unknown */
	TIMELINE_OLD,	  /* of a server that was replaced */
	TIMELINE_OTHER,	  /* of another system */
};

struct timeline timeline_get(const struct timeline_known *known);
/* Forgets what was known before. */
void timeline_set(struct timeline_known *known, struct timeline timeline);
/* Compares a server's timeline with the known one, which becomes this one if it is higher. */
enum timeline_rank timeline_note(struct timeline_known *known, struct timeline timeline);

/* Two columns, which fail on a standby. pg_control_checkpoint() would have the old timeline until
 * the first checkpoint. */
#define TIMELINE_COLUMNS                                                                           \
	"(SELECT system_identifier FROM pg_control_system()), "                                    \
	"('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8"

/* Reads these columns, in text, of the first row. Unknown if the statement has failed. */
struct timeline timeline_read(const PGresult *result, int column);
