/* State of hint.h, for the modules that do its parts. */
#pragma once

#include "base/buffer.h"
#include "beats.h"
#include "connection.h"
#include "db/hints.h"
#include "hint_carrying_state.h"

struct hints {
	struct connection connection;
	struct list subscriptions; /* of struct hint_subscription */
	struct db_query query;	   /* the statement that is under way while busy */
	bool busy;
	bool up;	   /* hints arrive */
	bool is_connected; /* they can be sent */
	/* NULL, or called when a connection that was up is lost because the server does not answer.
	 */
	void (*on_silent)(void *context);
	/* NULL, or called four times a second while this worker's row is old: hint_seen.sql. */
	void (*on_unseen)(void *context);
	void *context;
	/* Name of this worker's row, or of the one that it shares with the workers of the instance;
	 * no instance: it has none, and looks at no others. */
	struct id instance;
	int32_t number;
	struct doubts *doubts; /* whose processes it ends */
	/* Memory of hint_region; NULL: it shares no hints, and listens itself. */
	struct region_map *shared;
	unsigned worker_slots; /* there */

	uint64_t ended_ms;    /* when it last asked to end one */
	struct backend ended; /* that one */
	struct beats beats;
	unsigned under_way;	/* an enum hint_statement; the last one that was sent */
	unsigned turn;		/* the last one, see hint.c */
	uint64_t asked_ms;	/* when a ping, look or beat was last sent; 0: not yet */
	uint64_t heard_ms;	/* see on_heard() */
	uint64_t seen_ms;	/* when its row's last renewal was sent; 0: never */
	uint64_t beat_again_ms; /* no beat before */
	bool has_clock;		/* of the connection's server, by a look */
	bool has_beaten;	/* on this connection */
	bool has_failed;	/* a NOTIFY failed: the connection is cut */
	bool is_leaving, has_left;
	uint64_t tidied_ms;    /* when the table was last tidied; 0: never */
	struct arena arena;    /* parameters of the statement that is under way */
	struct buffer waiting; /* hints for the next NOTIFY, each followed by a space */
	size_t first_bytes;    /* of these, the ones that were added when the connection came up */
	char payload[8000];    /* payload of the NOTIFY under way */
	uint64_t waiting_us;   /* monotonic: since when the first of them waits; 0: none */
	uint64_t notified_us;  /* waiting_us of the hints in the NOTIFY under way; 0: none */
	uint64_t sent_ms;      /* when the statement that is under way was sent */
	struct hint_carrying carrying;
	void (*flush)(struct hints *hints); /* hints_flush() */
	struct deadline ping;
	struct deadline pause; /* set while no NOTIFY may be sent */
};
