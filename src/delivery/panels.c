#include "panels.h"
#include "base/clock.h"
#include "base/require.h"
#include "db/hints.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* Maximum of panels that are tried to make room for a new one. */
enum { TRIED_MAX = 16 };

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct panel *panel_of(struct list *by_use)
{
	return container_of(by_use, struct panel, by_use);
}

void panels_init(struct panels *panels)
{
	list_init(&panels->by_use);
}

void panels_finish(struct panels *panels)
{
	while (!list_is_empty(&panels->by_use))
		panel_destroy(panel_of(panels->by_use.next));
	map_finish(&panels->by_id);
}

struct panel *panels_find(const struct panels *panels, struct id id)
{
	struct map_node *node = map_find(&panels->by_id, id_view(&id));

	return node ? container_of(node, struct panel, by_id) : NULL;
}

static bool is_unused(const struct panel *panel)
{
	return panel->holders == 0 && panel->seen_us == 0;
}

/* Destroys a panel that is not used, if it finds one. */
static bool destroy_unused(struct panels *panels, struct account_share *share)
{
	struct list *list = share ? &share->by_use : &panels->by_use;

	for (unsigned i = 0; i < TRIED_MAX && !list_is_empty(list); i++) {
		struct panel *panel =
		    share ? container_of(list->next, struct panel, of_share) : panel_of(list->next);

		if (is_unused(panel)) {
			panel_destroy(panel);
			return true;
		}
		panel_touch(panel);
	}
	return false;
}

static void make_room(struct panels *panels)
{
	struct account_share *largest = panels->shares->largest;

	if (panels->by_id.count < panels->max || (largest && destroy_unused(panels, largest)))
		return;
	destroy_unused(panels, NULL);
}

void panel_make_room(struct panel *panel)
{
	if (pictures_are_full(panel->panels->pictures, panel->share))
		destroy_unused(panel->panels, panel->share);
}

struct panel *panels_create(struct panels *panels, struct id id)
{
	struct panel *panel;

	make_room(panels);
	panel = memory_zalloc(sizeof(*panel));
	panel->panels = panels;
	panel->id = id;
	panel->changes = change_counter_of(panels->changes, id);
	list_init(&panel->connections);
	list_init(&panel->lookups);
	list_init(&panel->aliases);
	list_init(&panel->by_use);
	panel->share = account_share_join(panels->shares, (struct id){0}, &panel->of_share);
	list_init(&panel->to_load);
	deadline_init(&panel->look, NULL);
	map_insert(&panels->by_id, &panel->by_id, id_view(&panel->id));
	db_hint_hold(panels->db, id);
	panel_touch(panel);
	return panel;
}

void panels_expire(struct panels *panels)
{
	uint64_t now_ms = loop_now_ms(panels->loop);

	/* A panel that is in use moves to the end, which the loop does not reach again. */
	while (!list_is_empty(&panels->by_use)) {
		struct panel *panel = panel_of(panels->by_use.next);

		if (now_ms - panel->used_ms < panels->unused_ms)
			return;
		if (is_unused(panel))
			panel_destroy(panel);
		else
			panel_touch(panel);
	}
}

void panel_destroy(struct panel *panel)
{
	struct panels *panels = panel->panels;

	require(panel->state != PANEL_GONE);
	panel->state = PANEL_GONE;
	/* Do this first, so that no look-up finds the panel while on_gone() answers others. */
	map_remove(&panels->by_id, &panel->by_id);
	db_hint_release(panels->db, panel->id);
	list_remove(&panel->by_use);
	panel_hold(panel);
	panels->on_gone(panels->context, panel);
	panel_finish_content(panels, &panel->content);
	account_share_leave(panel->share, &panel->of_share);
	panel_let_go(panel);
}

void panel_set_account(struct panel *panel, struct id account_id)
{
	account_share_leave(panel->share, &panel->of_share);
	account_share_let_go(panel->share);
	panel->share = account_share_join(panel->panels->shares, account_id, &panel->of_share);
}

void panel_hold(struct panel *panel)
{
	panel->holders++;
}

void panel_let_go(struct panel *panel)
{
	require(panel->holders > 0);
	if (--panel->holders || panel->state != PANEL_GONE)
		return;
	account_share_let_go(panel->share);
	free(panel->polled);
	free(panel->ways);
	free(panel->order);
	free(panel->lead);
	free(panel);
}

void panel_touch(struct panel *panel)
{
	if (panel->state == PANEL_GONE)
		return;
	panel->used_ms = loop_now_ms(panel->panels->loop);
	list_remove(&panel->by_use);
	list_append(&panel->panels->by_use, &panel->by_use);
	list_remove(&panel->of_share);
	list_append(&panel->share->by_use, &panel->of_share);
}

static bool is_hash(const uint8_t one[static KEY_HASH_BYTES],
		    const uint8_t other[static KEY_HASH_BYTES])
{
	return sodium_memcmp(one, other, KEY_HASH_BYTES) == 0;
}

static bool has_alias_key(const struct panel_ways *ways, const struct panel_way *way)
{
	return ways->has_alias_key && is_hash(ways->alias_key_hash, way->key_hash);
}

static bool has_alias(const struct panel_ways *ways, const struct panel_way *way)
{
	return ways && ways->has_alias &&
	       sodium_memcmp(ways->alias_hash, way->alias_hash, ALIAS_HASH_BYTES) == 0 &&
	       (ways->is_alias_open || has_alias_key(ways, way));
}

bool panel_may_be_led(const struct panel *panel, const struct panel_way *way)
{
	const struct panel_ways *ways = panel->ways;

	return !way->is_alias || way->is_near || !ways || !ways->is_alias_guessable ||
	       has_alias_key(ways, way);
}

bool panel_has_second_key(const struct panel *panel, const struct panel_way *way)
{
	return panel->state == PANEL_READY && !way->is_alias && panel->ways &&
	       panel->ways->has_second_key && is_hash(panel->ways->second_key_hash, way->key_hash);
}

bool panel_is_open(const struct panel *panel, const struct panel_way *way)
{
	if (panel->state != PANEL_READY)
		return false;
	if (way->is_alias)
		return has_alias(panel->ways, way);
	return is_hash(panel->link_key_hash, way->key_hash) || panel_has_second_key(panel, way);
}

void panel_drop_old_order(struct panel *panel)
{
	struct panel_way way = {0};

	if (!panel->order || !panel->order->key[0])
		return;
	key_hash(str_from(panel->order->key), way.key_hash);
	if (panel_has_second_key(panel, &way))
		return;
	free(panel->order);
	panel->order = NULL;
}

void panel_seen(struct panel *panel)
{
	panel->seen_us = clock_wall_us();
}

struct content_installation panel_new_installation(struct str id, int64_t position)
{
	char *copy = memory_alloc(id.length + 1);

	memcpy(copy, id.data, id.length);
	copy[id.length] = '\0';
	return (struct content_installation){
	    .id = {copy, id.length}, .position = position, .color_filter = COLOR_FILTER_INHERIT};
}

void panel_finish_content(struct panels *panels, struct content *content)
{
	for (unsigned i = 0; i < content->installation_count; i++) {
		free((char *)content->installations[i].id.data);
		pictures_release(panels->pictures, &content->installations[i].picture);
	}
	free(content->installations);
	free((struct plan *)content->settings.plan);
	pictures_release(panels->pictures, &content->push.picture);
	*content = (struct content){0};
}

bool panel_is_loading(const struct panel *panel)
{
	return panel->load || list_is_linked(&panel->to_load);
}

void panel_recall_push(struct panel *panel)
{
	struct content_push *push = &panel->content.push;

	if (push->generation && push->displayed_us == 0)
		push->displayed_us =
		    cursor_shown_us(panel->panels->cursors, panel->id, push->generation);
}

struct panel *panel_of_item(struct panel *panel, const struct playback_item *item,
			    struct playback_item *ret_item)
{
	const struct content_push *push = &panel->content.push;
	const struct content_installation *installation;

	*ret_item = *item;
	if (!panel->following)
		return panel;
	ret_item->generation &= CONTENT_GENERATION_MAX;
	if (item->kind != PLAYBACK_PUSH || item->generation > CONTENT_GENERATION_MAX)
		return panel->following->leader;
	installation =
	    push->is_installation ? content_at(&panel->content, push->installation_position) : NULL;
	if (installation) {
		ret_item->position = installation->position;
		ret_item->picture_generation = installation->picture_generation;
	}
	return panel;
}

const struct picture *panel_picture_source(const struct panel *panel,
					   const struct playback_item *item)
{
	const struct content_installation *installation;

	switch (item->kind) {
	case PLAYBACK_INSTALLATION:
		installation = content_at(&panel->content, item->position);
		return installation ? &installation->picture : NULL;
	case PLAYBACK_PUSH:
		return content_push_picture(&panel->content);
	default:
		return NULL;
	}
}

struct str panel_picture(struct panel *panel, const struct playback_item *item)
{
	struct playback_item there;
	const struct picture *picture =
	    panel_picture_source(panel_of_item(panel, item, &there), &there);

	if (item->kind == PLAYBACK_BUILT_IN)
		return pictures_nothing_to_show((enum panel_size)item->look.size);
	return picture ? picture_with_look(picture, item->look) : (struct str){0};
}

static bool panel_picture_hash_there(const struct panel *panel, const struct playback_item *item,
				     uint8_t ret_hash[static PICTURE_HASH_BYTES])
{
	const struct content_installation *installation =
	    content_at(&panel->content, item->position);

	if (item->kind == PLAYBACK_BUILT_IN) {
		picture_hash(picture_nothing_to_show, ret_hash);
		return true;
	}
	if (installation)
		return installation->picture_generation == item->picture_generation &&
		       pictures_hash(&installation->picture, ret_hash);
	return item->kind == PLAYBACK_PUSH && item->position == -1 &&
	       panel->content.push.generation == item->generation &&
	       pictures_hash(&panel->content.push.picture, ret_hash);
}

bool panel_picture_hash(struct panel *panel, const struct playback_item *item,
			uint8_t ret_hash[static PICTURE_HASH_BYTES])
{
	struct playback_item there;
	const struct panel *of = panel_of_item(panel, item, &there);

	return panel_picture_hash_there(of, &there, ret_hash);
}

void panel_drop_old_push(struct panel *panel)
{
	if (!content_push_is_due(&panel->content, clock_wall_us()))
		pictures_release(panel->panels->pictures, &panel->content.push.picture);
}

void panel_release_picture(struct panel *follower, const struct playback_item *item)
{
	struct playback_item there;
	struct panel *panel = panel_of_item(follower, item, &there);
	struct content_installation *installation = content_at(&panel->content, there.position);
	struct pictures *pictures = panel->panels->pictures;

	panel_drop_old_push(panel);
	if (!pictures_are_full(pictures, panel->share))
		return;
	if (installation)
		pictures_release(pictures, &installation->picture);
	else if (item->kind == PLAYBACK_PUSH)
		pictures_release(pictures, &panel->content.push.picture);
}
