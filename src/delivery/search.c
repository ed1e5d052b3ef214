#include "delivery_private.h"

#include <sodium.h>
#include <stdlib.h>

/* A serial number or MAC address that led to a device once: the way to it while the database is
 * away. */
struct alias {
	struct map_node node;
	struct id id;
	char text[SERIAL_LENGTH_MAX + 1];
};

enum { ALIASES_MAX = 20 * 1000 };

/* A search by serial number or MAC address: the database tells the ID. */
struct alias_search {
	struct panel_search *search;
	struct arena arena;
	struct db_query query;
	struct str text;
};

static bool may_connect(const struct panel *panel, const struct panel_search *search)
{
	return panel->state == PANEL_READY && !panel->is_disabled &&
	       sodium_memcmp(panel->link_key_hash, search->key_hash, KEY_HASH_BYTES) == 0;
}

static void answer(struct panel *panel, struct panel_search *search)
{
	search->done(search, may_connect(panel, search) ? panel : NULL);
}

void panel_answer_searches(struct panel *panel)
{
	struct list searches;
	struct list *node;

	list_init(&searches);
	list_move_all(&searches, &panel->searches);
	panel->pins++;
	while ((node = list_take_first(&searches)))
		answer(panel, container_of(node, struct panel_search, node));
	panel->pins--;
}

/* The panel, when it is in memory; else NULL, and the search waits until it was loaded. */
static struct panel *find_by_id(struct panel_search *search, struct id id)
{
	struct delivery *delivery = search->delivery;
	struct panel *panel = panel_find(delivery, id);

	/* One that is known to be behind waits: who has pushed sees the push. */
	if (panel && panel->state == PANEL_READY &&
	    !(panel_is_loading(panel) && panel->wanted_generation > panel->generation)) {
		panel_touch(panel);
		return panel;
	}
	if (!panel) {
		panel = panel_create(delivery, id);
		panel_load_start(panel);
	}
	list_append(&panel->searches, &search->node);
	return NULL;
}

static struct alias *alias_find(const struct delivery *delivery, struct str text)
{
	struct map_node *node = map_find(&delivery->aliases, text);

	return node ? container_of(node, struct alias, node) : NULL;
}

static void alias_keep(struct delivery *delivery, struct str text, struct id id)
{
	struct alias *alias = alias_find(delivery, text);

	if (alias) {
		alias->id = id;
		return;
	}
	if (delivery->aliases.count >= ALIASES_MAX)
		return;
	alias = memory_zalloc(sizeof(*alias));
	alias->id = id;
	memcpy(alias->text, text.data, text.length);
	map_insert(&delivery->aliases, &alias->node, (struct str){alias->text, text.length});
}

void aliases_finish(struct delivery *delivery)
{
	struct map_node *node;

	while ((node = map_next(&delivery->aliases, NULL))) {
		map_remove(&delivery->aliases, node);
		free(container_of(node, struct alias, node));
	}
	map_finish(&delivery->aliases);
}

static void on_alias(struct db_query *query, const struct db_result *result)
{
	struct alias_search *aliased = container_of(query, struct alias_search, query);
	struct panel_search *search = aliased->search;
	struct delivery *delivery = search->delivery;
	const struct alias *known = alias_find(delivery, aliased->text);
	struct panel *panel;
	struct id id;
	bool found = false;

	if (result->outcome == DB_OK && result->row_count) {
		struct record_value value = db_value(result, 0, 0);

		memcpy(id.bytes, value.data, ID_BYTES);
		alias_keep(delivery, aliased->text, id);
		found = true;
	} else if (result->outcome != DB_OK && known) {
		id = known->id;
		found = true;
	}
	/* A panel that was not loaded yet would not be any more. */
	if (delivery->is_draining)
		found = false;
	arena_finish(&aliased->arena);
	free(aliased);
	panel = found ? find_by_id(search, id) : NULL;
	if (panel)
		answer(panel, search);
	else if (!found)
		search->done(search, NULL);
}

/* Whether the key is that of the device that this alias led to before: then the alias is right. */
static bool is_alias_right(const struct panel_search *search, const struct alias *alias)
{
	const struct panel *panel = panel_find(search->delivery, alias->id);

	return panel && may_connect(panel, search);
}

static void ask_for_alias(struct panel_search *search, const struct device_reference *reference,
			  struct str text)
{
	struct alias_search *aliased = memory_zalloc(sizeof(*aliased));
	struct db_parameters *parameters = &aliased->query.parameters;

	aliased->search = search;
	aliased->text = arena_copy(&aliased->arena, text);
	db_parameters_init(parameters, &aliased->arena);
	if (reference->kind == DEVICE_REFERENCE_SERIAL) {
		db_add_text(parameters, aliased->text);
		aliased->query.statement = STATEMENT_DEVICE_BY_SERIAL;
	} else {
		struct str bytes = {(const char *)reference->mac, MAC_BYTES};

		db_add_bytes(parameters, arena_copy(&aliased->arena, bytes));
		aliased->query.statement = STATEMENT_DEVICE_BY_MAC;
	}
	aliased->query.done = on_alias;
	db_submit(search->delivery->db, &aliased->query);
}

static struct panel *find_by_alias(struct panel_search *search,
				   const struct device_reference *reference)
{
	char mac[MAC_TEXT_LENGTH + 1];
	struct str text = reference->serial;
	const struct alias *alias;

	if (reference->kind == DEVICE_REFERENCE_MAC) {
		mac_format(reference->mac, mac);
		text = str_from(mac);
	}
	alias = alias_find(search->delivery, text);
	if (alias && is_alias_right(search, alias))
		return find_by_id(search, alias->id);
	ask_for_alias(search, reference, text);
	return NULL;
}

bool delivery_find(struct delivery *delivery, struct panel_search *search,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel)
{
	struct panel *panel;

	list_init(&search->node);
	search->delivery = delivery;
	key_hash(key, search->key_hash);
	if (reference->kind == DEVICE_REFERENCE_NONE || delivery->is_draining) {
		*ret_panel = NULL;
		return true;
	}
	panel = reference->kind == DEVICE_REFERENCE_ID ? find_by_id(search, reference->id)
						       : find_by_alias(search, reference);
	if (panel)
		*ret_panel = may_connect(panel, search) ? panel : NULL;
	return panel != NULL;
}
