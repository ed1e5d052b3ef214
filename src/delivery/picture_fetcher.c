#include "picture_fetcher.h"
#include "db/statements.h"

#include <stdlib.h>

struct picture_fetch {
	struct picture_fetcher *fetcher;
	struct panel *panel;
	struct arena arena;
	struct db_query query;
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

static void on_picture(struct db_query *query, const struct db_result *result)
{
	struct picture_fetch *fetch = container_of(query, struct picture_fetch, query);
	struct panel *panel = fetch->panel;
	bool has_come =
	    panel->state == PANEL_READY && result->outcome == DB_OK && result->row_count > 0;

	if (has_come)
		take_picture(fetch, result);
	panel->fetch = NULL;
	fetch->fetcher->on_fetched(fetch->fetcher->context, panel, has_come);
	panel_let_go(panel);
	arena_finish(&fetch->arena);
	free(fetch);
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

void panel_fetch_picture(struct picture_fetcher *fetcher, struct panel *panel,
			 const struct playback_item *item)
{
	const struct content_installation *installation =
	    content_at(&panel->content, item->position);
	struct picture_fetch *fetch;

	if (panel->fetch || (item->position != -1 && !installation) || !db_is_up(fetcher->db))
		return;
	fetch = panel->fetch = memory_zalloc(sizeof(*fetch));
	panel_hold(panel);
	fetch->fetcher = fetcher;
	fetch->panel = panel;
	fetch->item = *item;
	db_query_init(&fetch->query, &fetch->arena);
	if (installation)
		ask_for_installation(fetch, installation->id);
	else
		ask_for_push(fetch);
	fetch->query.done = on_picture;
	db_submit(fetcher->db, &fetch->query);
}
