#include "render_keys.h"
#include "base/hex.h"
#include "base/require.h"
#include "db/statements.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 64,
	/* Entries that are searched for the bytes of a picture, before the database is queried. */
	ASKED_MAX = 8,
};

struct render_key_read {
	struct render_keys *render_keys;
	struct arena arena;
	struct db_query query;
	uint8_t keys[BATCH][RENDER_KEY_BYTES];
	struct str texts[BATCH]; /* render keys in hexadecimal */
	int64_t known[BATCH];
	unsigned count;
};

static struct str key_view(const uint8_t key[static RENDER_KEY_BYTES])
{
	return (struct str){(const char *)key, RENDER_KEY_BYTES};
}

static struct render_key *find(const struct render_keys *render_keys, struct str key)
{
	struct map_node *node = map_find(&render_keys->by_key, key);

	return node ? container_of(node, struct render_key, by_key) : NULL;
}

static struct render_key *get(struct render_keys *render_keys, struct str key)
{
	struct render_key *render_key = find(render_keys, key);

	if (render_key)
		return render_key;
	render_key = memory_zalloc(sizeof(*render_key));
	render_key->render_keys = render_keys;
	list_init(&render_key->entries);
	list_init(&render_key->to_read);
	list_init(&render_key->to_compare);
	memcpy(render_key->key, key.data, RENDER_KEY_BYTES);
	map_insert(&render_keys->by_key, &render_key->by_key, key_view(render_key->key));
	return render_key;
}

static void read_later(struct render_key *render_key)
{
	struct render_keys *render_keys = render_key->render_keys;

	if (render_keys->is_draining)
		return;
	if (!list_is_linked(&render_key->to_read))
		list_append(&render_keys->to_read, &render_key->to_read);
	if (!render_keys->is_reading)
		loop_later(render_keys->loop, &render_keys->read);
}

/* ---- entries ---- */

static struct content_installation *installation_of(const struct app_entry *entry)
{
	return content_at(&entry->panel->content, entry->position);
}

/* The same picture in the memory of another panel; NULL data: not found. */
static struct str bytes_elsewhere(const struct render_key *render_key, int64_t picture_generation)
{
	unsigned asked = 0;

	list_for_each (node, &render_key->entries) {
		const struct content_installation *installation =
		    installation_of(container_of(node, struct app_entry, of_render_key));

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
	struct pictures *pictures; /* owner of kept */
	struct picture kept;
	struct picture refused; /* picture without bytes for panels of that account, which had no
				   room for it */
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
static bool is_for_another(const struct render_key *render_key, const struct app_entry *entry,
			   const struct content_installation *installation, int64_t moment_s)
{
	return render_key->is_each_turn && !installation->is_empty &&
	       installation->picture.data.data && !list_is_empty(&entry->panel->connections) &&
	       entry->demanded_s > 0 && entry->demanded_s != moment_s;
}

/* Returns true if the panel sees a difference. */
static bool refresh(const struct render_key *render_key, struct app_entry *entry, int64_t moment_s,
		    struct spreading *spreading)
{
	struct content_installation *installation = installation_of(entry);
	bool was_empty;

	if (!installation || (!render_key->has_nothing && render_key->picture_generation == 0))
		return false; /* its picture stays */
	if (is_for_another(render_key, entry, installation, moment_s))
		return false;
	entry->made_s = moment_s;
	was_empty = installation->is_empty;
	installation->is_empty = render_key->has_nothing;
	if (render_key->has_nothing)
		return !was_empty;
	installation->is_whole = render_key->is_whole;
	installation->may_be_early = !render_key->is_each_turn;
	if (installation->picture_generation == render_key->picture_generation &&
	    (installation->picture.data.data || !spreading->webp.data))
		return was_empty;
	give_picture(spreading, entry->panel, installation, render_key->picture_generation);
	return true;
}

static void leave(struct app_entry *entry)
{
	struct render_key *render_key = entry->render_key;

	list_remove(&entry->of_render_key);
	if (!list_is_empty(&render_key->entries))
		return;
	map_remove(&render_key->render_keys->by_key, &render_key->by_key);
	list_remove(&render_key->to_read);
	list_remove(&render_key->to_compare);
	free(render_key);
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

/* ---- state of a render key ---- */

static void set_due(struct render_key *render_key, struct id version_id, int64_t generation,
		    int64_t due_in_ms)
{
	render_key->due_ms = loop_now_ms(render_key->render_keys->loop) + (uint64_t)due_in_ms;
	if (!id_equal(version_id, render_key->version_id) || generation > render_key->generation)
		render_key->ask_ms = 0;
	render_key->version_id = version_id;
}

/* Whether a row with these generations is not older than what is known. */
static bool is_news(const struct render_key *render_key, int64_t app_generation, int64_t generation)
{
	if (app_generation != render_key->app_generation)
		return app_generation > render_key->app_generation;
	return generation >= render_key->generation;
}

/* Learns from a load, except its picture, which may be that of the previous render key. */
static void learn(struct render_key *render_key, const struct panel_installations_row *row)
{
	if (!is_news(render_key, row->app_generation, row->render_generation))
		return;
	set_due(render_key, row->version_id, row->render_generation, row->due_in_ms);
	render_key->app_id = row->app_id;
	render_key->is_each_turn = row->is_each_turn;
	render_key->app_generation = row->app_generation;
	/* An unknown render has brought a picture that the other panels lack, too. */
	if (row->render_generation > render_key->generation && !list_is_empty(&render_key->entries))
		read_later(render_key);
	else
		render_key->generation = row->render_generation;
}

static struct picture *kept_picture(struct content *kept, int64_t position, int64_t *ret_generation)
{
	struct content_installation *old = content_at(kept, position);

	if (!old || old->is_empty || old->picture_generation == 0)
		return NULL;
	*ret_generation = old->picture_generation;
	return &old->picture;
}

/* The picture of a new entry: one in memory, or none yet. */
static void fill(struct render_key *render_key, struct panel *panel,
		 const struct panel_installations_row *row, struct content *kept)
{
	struct content_installation *installation = content_at(&panel->content, row->position);
	int64_t generation = row->picture_generation;
	int64_t old_generation = 0;
	struct picture *old = kept_picture(kept, row->position, &old_generation);

	installation->is_whole = row->is_whole;
	installation->may_be_early = !render_key->is_each_turn;
	installation->is_empty = row->has_nothing || (generation == 0 && !old);
	if (installation->is_empty)
		return;
	if (old && (generation == 0 || generation == old_generation)) {
		installation->picture = *old;
		*old = (struct picture){0};
		installation->picture_generation = old_generation;
	} else {
		set_picture(panel, installation, generation,
			    bytes_elsewhere(render_key, generation));
	}
	if (!installation->picture.data.data) {
		render_key->lacks_bytes = true;
		read_later(render_key);
	}
}

/* Entries that existed before keep the times of their demands. */
static void keep_moments(struct app_entry *entry, const struct app_entry *old, unsigned old_count)
{
	for (unsigned i = 0; i < old_count; i++) {
		if (old[i].position != entry->position || old[i].render_key != entry->render_key)
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
		app_count += rows[i].render_key.length == RENDER_KEY_BYTES;
	panel->apps = app_count ? memory_zalloc(app_count * sizeof(panel->apps[0])) : NULL;
	panel->app_count = 0;
	for (unsigned i = 0; i < count; i++) {
		struct app_entry *entry;

		if (rows[i].render_key.length != RENDER_KEY_BYTES)
			continue;
		entry = &panel->apps[panel->app_count++];
		entry->render_key = get(panel->panels->render_keys, rows[i].render_key);
		entry->panel = panel;
		entry->position = rows[i].position;
		list_init(&entry->of_render_key);
		keep_moments(entry, old, old_count);
		learn(entry->render_key, &rows[i]);
		fill(entry->render_key, panel, &rows[i], kept);
		list_append(&entry->render_key->entries, &entry->of_render_key);
	}
	finish_entries(old, old_count);
}

/* ---- reading ---- */

static bool is_known(const struct render_key *render_key, const struct render_keys_row *row)
{
	return row->app_generation == render_key->app_generation &&
	       row->render_generation == render_key->generation &&
	       row->picture_generation == render_key->picture_generation &&
	       row->has_nothing == render_key->has_nothing &&
	       row->is_whole == render_key->is_whole &&
	       id_equal(row->version_id, render_key->version_id) && !render_key->lacks_bytes;
}

static bool take_row(struct render_key *render_key, const struct render_keys_row *row)
{
	bool is_new_version;

	if (!is_news(render_key, row->app_generation, row->render_generation))
		return false;
	is_new_version = !id_equal(render_key->version_id, row->version_id);
	set_due(render_key, row->version_id, row->render_generation, row->due_in_ms);
	render_key->app_id = row->app_id;
	render_key->app_generation = row->app_generation;
	render_key->generation = row->render_generation;
	render_key->has_nothing = row->has_nothing;
	render_key->is_whole = row->is_whole;
	render_key->is_each_turn = row->is_each_turn;
	render_key->picture_generation = row->picture_generation;
	return is_new_version;
}

static void spread(struct render_key *render_key, const struct render_keys_row *row)
{
	struct render_keys *render_keys = render_key->render_keys;
	bool was_known = is_known(render_key, row);
	bool is_new_version = take_row(render_key, row);
	struct spreading spreading = {.webp = row->picture};

	if (was_known && !render_key->is_each_turn)
		return; /* perhaps it is due at another time */
	render_key->lacks_bytes = false;
	if (!spreading.webp.data)
		spreading.webp = bytes_elsewhere(render_key, render_key->picture_generation);
	list_for_each (node, &render_key->entries) {
		struct app_entry *entry = container_of(node, struct app_entry, of_render_key);

		if (refresh(render_key, entry, row->moment_s, &spreading) || is_new_version)
			render_keys->on_changed(render_keys->context, entry->panel);
	}
	pictures_release(spreading.pictures, &spreading.kept);
}

static void on_rows(struct db_query *query, const struct db_result *result)
{
	struct render_key_read *read = container_of(query, struct render_key_read, query);
	struct render_keys *render_keys = read->render_keys;
	struct render_keys_row *rows;

	render_keys->is_reading = false;
	if (result->outcome == DB_OK) {
		rows = db_read_rows(result, query->record, &read->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			struct render_key *render_key;

			require(rows[i].number >= 1 && rows[i].number <= read->count);
			render_key = find(render_keys, key_view(read->keys[rows[i].number - 1]));
			if (render_key)
				spread(render_key, &rows[i]);
		}
	} else {
		render_keys->has_missed = true;
	}
	arena_finish(&read->arena);
	free(read);
	if (!list_is_empty(&render_keys->to_read))
		loop_later(render_keys->loop, &render_keys->read);
}

struct str render_key_text(const struct render_key *render_key, struct arena *arena)
{
	char *text = arena_alloc(arena, 2 * RENDER_KEY_BYTES + 1);

	hex_encode(render_key->key, RENDER_KEY_BYTES, text);
	return (struct str){text, 2 * RENDER_KEY_BYTES};
}

static void add(struct render_key_read *read, const struct render_key *render_key)
{
	memcpy(read->keys[read->count], render_key->key, RENDER_KEY_BYTES);
	read->texts[read->count] = render_key_text(render_key, &read->arena);
	read->known[read->count++] = render_key->lacks_bytes ? 0 : render_key->picture_generation;
}

static void on_read(struct later *later)
{
	struct render_keys *render_keys = container_of(later, struct render_keys, read);
	struct render_key_read *read;
	struct list *node;

	if (render_keys->is_reading || render_keys->is_draining ||
	    list_is_empty(&render_keys->to_read))
		return;
	read = memory_zalloc(sizeof(*read));
	read->render_keys = render_keys;
	while (read->count < BATCH && (node = list_take_first(&render_keys->to_read)))
		add(read, container_of(node, struct render_key, to_read));
	render_keys->is_reading = true;
	db_query_init(&read->query, &read->arena);
	statement_render_keys(&read->query,
			      &(struct render_keys_parameters){
				  .render_keys = {read->texts, read->count},
				  .known_generations = {read->known, read->count},
			      },
			      NULL);
	read->query.done = on_rows;
	db_submit(render_keys->db, &read->query);
}

void render_keys_changed(struct render_keys *render_keys,
			 const uint8_t key[static RENDER_KEY_BYTES], int64_t generation)
{
	struct render_key *render_key = find(render_keys, key_view(key));

	if (render_key && generation > render_key->generation)
		read_later(render_key);
}

void render_keys_read(struct render_keys *render_keys, const uint8_t key[static RENDER_KEY_BYTES])
{
	struct render_key *render_key = find(render_keys, key_view(key));

	if (render_key)
		read_later(render_key);
}

void render_keys_app_changed(struct render_keys *render_keys, struct id app_id, int64_t generation)
{
	struct map_node *node = NULL;

	while ((node = map_next(&render_keys->by_key, node))) {
		struct render_key *render_key = container_of(node, struct render_key, by_key);

		if (id_equal(render_key->app_id, app_id) && generation > render_key->app_generation)
			read_later(render_key);
	}
}

void render_keys_put_off(struct render_keys *render_keys,
			 const uint8_t key[static RENDER_KEY_BYTES], uint64_t for_ms)
{
	struct render_key *render_key = find(render_keys, key_view(key));
	uint64_t until_ms = loop_now_ms(render_keys->loop) + for_ms;

	if (render_key && render_key->ask_ms < until_ms)
		render_key->ask_ms = until_ms;
}

void render_keys_init(struct render_keys *render_keys)
{
	list_init(&render_keys->to_read);
	loop_later_init(&render_keys->read, on_read);
}

void render_keys_drain(struct render_keys *render_keys)
{
	render_keys->is_draining = true;
}

void render_keys_finish(struct render_keys *render_keys)
{
	require(render_keys->by_key.count == 0 && !render_keys->is_reading);
	loop_later_cancel(&render_keys->read);
	map_finish(&render_keys->by_key);
}
