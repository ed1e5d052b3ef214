#include "app_places.h"
#include "base/hex.h"
#include "base/require.h"
#include "db/statements.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 64,
	/* Entries that are asked for the bytes of a picture, before the database is. */
	ASKED_MAX = 8,
};

struct app_place_read {
	struct app_places *places;
	struct arena arena;
	struct db_query query;
	uint8_t keys[BATCH][PLACE_BYTES];
	struct str texts[BATCH]; /* of the keys, hexadecimal */
	int64_t known[BATCH];
	unsigned count;
};

static struct str key_view(const uint8_t key[static PLACE_BYTES])
{
	return (struct str){(const char *)key, PLACE_BYTES};
}

static struct app_place *find(const struct app_places *places, struct str key)
{
	struct map_node *node = map_find(&places->by_key, key);

	return node ? container_of(node, struct app_place, by_key) : NULL;
}

static struct app_place *get(struct app_places *places, struct str key)
{
	struct app_place *place = find(places, key);

	if (place)
		return place;
	place = memory_zalloc(sizeof(*place));
	place->places = places;
	list_init(&place->entries);
	list_init(&place->to_read);
	list_init(&place->to_compare);
	memcpy(place->key, key.data, PLACE_BYTES);
	map_insert(&places->by_key, &place->by_key, key_view(place->key));
	return place;
}

static void read_later(struct app_place *place)
{
	struct app_places *places = place->places;

	if (places->is_draining)
		return;
	if (!list_is_linked(&place->to_read))
		list_append(&places->to_read, &place->to_read);
	if (!places->is_reading)
		loop_later(places->loop, &places->read);
}

/* ---- entries ---- */

static struct content_installation *installation_of(const struct app_entry *entry)
{
	return content_at(&entry->panel->content, entry->position);
}

/* The same picture in the memory of another panel; NULL data: not found. */
static struct str bytes_elsewhere(const struct app_place *place, int64_t picture_generation)
{
	unsigned asked = 0;

	list_for_each (node, &place->entries) {
		const struct content_installation *installation =
		    installation_of(container_of(node, struct app_entry, of_place));

		if (installation && installation->picture_generation == picture_generation &&
		    installation->picture.data.data)
			return installation->picture.data;
		if (++asked == ASKED_MAX)
			break;
	}
	return (struct str){0};
}

/* Gives the installation this picture, whose bytes are in memory or not. */
static void set_picture(struct panel *panel, struct content_installation *installation,
			int64_t picture_generation, struct str webp)
{
	struct pictures *pictures = panel->panels->pictures;

	pictures_release(pictures, &installation->picture);
	installation->picture =
	    webp.data ? pictures_keep(pictures, panel->share, webp) : (struct picture){0};
	installation->picture_generation = picture_generation;
}

/* Picture on its way to the panels of a render key: for many panels it is kept once, and then
 * passed on. */
struct spreading {
	struct str webp;
	struct pictures *pictures; /* of kept */
	struct picture kept;
	struct picture refused; /* what panels of that account have, which had no room for it */
	const struct account_share *refused_share;
};

static void give_picture(struct spreading *spreading, struct panel *panel,
			 struct content_installation *installation, int64_t picture_generation)
{
	struct pictures *pictures = panel->panels->pictures;

	if (spreading->webp.data && spreading->refused_share == panel->share) {
		set_picture(panel, installation, picture_generation, (struct str){0});
		installation->picture = spreading->refused;
		return;
	}
	set_picture(panel, installation, picture_generation, spreading->webp);
	if (!spreading->webp.data || spreading->kept.data.data)
		return;
	if (installation->picture.data.data) {
		spreading->kept =
		    pictures_share(pictures, panel->share, installation->picture.data);
		spreading->webp = spreading->kept.data;
		spreading->pictures = pictures;
		spreading->refused_share = NULL;
	} else {
		spreading->refused = installation->picture;
		spreading->refused_share = panel->share;
	}
}

/* If each turn has a picture of its own, a panel connected here takes only pictures made for its
 * own turns. A panel that polls may have demanded the picture at another worker. */
static bool is_for_another(const struct app_place *place, const struct app_entry *entry,
			   const struct content_installation *installation, int64_t moment_s)
{
	return place->is_each_turn && !installation->is_blank && installation->picture.data.data &&
	       !list_is_empty(&entry->panel->links) && entry->demanded_s > 0 &&
	       entry->demanded_s != moment_s;
}

/* True: the panel sees a difference. */
static bool refresh(const struct app_place *place, struct app_entry *entry, int64_t moment_s,
		    struct spreading *spreading)
{
	struct content_installation *installation = installation_of(entry);
	bool was_blank;

	if (!installation || (!place->has_nothing && place->picture_generation == 0))
		return false; /* what it shows stays */
	if (is_for_another(place, entry, installation, moment_s))
		return false;
	entry->made_s = moment_s;
	was_blank = installation->is_blank;
	installation->is_blank = place->has_nothing;
	if (place->has_nothing)
		return !was_blank;
	installation->is_whole = place->is_whole;
	if (installation->picture_generation == place->picture_generation &&
	    (installation->picture.data.data || !spreading->webp.data))
		return was_blank;
	give_picture(spreading, entry->panel, installation, place->picture_generation);
	return true;
}

static void leave(struct app_entry *entry)
{
	struct app_place *place = entry->place;

	list_remove(&entry->of_place);
	if (!list_is_empty(&place->entries))
		return;
	map_remove(&place->places->by_key, &place->by_key);
	list_remove(&place->to_read);
	list_remove(&place->to_compare);
	free(place);
}

static void finish_entries(struct app_entry *entries, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		leave(&entries[i]);
	free(entries);
}

void panel_drop_entries(struct panel *panel)
{
	finish_entries(panel->apps, panel->app_count);
	panel->apps = NULL;
	panel->app_count = 0;
}

/* ---- what is known of a place ---- */

static void set_due(struct app_place *place, struct id version_id, int64_t generation,
		    int64_t due_in_ms)
{
	place->due_ms = loop_now_ms(place->places->loop) + (uint64_t)due_in_ms;
	if (!id_equal(version_id, place->version_id) || generation > place->generation)
		place->ask_ms = 0;
	place->version_id = version_id;
}

/* Whether a row with these generations is not older than what is known. */
static bool is_news(const struct app_place *place, int64_t app_generation, int64_t generation)
{
	if (app_generation != place->app_generation)
		return app_generation > place->app_generation;
	return generation >= place->generation;
}

/* Learns from a load, except its picture, which may be that of the previous render key. */
static void learn(struct app_place *place, const struct panel_installations_row *row)
{
	if (!is_news(place, row->app_generation, row->render_generation))
		return;
	set_due(place, row->version_id, row->render_generation, row->due_in_ms);
	place->app_id = row->app_id;
	place->is_each_turn = row->is_each_turn;
	place->app_generation = row->app_generation;
	/* A render that was not known has brought a picture that the other panels lack, too. */
	if (row->render_generation > place->generation && !list_is_empty(&place->entries))
		read_later(place);
	else
		place->generation = row->render_generation;
}

static struct picture *kept_picture(struct content *kept, int64_t position, int64_t *ret_generation)
{
	struct content_installation *old = content_at(kept, position);

	if (!old || old->is_blank || old->picture_generation == 0)
		return NULL;
	*ret_generation = old->picture_generation;
	return &old->picture;
}

/* The picture of a new entry: one in memory, or none yet. */
static void fill(struct app_place *place, struct panel *panel,
		 const struct panel_installations_row *row, struct content *kept)
{
	struct content_installation *installation = content_at(&panel->content, row->position);
	int64_t generation = row->picture_generation;
	int64_t old_generation = 0;
	struct picture *old = kept_picture(kept, row->position, &old_generation);

	installation->is_whole = row->is_whole;
	installation->is_blank = row->has_nothing || (generation == 0 && !old);
	if (installation->is_blank)
		return;
	if (old && (generation == 0 || generation == old_generation)) {
		installation->picture = *old;
		*old = (struct picture){0};
		installation->picture_generation = old_generation;
	} else {
		set_picture(panel, installation, generation, bytes_elsewhere(place, generation));
	}
	if (!installation->picture.data.data) {
		place->lacks_bytes = true;
		read_later(place);
	}
}

/* An entry that was there before keeps what was demanded for it. */
static void keep_moments(struct app_entry *entry, const struct app_entry *old, unsigned old_count)
{
	for (unsigned i = 0; i < old_count; i++) {
		if (old[i].position != entry->position || old[i].place != entry->place)
			continue;
		entry->made_s = old[i].made_s;
		entry->demanded_s = old[i].demanded_s;
		entry->ask_ms = old[i].ask_ms;
	}
}

void panel_set_entries(struct panel *panel, const struct panel_installations_row *rows,
		       unsigned count, struct content *kept)
{
	struct app_entry *old = panel->apps;
	unsigned old_count = panel->app_count;
	unsigned app_count = 0;

	for (unsigned i = 0; i < count; i++)
		app_count += rows[i].place.length == PLACE_BYTES;
	panel->apps = app_count ? memory_zalloc(app_count * sizeof(panel->apps[0])) : NULL;
	panel->app_count = 0;
	for (unsigned i = 0; i < count; i++) {
		struct app_entry *entry;

		if (rows[i].place.length != PLACE_BYTES)
			continue;
		entry = &panel->apps[panel->app_count++];
		entry->place = get(panel->panels->places, rows[i].place);
		entry->panel = panel;
		entry->position = rows[i].position;
		list_init(&entry->of_place);
		keep_moments(entry, old, old_count);
		learn(entry->place, &rows[i]);
		fill(entry->place, panel, &rows[i], kept);
		list_append(&entry->place->entries, &entry->of_place);
	}
	finish_entries(old, old_count);
}

/* ---- reading ---- */

static bool is_known(const struct app_place *place, const struct app_places_row *row)
{
	return row->app_generation == place->app_generation &&
	       row->render_generation == place->generation &&
	       row->picture_generation == place->picture_generation &&
	       row->has_nothing == place->has_nothing && row->is_whole == place->is_whole &&
	       id_equal(row->version_id, place->version_id) && !place->lacks_bytes;
}

static bool take_row(struct app_place *place, const struct app_places_row *row)
{
	bool is_new_version;

	if (!is_news(place, row->app_generation, row->render_generation))
		return false;
	is_new_version = !id_equal(place->version_id, row->version_id);
	set_due(place, row->version_id, row->render_generation, row->due_in_ms);
	place->app_id = row->app_id;
	place->app_generation = row->app_generation;
	place->generation = row->render_generation;
	place->has_nothing = row->has_nothing;
	place->is_whole = row->is_whole;
	place->is_each_turn = row->is_each_turn;
	place->picture_generation = row->picture_generation;
	return is_new_version;
}

static void spread(struct app_place *place, const struct app_places_row *row)
{
	struct app_places *places = place->places;
	bool was_known = is_known(place, row);
	bool is_new_version = take_row(place, row);
	struct spreading spreading = {.webp = row->picture};

	if (was_known && !place->is_each_turn)
		return; /* perhaps it is due at another time */
	place->lacks_bytes = false;
	if (!spreading.webp.data)
		spreading.webp = bytes_elsewhere(place, place->picture_generation);
	list_for_each (node, &place->entries) {
		struct app_entry *entry = container_of(node, struct app_entry, of_place);

		if (refresh(place, entry, row->moment_s, &spreading) || is_new_version)
			places->on_changed(places->context, entry->panel);
	}
	pictures_release(spreading.pictures, &spreading.kept);
}

static void on_rows(struct db_query *query, const struct db_result *result)
{
	struct app_place_read *read = container_of(query, struct app_place_read, query);
	struct app_places *places = read->places;
	struct app_places_row *rows;

	places->is_reading = false;
	if (result->outcome == DB_OK) {
		rows = db_read_rows(result, query->record, &read->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			struct app_place *place;

			require(rows[i].number >= 1 && rows[i].number <= read->count);
			place = find(places, key_view(read->keys[rows[i].number - 1]));
			if (place)
				spread(place, &rows[i]);
		}
	} else {
		places->has_missed = true;
	}
	arena_finish(&read->arena);
	free(read);
	if (!list_is_empty(&places->to_read))
		loop_later(places->loop, &places->read);
}

struct str app_place_text(const struct app_place *place, struct arena *arena)
{
	char *text = arena_alloc(arena, 2 * PLACE_BYTES + 1);

	hex_encode(place->key, PLACE_BYTES, text);
	return (struct str){text, 2 * PLACE_BYTES};
}

static void add(struct app_place_read *read, const struct app_place *place)
{
	memcpy(read->keys[read->count], place->key, PLACE_BYTES);
	read->texts[read->count] = app_place_text(place, &read->arena);
	read->known[read->count++] = place->lacks_bytes ? 0 : place->picture_generation;
}

static void on_read(struct later *later)
{
	struct app_places *places = container_of(later, struct app_places, read);
	struct app_place_read *read;
	struct list *node;

	if (places->is_reading || places->is_draining || list_is_empty(&places->to_read))
		return;
	read = memory_zalloc(sizeof(*read));
	read->places = places;
	while (read->count < BATCH && (node = list_take_first(&places->to_read)))
		add(read, container_of(node, struct app_place, to_read));
	places->is_reading = true;
	db_query_init(&read->query, &read->arena);
	statement_app_places(&read->query,
			     &(struct app_places_parameters){
				 .places = {read->texts, read->count},
				 .known_generations = {read->known, read->count},
			     },
			     NULL);
	read->query.done = on_rows;
	db_submit(places->db, &read->query);
}

void app_places_changed(struct app_places *places, const uint8_t key[static PLACE_BYTES],
			int64_t generation)
{
	struct app_place *place = find(places, key_view(key));

	if (place && generation > place->generation)
		read_later(place);
}

void app_places_read(struct app_places *places, const uint8_t key[static PLACE_BYTES])
{
	struct app_place *place = find(places, key_view(key));

	if (place)
		read_later(place);
}

void app_places_app_changed(struct app_places *places, struct id app_id, int64_t generation)
{
	struct map_node *node = NULL;

	while ((node = map_next(&places->by_key, node))) {
		struct app_place *place = container_of(node, struct app_place, by_key);

		if (id_equal(place->app_id, app_id) && generation > place->app_generation)
			read_later(place);
	}
}

void app_places_put_off(struct app_places *places, const uint8_t key[static PLACE_BYTES],
			uint64_t for_ms)
{
	struct app_place *place = find(places, key_view(key));
	uint64_t until_ms = loop_now_ms(places->loop) + for_ms;

	if (place && place->ask_ms < until_ms)
		place->ask_ms = until_ms;
}

void app_places_init(struct app_places *places)
{
	list_init(&places->to_read);
	loop_later_init(&places->read, on_read);
}

void app_places_drain(struct app_places *places)
{
	places->is_draining = true;
}

void app_places_finish(struct app_places *places)
{
	require(places->by_key.count == 0 && !places->is_reading);
	loop_later_cancel(&places->read);
	map_finish(&places->by_key);
}
