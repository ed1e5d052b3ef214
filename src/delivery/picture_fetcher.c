#include "picture_fetcher.h"
#include "db/statements.h"

#include <stdlib.h>

struct picture_fetch {
	struct picture_fetcher *fetcher;
	struct panel *panel;
	struct arena arena;
	struct db_query query;
	int64_t position;
};

static void take_picture(struct panel *panel, int64_t position, const struct panel_picture_row *row)
{
	struct content_installation *installation = content_at(&panel->content, position);

	/* The picture was replaced while this one was read: the new one is here, or is fetched when
	 * its turn comes. */
	if (!installation || installation->picture.data.data ||
	    row->picture_generation < installation->picture_generation)
		return;
	installation->picture = pictures_share(panel->panels->pictures, row->picture);
	installation->picture_generation = row->picture_generation;
}

static void on_picture(struct db_query *query, const struct db_result *result)
{
	struct picture_fetch *fetch = container_of(query, struct picture_fetch, query);
	struct panel *panel = fetch->panel;
	bool has_come =
	    panel->state == PANEL_READY && result->outcome == DB_OK && result->row_count > 0;
	struct panel_picture_row row;

	if (has_come) {
		db_read_row(result, 0, query->record, &fetch->arena, &row);
		take_picture(panel, fetch->position, &row);
	}
	panel->fetch = NULL;
	fetch->fetcher->on_fetched(fetch->fetcher->context, panel, has_come);
	panel_let_go(panel);
	arena_finish(&fetch->arena);
	free(fetch);
}

void panel_fetch_picture(struct picture_fetcher *fetcher, struct panel *panel, int64_t position)
{
	const struct content_installation *installation = content_at(&panel->content, position);
	struct picture_fetch *fetch;

	if (panel->fetch || !installation || !db_is_up(fetcher->db))
		return;
	fetch = panel->fetch = memory_zalloc(sizeof(*fetch));
	panel_hold(panel);
	fetch->fetcher = fetcher;
	fetch->panel = panel;
	fetch->position = position;
	db_query_init(&fetch->query, &fetch->arena);
	statement_panel_picture(&fetch->query,
				&(struct panel_picture_parameters){
				    .device_id = panel->id,
				    .id = arena_copy(&fetch->arena, installation->id),
				},
				NULL);
	fetch->query.done = on_picture;
	db_submit(fetcher->db, &fetch->query);
}
