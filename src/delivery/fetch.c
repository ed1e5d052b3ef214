#include "delivery_private.h"

#include <endian.h>
#include <stdlib.h>

struct panel_fetch {
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
	installation->picture = picture_share(
	    panel->delivery, (struct str){(const char *)picture.data, picture.length});
	installation->picture_generation = read_int8(&generation);
}

static void on_picture(struct db_query *query, const struct db_result *result)
{
	struct panel_fetch *fetch = container_of(query, struct panel_fetch, query);
	struct panel *panel = fetch->panel;
	bool has_come =
	    panel->state == PANEL_READY && result->outcome == DB_OK && result->row_count > 0;

	if (has_come)
		take_picture(panel, fetch->position, result);
	panel->fetch = NULL;
	arena_finish(&fetch->arena);
	free(fetch);
	/* Where it failed, sessions try again at their next deadline. */
	if (has_come)
		panel_changed(panel);
	panel_answer_searches(panel);
	panel_free_if_gone(panel);
}

void panel_fetch_picture(struct panel *panel, int64_t position)
{
	const struct content_installation *installation = content_at(&panel->content, position);
	struct panel_fetch *fetch;

	if (panel->fetch || !installation || !db_is_up(panel->delivery->db))
		return;
	fetch = panel->fetch = memory_zalloc(sizeof(*fetch));
	fetch->panel = panel;
	fetch->position = position;
	db_parameters_init(&fetch->query.parameters, &fetch->arena);
	db_add_id(&fetch->query.parameters, panel->id);
	db_add_text(&fetch->query.parameters, arena_copy(&fetch->arena, installation->id));
	fetch->query.statement = STATEMENT_PANEL_PICTURE;
	fetch->query.done = on_picture;
	db_submit(panel->delivery->db, &fetch->query);
}

void panel_release_picture(struct panel *panel, int64_t position)
{
	struct content_installation *installation = content_at(&panel->content, position);

	if (!installation || panel->delivery->picture_bytes < panel->delivery->limits.picture_bytes)
		return;
	picture_release(panel->delivery, &installation->picture);
}
