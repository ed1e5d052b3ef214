#include "view_peers.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/require.h"

#include <stdlib.h>

enum {
	HERE_MS = 10 * 1000,
	LOOK_MS = 5 * 1000,
	/* A look that comes later than this follows a time in which nothing was read. */
	LATE_MS = 1000,
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct view_peer *peer_of(const struct list *node)
{
	return container_of(node, struct view_peer, by_heard);
}

static void say_here(struct view_peers *peers)
{
	uint64_t now_ms = loop_now_ms(peers->loop);
	char self[ID_TEXT_LENGTH + 1];
	struct arena arena = {0};

	if (peers->needs == 0 || (peers->said_ms && now_ms - peers->said_ms < HERE_MS) ||
	    !db_hints_are_up(peers->db))
		return;
	id_format(peers->self, self);
	db_hint(peers->db, arena_printf(&arena, "here:%s", self));
	arena_finish(&arena);
	peers->said_ms = now_ms;
}

static void look_later(struct view_peers *peers)
{
	if ((!peers->needs && !peers->by_id.count) || deadline_is_set(&peers->look))
		return;
	peers->look_ms = loop_now_ms(peers->loop) + LOOK_MS;
	deadline_set_at(peers->loop, &peers->look, peers->look_ms);
}

static void peer_free(struct view_peers *peers, struct view_peer *peer)
{
	peers->older -= !peer->says_here;
	map_remove(&peers->by_id, &peer->by_id);
	list_remove(&peer->by_heard);
	free(peer);
}

static void judge(struct view_peers *peers)
{
	uint64_t now_ms = loop_now_ms(peers->loop);
	struct list *next;

	for (struct list *node = peers->by_heard.next; node != &peers->by_heard; node = next) {
		struct view_peer *peer = peer_of(node);
		uint64_t silent_ms = now_ms - peer->heard_ms;

		next = node->next;
		if (silent_ms < PEER_SILENT_MS)
			return;
		if (!peer->is_silent && peer->says_here) {
			peer->is_silent = true;
			peers->on_silent(peers->context, peer->id);
		}
		if (silent_ms < PEER_GONE_MS)
			continue;
		peers->on_gone(peers->context, peer);
		peer_free(peers, peer);
	}
}

static void on_look(struct deadline *deadline)
{
	struct view_peers *peers = container_of(deadline, struct view_peers, look);

	say_here(peers);
	if (db_hints_are_up(peers->db) && loop_now_ms(peers->loop) - peers->look_ms < LATE_MS) {
		judge(peers);
		peers->on_look(peers->context);
	}
	look_later(peers);
}

void view_peers_need(struct view_peers *peers)
{
	peers->needs++;
	say_here(peers);
	look_later(peers);
}

void view_peers_need_less(struct view_peers *peers)
{
	require(peers->needs > 0);
	peers->needs--;
}

static struct view_peer *peer_find(const struct view_peers *peers, struct id peer_id)
{
	struct map_node *node = map_find(&peers->by_id, id_view(&peer_id));

	return node ? container_of(node, struct view_peer, by_id) : NULL;
}

static struct view_peer *peer_new(struct view_peers *peers, struct id peer_id)
{
	struct view_peer *peer = memory_zalloc(sizeof(*peer));

	peer->id = peer_id;
	list_init(&peer->by_heard);
	list_init(&peer->watches);
	map_insert(&peers->by_id, &peer->by_id, id_view(&peer->id));
	peers->older++;
	look_later(peers);
	return peer;
}

struct view_peer *view_peers_hear(struct view_peers *peers, struct id peer_id)
{
	struct view_peer *peer = peer_find(peers, peer_id);

	if (!peer && peers->by_id.count >= LIMIT_VIEW_PEERS)
		return NULL;
	if (!peer)
		peer = peer_new(peers, peer_id);
	peer->heard_ms = loop_now_ms(peers->loop);
	peer->is_silent = false;
	list_remove(&peer->by_heard);
	list_append(&peers->by_heard, &peer->by_heard);
	return peer;
}

bool view_peers_know(const struct view_peers *peers, struct id peer_id)
{
	const struct view_peer *peer = peer_find(peers, peer_id);

	return peer && peer->says_here && !peer->is_silent;
}

static void on_here(struct hint_subscription *hints, struct str text)
{
	struct view_peers *peers = container_of(hints, struct view_peers, heres);
	struct view_peer *peer;
	struct id id;

	if (!id_parse(text, &id) || id_equal(id, peers->self))
		return;
	peer = view_peers_hear(peers, id);
	if (!peer)
		return;
	peers->older -= !peer->says_here;
	peer->says_here = true;
}

static void on_up(struct hint_subscription *hints, bool up)
{
	struct view_peers *peers = container_of(hints, struct view_peers, heres);

	if (!up)
		return;
	list_for_each (node, &peers->by_heard)
		peer_of(node)->heard_ms = loop_now_ms(peers->loop);
	peers->said_ms = 0;
	say_here(peers);
}

void view_peers_init(struct view_peers *peers)
{
	list_init(&peers->by_heard);
	deadline_init(&peers->look, on_look);
	peers->heres =
	    (struct hint_subscription){.kind = STR("here"), .on_hint = on_here, .on_up = on_up};
	db_subscribe(peers->db, &peers->heres);
}

void view_peers_finish(struct view_peers *peers)
{
	db_unsubscribe(&peers->heres);
	deadline_clear(peers->loop, &peers->look);
	while (!list_is_empty(&peers->by_heard))
		peer_free(peers, peer_of(peers->by_heard.next));
	map_finish(&peers->by_id);
}
