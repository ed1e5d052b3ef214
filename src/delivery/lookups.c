#include "lookups.h"
#include "base/require.h"
#include "db/statements.h"
#include "domain/device.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* A panel has one of each kind at most, and they go with it: without the panel, an alias is of no
 * use while the database is away. */
struct alias {
	struct map_node node; /* in lookups->aliases */
	struct list of_panel; /* in panel->aliases */
	struct panel *panel;
	struct lookups *lookups;
	bool is_mac;
	char text[SERIAL_LENGTH_MAX + 1];
};

/* A look-up by serial number or MAC address, while the database looks for the ID. */
struct alias_lookup {
	struct panel_lookup *lookup;
	struct arena arena;
	struct db_query query;
	struct str text;
	bool is_mac;
};

static bool has_key(const struct panel *panel, const struct panel_lookup *lookup)
{
	return panel->state == PANEL_READY &&
	       sodium_memcmp(panel->link_key_hash, lookup->key_hash, KEY_HASH_BYTES) == 0;
}

static bool may_connect(const struct panel *panel, const struct panel_lookup *lookup)
{
	return !panel->is_disabled && has_key(panel, lookup);
}

/* What the look-up has found. */
static struct panel *found(struct panel *panel, struct panel_lookup *lookup)
{
	lookup->is_disabled = panel->is_disabled && has_key(panel, lookup);
	return may_connect(panel, lookup) ? panel : NULL;
}

static void answer(struct panel *panel, struct panel_lookup *lookup)
{
	lookup->is_undecided = panel->is_unread;
	lookup->done(lookup, found(panel, lookup));
}

void lookup_wait(struct panel_lookup *lookup, struct panel *panel)
{
	panel_hold(panel);
	list_append(&panel->lookups, &lookup->node);
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

/* The panel, where it is in memory and not behind; else NULL, and the look-up waits until the panel
 * was loaded: a caller whose change was answered sees it in the next poll. */
static struct panel *find_by_id(struct panel_lookup *lookup, struct id id)
{
	struct lookups *lookups = lookup->lookups;
	struct panel *panel = panels_find(lookups->panels, id);

	if (!panel)
		panel = panels_create(lookups->panels, id);
	if (loader_freshen(lookups->loader, panel, &lookup->load)) {
		panel_touch(panel);
		return panel;
	}
	lookup_wait(lookup, panel);
	return NULL;
}

static struct alias *alias_find(const struct lookups *lookups, struct str text)
{
	struct map_node *node = map_find(&lookups->aliases, text);

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

/* The alias that the panel had before, of the same kind. */
static struct alias *alias_before(struct panel *panel, bool is_mac)
{
	list_for_each (node, &panel->aliases) {
		struct alias *alias = container_of(node, struct alias, of_panel);

		if (alias->is_mac == is_mac)
			return alias;
	}
	return NULL;
}

static void alias_keep(struct lookups *lookups, struct str text, bool is_mac, struct panel *panel)
{
	struct alias *alias = alias_find(lookups, text);
	struct alias *before = alias_before(panel, is_mac);

	if (alias && alias == before)
		return;
	if (alias)
		alias_destroy(alias); /* it is another device's now */
	if (before)
		alias_destroy(before);
	alias = memory_zalloc(sizeof(*alias));
	alias->lookups = lookups;
	alias->panel = panel;
	alias->is_mac = is_mac;
	memcpy(alias->text, text.data, text.length);
	list_append(&panel->aliases, &alias->of_panel);
	map_insert(&lookups->aliases, &alias->node, (struct str){alias->text, text.length});
}

void lookups_finish(struct lookups *lookups)
{
	require(lookups->aliases.count == 0);
	map_finish(&lookups->aliases);
}

/* The panel for the look-up, where it is in memory and has all; else NULL, and the look-up waits or
 * was answered. */
static struct panel *find_by_answer(struct alias_lookup *aliased, const struct db_result *result)
{
	struct panel_lookup *lookup = aliased->lookup;
	struct lookups *lookups = lookup->lookups;
	const struct alias *known = alias_find(lookups, aliased->text);
	struct device device;
	struct panel *panel;

	/* A worker that stops takes no new panels: the panel asks again, and another worker
	 * answers. */
	if (!lookups->is_draining && result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, aliased->query.record, &aliased->arena, &device);
		panel = find_by_id(lookup, device.id);
		alias_keep(lookups, aliased->text, aliased->is_mac,
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

/* Whether the key fits the device that this alias led to before: then the alias is still right. */
static bool is_alias_right(const struct panel_lookup *lookup, const struct alias *alias)
{
	return may_connect(alias->panel, lookup);
}

static void ask_for_alias(struct panel_lookup *lookup, const struct device_reference *reference,
			  struct str text)
{
	struct alias_lookup *aliased = memory_zalloc(sizeof(*aliased));
	struct db_query *query = &aliased->query;

	aliased->lookup = lookup;
	aliased->is_mac = reference->kind == DEVICE_REFERENCE_MAC;
	aliased->text = arena_copy(&aliased->arena, text);
	db_query_init(query, &aliased->arena);
	if (reference->kind == DEVICE_REFERENCE_SERIAL) {
		statement_device_by_serial(
		    query, &(struct device_by_serial_parameters){.serial = aliased->text}, NULL);
	} else {
		struct str mac = {(const char *)reference->mac, MAC_BYTES};

		mac = arena_copy(&aliased->arena, mac);
		statement_device_by_mac(query, &(struct device_by_mac_parameters){.mac = mac},
					NULL);
	}
	query->done = on_alias;
	db_submit(lookup->lookups->db, query);
}

/* What a device is called in lookups->aliases; mac holds the text of a MAC address. */
static struct str alias_text(const struct device_reference *reference,
			     char mac[static MAC_TEXT_LENGTH + 1])
{
	if (reference->kind != DEVICE_REFERENCE_MAC)
		return reference->serial;
	mac_format(reference->mac, mac);
	return str_from(mac);
}

static struct panel *find_by_alias(struct panel_lookup *lookup,
				   const struct device_reference *reference)
{
	char mac[MAC_TEXT_LENGTH + 1];
	struct str text = alias_text(reference, mac);
	const struct alias *alias;

	alias = alias_find(lookup->lookups, text);
	if (alias && is_alias_right(lookup, alias))
		return find_by_id(lookup, alias->panel->id);
	ask_for_alias(lookup, reference, text);
	return NULL;
}

bool lookups_find(struct lookups *lookups, struct panel_lookup *lookup,
		  const struct device_reference *reference, struct str key,
		  struct panel **ret_panel)
{
	struct panel *panel;

	list_init(&lookup->node);
	lookup->load = 0;
	lookup->is_undecided = lookups->is_draining && reference->kind != DEVICE_REFERENCE_NONE;
	lookup->is_disabled = false;
	lookup->lookups = lookups;
	key_hash(key, lookup->key_hash);
	if (lookup->is_undecided || reference->kind == DEVICE_REFERENCE_NONE) {
		*ret_panel = NULL;
		return true;
	}
	panel = reference->kind == DEVICE_REFERENCE_ID ? find_by_id(lookup, reference->id)
						       : find_by_alias(lookup, reference);
	if (panel)
		*ret_panel = found(panel, lookup);
	return panel != NULL;
}

bool lookups_know(const struct lookups *lookups, const struct device_reference *reference,
		  struct str key)
{
	char mac[MAC_TEXT_LENGTH + 1];
	const struct panel *panel = NULL;
	const struct alias *alias;
	struct panel_lookup lookup = {0};

	if (reference->kind == DEVICE_REFERENCE_ID) {
		panel = panels_find(lookups->panels, reference->id);
	} else if (reference->kind != DEVICE_REFERENCE_NONE) {
		alias = alias_find(lookups, alias_text(reference, mac));
		panel = alias ? alias->panel : NULL;
	}
	key_hash(key, lookup.key_hash);
	return panel && may_connect(panel, &lookup);
}

void lookups_drain(struct lookups *lookups)
{
	lookups->is_draining = true;
}
