/* Places of apps that are being imported: what they hold, and whether something is under way. */
#include "state.h"

void place_finish(struct app_place *place)
{
	memory_files_finish(&place->files);
	if (place->is_used && place->at < place->fetch->count) {
		buffer_finish(&place->fetch->apps[place->at].script);
		buffer_finish(&place->fetch->apps[place->at].picture);
	}
	buffer_finish(&place->body);
	arena_finish(&place->query_arena);
	place->bytes = 0;
	place->is_used = false;
}

bool places_are_at_work(const struct source_fetch *fetch)
{
	for (int i = 0; i < IMPORTS_AT_ONCE; i++) {
		const struct app_place *place = &fetch->places[i];

		if (place->is_in_lane || place->is_asking || place->post.is_open)
			return true;
	}
	return false;
}

void places_stop(struct source_fetch *fetch)
{
	for (int i = 0; i < IMPORTS_AT_ONCE; i++)
		deadline_clear(fetch->collections->settings.loop, &fetch->places[i].again);
}

void places_finish(struct source_fetch *fetch)
{
	for (int i = 0; i < IMPORTS_AT_ONCE; i++)
		place_finish(&fetch->places[i]);
}
