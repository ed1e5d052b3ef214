#include "picture_fetcher.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct picture_fetch {
	struct picture_fetcher *fetcher;
	struct panel *panel;
	struct arena arena;
	struct db_query query;
	int64_t position;
};

static int64_t read_int8(const struct record_value *value)
{
	uint64_t bits;

	memcpy(&bits, value->data, sizeof(bits));
	return (int64_t)be64toh(bits);
}

static void take_picture(struct panel *panel, int64_t position, const struct db_result *result)
{
	struct content_installation *installation = content_at(&panel->content, position);
	struct record_value generation = db_value(result, 0, 0);
	struct record_value picture = db_value(result, 0, 1);

	/* Replaced meanwhile: loading brings the new one. */
	if (!installation || installation->picture.data.data || generation.length != 8)
		return;
	installation->picture = pictures_share(
	    panel->panels->pictures, (struct str){(const char *)picture.data, picture.length});
	installation->picture_generation = read_int8(&generation);
}

static void on_picture(struct db_query *query, const struct db_result *result)
{
	struct picture_fetch *fetch = container_of(query, struct picture_fetch, query);
	struct panel *panel = fetch->panel;
	bool has_come =
	    panel->state == PANEL_READY && result->outcome == DB_OK && result->row_count > 0;

	if (has_come)
		take_picture(panel, fetch->position, result);
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
	db_parameters_init(&fetch->query.parameters, &fetch->arena);
	db_add_id(&fetch->query.parameters, panel->id);
	db_add_text(&fetch->query.parameters, arena_copy(&fetch->arena, installation->id));
	fetch->query.statement = STATEMENT_PANEL_PICTURE;
	fetch->query.done = on_picture;
	db_submit(fetcher->db, &fetch->query);
}
