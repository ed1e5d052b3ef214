#include "picture_fetcher.h"
#include "db/statements.h"

#include <stdlib.h>

struct picture_fetch {
	struct picture_fetcher *fetcher;
	struct panel *panel;
	struct arena arena;
	struct db_query query;
	struct look_waiter waiter; /* instead of the query, if the picture lacks its look only */
	struct playback_item item; /* an installation, or a temporary image, whose position is -1 */
};

static void take_installation(struct picture_fetch *fetch, const struct panel_picture_row *row)
{
	struct panel *panel = fetch->panel;
	struct content_installation *installation =
	    content_at(&panel->content, fetch->item.position);

	/* The picture was replaced while this one was read: the new one is in memory, or is fetched
	 * at its turn. */
	if (!installation || installation->picture.data.data ||
	    row->picture_generation < installation->picture_generation)
		return;
	installation->picture = pictures_share(panel->panels->pictures, panel->share, row->picture);
	installation->picture_generation = row->picture_generation;
}

static void take_push(struct picture_fetch *fetch, const struct panel_push_picture_row *row)
{
	struct panel *panel = fetch->panel;
	struct content_push *push = &panel->content.push;

	if (push->generation == fetch->item.generation && !push->picture.data.data)
		push->picture = pictures_share(panel->panels->pictures, panel->share, row->picture);
}

static void take_picture(struct picture_fetch *fetch, const struct db_result *result)
{
	const struct record *record = fetch->query.record;
	struct panel_push_picture_row push;
	struct panel_picture_row row;

	if (fetch->item.position == -1) {
		db_read_row(result, 0, record, &fetch->arena, &push);
		take_push(fetch, &push);
	} else {
		db_read_row(result, 0, record, &fetch->arena, &row);
		take_installation(fetch, &row);
	}
}

static void picture_fetch_finish(struct picture_fetch *fetch, bool has_come)
{
	struct panel *panel = fetch->panel;

	panel->fetch = NULL;
	fetch->fetcher->on_fetched(fetch->fetcher->context, panel, has_come);
	panel_let_go(panel);
	arena_finish(&fetch->arena);
	free(fetch);
}

static void on_made(struct look_waiter *waiter)
{
	struct picture_fetch *fetch = container_of(waiter, struct picture_fetch, waiter);

	picture_fetch_finish(fetch, fetch->panel->state == PANEL_READY);
}

static void on_picture(struct db_query *query, const struct db_result *result)
{
	struct picture_fetch *fetch = container_of(query, struct picture_fetch, query);
	struct panel *panel = fetch->panel;
	bool has_come =
	    panel->state == PANEL_READY && result->outcome == DB_OK && result->row_count > 0;

	if (has_come)
		take_picture(fetch, result);
	picture_fetch_finish(fetch, has_come);
}

static void ask_for_push(struct picture_fetch *fetch)
{
	statement_panel_push_picture(&fetch->query,
				     &(struct panel_push_picture_parameters){
					 .device_id = fetch->panel->id,
					 .push_generation = fetch->item.generation,
				     },
				     NULL);
}

static void ask_for_installation(struct picture_fetch *fetch, struct str id)
{
	statement_panel_picture(&fetch->query,
				&(struct panel_picture_parameters){
				    .device_id = fetch->panel->id,
				    .id = arena_copy(&fetch->arena, id),
				},
				NULL);
}

static void ask_for_picture(struct picture_fetch *fetch,
			    const struct content_installation *installation)
{
	db_query_init(&fetch->query, &fetch->arena);
	if (installation)
		ask_for_installation(fetch, installation->id);
	else
		ask_for_push(fetch);
	fetch->query.done = on_picture;
	db_submit(fetch->fetcher->db, &fetch->query);
}

/* Returns false if too many pictures are being made. */
static bool make_look(struct picture_fetch *fetch, const struct picture *source)
{
	fetch->waiter.on_made = on_made;
	return looks_make(&fetch->fetcher->looks, source, fetch->item.look,
			  fetch->panel->share->account_id, &fetch->waiter);
}

bool panel_fetch_picture(struct picture_fetcher *fetcher, struct panel *follower,
			 const struct playback_item *wanted)
{
	struct playback_item there;
	const struct playback_item *item = &there;
	struct panel *panel = panel_of_item(follower, wanted, &there);
	const struct content_installation *installation =
	    content_at(&panel->content, item->position);
	const struct picture *source = panel_picture_source(panel, item);
	bool is_read = !source || !source->data.data;
	struct picture_fetch *fetch;

	if (panel->fetch || (item->position != -1 && !installation) ||
	    (is_read && !db_is_up(fetcher->db)))
		return panel->fetch;
	fetch = memory_zalloc(sizeof(*fetch));
	fetch->fetcher = fetcher;
	fetch->panel = panel;
	fetch->item = *item;
	if (!is_read && !make_look(fetch, source)) {
		free(fetch);
		return false;
	}
	panel->fetch = fetch;
	panel_hold(panel);
	if (is_read)
		ask_for_picture(fetch, installation);
	return true;
}
