/* Other workers, of all instances, that watch panels or hold watched ones. While this worker does
 * either, it sends "here:<worker>" every 10 s, and listens who else does. So a watch lasts as long
 * as its worker is heard, and needs no renewal; a worker that is not heard is asked again, or
 * forgotten.
 *
 * Workers of older programs never say that they are here, and renew each watch every 12 s: a peer
 * of which only other words came is such a one.
 *
 * While this worker's own hints are down, or its loop has just hung, nobody is judged. */
#pragma once

#include "base/map.h"
#include "db/db.h"
#include "loop/loop.h"

enum {
	/* A peer that was not heard for so long may be gone: who needs it asks. */
	PEER_SILENT_MS = 15 * 1000,
	/* Then it is forgotten, and so is a watch of an older peer that was not renewed. */
	PEER_GONE_MS = 30 * 1000,
};

struct view_peer {
	struct map_node by_id;
	struct list by_heard;
	struct list watches; /* leases.c: of struct watch, by the last request, oldest first */
	struct id id;
	uint64_t heard_ms;
	unsigned watch_count; /* leases.c */
	bool says_here;
	bool is_silent; /* on_silent() was called since it was heard */
};

struct view_peers {
	struct loop *loop;
	struct db *db;
	struct id self; /* name of this worker in hints */
	/* Called every 5 s while somebody is known or needed. */
	void (*on_look)(void *context);
	/* The peer was not heard for PEER_SILENT_MS. */
	void (*on_silent)(void *context, struct id peer_id);
	/* The peer is freed after this call. */
	void (*on_gone)(void *context, struct view_peer *peer);
	void *context;
	struct map by_id;
	struct list by_heard; /* the one that is silent for longest first */
	unsigned needs;	      /* reasons to say that this worker is here */
	unsigned older;	      /* peers that have never said so */
	uint64_t said_ms;     /* 0: never */
	struct deadline look;
	uint64_t look_ms; /* when it was due */
	struct hint_subscription heres;
};

/* Set loop, db, self, the functions and context before. */
void view_peers_init(struct view_peers *peers);
/* Frees the peers without calling on_gone(). */
void view_peers_finish(struct view_peers *peers);

/* Notes that this worker watches a device, or has a watch of another worker; and that it does no
 * more. */
void view_peers_need(struct view_peers *peers);
void view_peers_need_less(struct view_peers *peers);

/* Notes that a word of this worker came. Returns NULL if there are too many peers. */
struct view_peer *view_peers_hear(struct view_peers *peers, struct id peer_id);
/* Whether the peer says that it is here: its watches, and what it shows, need no renewal. */
bool view_peers_know(const struct view_peers *peers, struct id peer_id);
