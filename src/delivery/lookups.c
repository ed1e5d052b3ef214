#include "lookups.h"
#include "base/require.h"
#include "db/statements.h"
#include "domain/device.h"
#include "following.h"
#include "task/key_hashes.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* Key of a look-up, and the device's serial number or MAC address. Devices of several accounts may
 * have the same: the key distinguishes them. */
struct alias_text {
	char bytes[KEY_HASH_BYTES + SERIAL_LENGTH_MAX + 1];
	size_t length;
};

enum alias_kind { ALIAS_SERIAL, ALIAS_MAC, ALIAS_FORMER };

/* A panel has at most one of each kind, and owns them: without the panel, an alias is useless while
 * the database is unavailable. */
struct alias {
	struct map_node node; /* in lookups->aliases */
	struct list of_panel; /* in panel->aliases */
	struct panel *panel;
	struct lookups *lookups;
	enum alias_kind kind;
	struct alias_text text;
};

/* Look-up by serial number or MAC address, while the database looks for the ID. */
struct alias_lookup {
	struct panel_lookup *lookup;
	struct arena arena;
	struct db_query query;
	struct alias_text text;
	enum alias_kind kind;
};

static struct str alias_view(const struct alias_text *text)
{
	return (struct str){text->bytes, text->length};
}

static bool may_connect(const struct panel *panel, const struct panel_lookup *lookup)
{
	return !panel->is_disabled && panel_is_open(panel, &lookup->way);
}

/* Result of the look-up. */
static struct panel *lookups_found(struct panel *panel, struct panel_lookup *lookup)
{
	lookup->is_disabled = panel->is_disabled && panel_is_open(panel, &lookup->way);
	lookup->is_second = panel_has_second_key(panel, &lookup->way);
	return may_connect(panel, lookup) ? panel : NULL;
}

void lookup_wait(struct panel_lookup *lookup, struct panel *panel)
{
	panel_hold(panel);
	list_append(&panel->lookups, &lookup->node);
}

/* Returns true if the panel follows one that is to be loaded: then the look-up waits for that,
 * once.
 */
static bool await_leader(struct panel *panel, struct panel_lookup *lookup)
{
	struct panel *leader = panel->state == PANEL_READY ? panel_leader(panel) : NULL;

	if (!leader || loader_freshen(lookup->lookups->loader, leader, &lookup->load))
		return false;
	panel_hold(panel);
	lookup->follower = panel;
	lookup_wait(lookup, leader);
	return true;
}

static void answer(struct panel *panel, struct panel_lookup *lookup)
{
	struct panel *follower = lookup->follower;

	/* The load has ended: later waits of the look-up are not for one. */
	lookup->load = 0;
	if (!follower && await_leader(panel, lookup))
		return;
	lookup->follower = NULL;
	lookup->is_undecided = (follower ?: panel)->is_unread;
	lookup->done(lookup, lookups_found(follower ?: panel, lookup));
	if (follower)
		panel_let_go(follower);
}

void lookups_answer(struct panel *panel)
{
	struct list lookups;
	struct list *node;

	list_init(&lookups);
	list_move_all(&lookups, &panel->lookups);
	while ((node = list_take_first(&lookups))) {
		struct panel_lookup *lookup = container_of(node, struct panel_lookup, node);

		if (panel->state != PANEL_GONE && lookup->load > panel->loads_done) {
			list_append(&panel->lookups, node);
			continue;
		}
		answer(panel, lookup);
		panel_let_go(panel);
	}
}

/* Returns the panel if it is in memory and current; else NULL, and the look-up waits until the
 * panel was loaded: a caller whose change was answered sees it in the next poll. */
static struct panel *find_by_id(struct panel_lookup *lookup, struct id id)
{
	struct lookups *lookups = lookup->lookups;
	struct panel *panel = panels_find(lookups->panels, id);

	if (!panel)
		panel = panels_create(lookups->panels, id);
	if (!loader_freshen(lookups->loader, panel, &lookup->load)) {
		lookup_wait(lookup, panel);
		return NULL;
	}
	panel_touch(panel);
	return await_leader(panel, lookup) ? NULL : panel;
}

static struct alias *alias_find(const struct lookups *lookups, const struct alias_text *text)
{
	struct map_node *node = map_find(&lookups->aliases, alias_view(text));

	return node ? container_of(node, struct alias, node) : NULL;
}

static void alias_destroy(struct alias *alias)
{
	map_remove(&alias->lookups->aliases, &alias->node);
	list_remove(&alias->of_panel);
	free(alias);
}

void lookups_forget(struct panel *panel)
{
	while (!list_is_empty(&panel->aliases))
		alias_destroy(container_of(panel->aliases.next, struct alias, of_panel));
}

/* Returns the panel's old alias of the same kind. */
static struct alias *alias_before(struct panel *panel, enum alias_kind kind)
{
	list_for_each (node, &panel->aliases) {
		struct alias *alias = container_of(node, struct alias, of_panel);

		if (alias->kind == kind)
			return alias;
	}
	return NULL;
}

static void alias_keep(struct lookups *lookups, const struct alias_text *text, enum alias_kind kind,
		       struct panel *panel)
{
	struct alias *alias = alias_find(lookups, text);
	struct alias *before = alias_before(panel, kind);

	if (alias && alias == before)
		return;
	if (alias)
		alias_destroy(alias); /* it belongs to another device now */
	if (before)
		alias_destroy(before);
	alias = memory_zalloc(sizeof(*alias));
	alias->lookups = lookups;
	alias->panel = panel;
	alias->kind = kind;
	alias->text = *text;
	list_append(&panel->aliases, &alias->of_panel);
	map_insert(&lookups->aliases, &alias->node, alias_view(&alias->text));
}

void lookups_finish(struct lookups *lookups)
{
	require(lookups->aliases.count == 0);
	map_finish(&lookups->aliases);
}

/* Returns the panel for the look-up if it is in memory and complete; else NULL, and the look-up
 * waits or was answered. */
static struct panel *find_by_answer(struct alias_lookup *aliased, const struct db_result *result)
{
	struct panel_lookup *lookup = aliased->lookup;
	struct lookups *lookups = lookup->lookups;
	const struct alias *known = alias_find(lookups, &aliased->text);
	struct device_by_link_row device; /* or the row of device_by_alias, which is alike */
	struct panel *panel;

	/* A stopping worker takes no new panels: the panel tries again, and another worker answers.
	 */
	if (!lookups->is_draining && result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, aliased->query.record, &aliased->arena, &device);
		panel = find_by_id(lookup, device.id);
		alias_keep(lookups, &aliased->text, aliased->kind,
			   panels_find(lookups->panels, device.id));
		return panel;
	}
	if (!lookups->is_draining && result->outcome != DB_OK && known)
		return find_by_id(lookup, known->panel->id);
	lookup->is_undecided = lookups->is_draining || result->outcome != DB_OK;
	lookup->done(lookup, NULL);
	return NULL;
}

static void on_alias(struct db_query *query, const struct db_result *result)
{
	struct alias_lookup *aliased = container_of(query, struct alias_lookup, query);
	struct panel_lookup *lookup = aliased->lookup;
	struct panel *panel = find_by_answer(aliased, result);

	arena_finish(&aliased->arena);
	free(aliased);
	if (panel)
		answer(panel, lookup);
}

static enum alias_kind kind_of(const struct panel_lookup *lookup,
			       const struct device_reference *reference)
{
	if (lookup->way.is_alias)
		return ALIAS_FORMER;
	return reference->kind == DEVICE_REFERENCE_MAC ? ALIAS_MAC : ALIAS_SERIAL;
}

static struct str copy_bytes(struct alias_lookup *aliased, const void *bytes, size_t length)
{
	return arena_copy(&aliased->arena, (struct str){bytes, length});
}

static void ask_by_alias(struct alias_lookup *aliased, const struct device_reference *reference)
{
	const struct panel_lookup *lookup = aliased->lookup;

	statement_device_by_alias(
	    &aliased->query,
	    &(struct device_by_alias_parameters){
		.alias = arena_copy(&aliased->arena, reference->serial),
		.key_hash = copy_bytes(aliased, lookup->way.key_hash, KEY_HASH_BYTES),
	    },
	    NULL);
}

static void ask_by_link(struct alias_lookup *aliased, const struct device_reference *reference)
{
	struct device_by_link_parameters parameters = {
	    .link_key_hash = copy_bytes(aliased, aliased->lookup->way.key_hash, KEY_HASH_BYTES),
	};

	if (aliased->kind == ALIAS_MAC)
		parameters.mac = copy_bytes(aliased, reference->mac, MAC_BYTES);
	else
		parameters.serial = arena_copy(&aliased->arena, reference->serial);
	statement_device_by_link(&aliased->query, &parameters, NULL);
}

static void ask_for_alias(struct panel_lookup *lookup, const struct device_reference *reference,
			  const struct alias_text *text)
{
	struct alias_lookup *aliased = memory_zalloc(sizeof(*aliased));
	struct db_query *query = &aliased->query;

	aliased->lookup = lookup;
	aliased->kind = kind_of(lookup, reference);
	aliased->text = *text;
	db_query_init(query, &aliased->arena);
	if (lookup->way.is_alias)
		ask_by_alias(aliased, reference);
	else
		ask_by_link(aliased, reference);
	query->done = on_alias;
	db_submit(lookup->lookups->db, query);
}

static void append(struct alias_text *text, const void *bytes, size_t length)
{
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

/* Key of a device in lookups->aliases. reference: NULL for a former address. */
static struct alias_text alias_text_of(const struct panel_way *way,
				       const struct device_reference *reference)
{
	struct alias_text text = {0};
	char mac[MAC_TEXT_LENGTH + 1];

	require(way->is_alias || reference);
	append(&text, way->key_hash, KEY_HASH_BYTES);
	if (way->is_alias) {
		append(&text, way->alias_hash, ALIAS_HASH_BYTES);
	} else if (reference->kind == DEVICE_REFERENCE_MAC) {
		mac_format(reference->mac, mac);
		append(&text, mac, MAC_TEXT_LENGTH);
	} else {
		append(&text, reference->serial.data, reference->serial.length);
	}
	return text;
}

static struct panel *find_by_alias(struct panel_lookup *lookup,
				   const struct device_reference *reference)
{
	struct alias_text text = alias_text_of(&lookup->way, reference);
	const struct alias *alias = alias_find(lookup->lookups, &text);

	/* The alias is still right if the panel still has this key. */
	if (alias && may_connect(alias->panel, lookup))
		return find_by_id(lookup, alias->panel->id);
	ask_for_alias(lookup, reference, &text);
	return NULL;
}

bool lookups_find(struct lookups *lookups, struct panel_lookup *lookup,
		  const struct device_reference *reference, struct str key,
		  struct panel **ret_panel)
{
	struct panel *panel;

	list_init(&lookup->node);
	lookup->load = 0;
	lookup->follower = NULL;
	lookup->is_undecided = lookups->is_draining && reference->kind != DEVICE_REFERENCE_NONE;
	lookup->is_disabled = false;
	lookup->lookups = lookups;
	key_hash_again(key, lookup->way.key_hash);
	if (lookup->is_undecided || reference->kind == DEVICE_REFERENCE_NONE) {
		*ret_panel = NULL;
		return true;
	}
	panel = reference->kind == DEVICE_REFERENCE_ID ? find_by_id(lookup, reference->id)
						       : find_by_alias(lookup, reference);
	if (panel)
		*ret_panel = lookups_found(panel, lookup);
	return panel != NULL;
}

bool lookups_know(const struct lookups *lookups, const struct device_reference *reference,
		  struct str key)
{
	const struct panel *panel = NULL;
	struct panel_lookup lookup = {0};

	key_hash_again(key, lookup.way.key_hash);
	if (reference->kind == DEVICE_REFERENCE_ID) {
		panel = panels_find(lookups->panels, reference->id);
	} else if (reference->kind != DEVICE_REFERENCE_NONE) {
		struct alias_text text = alias_text_of(&lookup.way, reference);
		const struct alias *alias = alias_find(lookups, &text);

		panel = alias ? alias->panel : NULL;
	}
	return panel && may_connect(panel, &lookup);
}

bool lookups_know_alias(const struct lookups *lookups, const struct panel_lookup *lookup,
			struct str key)
{
	struct panel_lookup wanted = {.way = lookup->way};
	struct alias_text text;
	const struct alias *alias;

	key_hash_again(key, wanted.way.key_hash);
	text = alias_text_of(&wanted.way, NULL);
	alias = alias_find(lookups, &text);
	return alias && may_connect(alias->panel, &wanted);
}

void lookups_drain(struct lookups *lookups)
{
	lookups->is_draining = true;
}
