#include "orders.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/require.h"
#include "db/db.h"
#include "db/statements.h"
#include "domain/device_link.h"
#include "domain/firmware_token.h"

#include <stdlib.h>
#include <string.h>

/* Time after which an order that was taken and not sent lapses, as in the database. */
enum { ORDER_MAX_MS = 6 * 60 * 1000 };

struct taking {
	struct orders *orders;
	struct panel *panel; /* held */
	int64_t generation;  /* generation of the order */
	struct arena arena;
	struct db_query query;
};

static struct taking *orders_begin(struct orders *orders, struct panel *panel)
{
	struct taking *taking = memory_zalloc(sizeof(*taking));

	taking->orders = orders;
	taking->panel = panel;
	panel_hold(panel);
	orders->under_way++;
	db_query_init(&taking->query, &taking->arena);
	return taking;
}

static void end(struct taking *taking)
{
	taking->orders->under_way--;
	panel_let_go(taking->panel);
	arena_finish(&taking->arena);
	free(taking);
}

/* ---- taking an order ---- */

/* Decrypts the second key. Returns false if that fails. */
static bool open_key(struct taking *taking, struct str encrypted, struct panel_taken_order *order)
{
	const struct orders *orders = taking->orders;
	struct str key;

	if (!encrypted.data)
		return true;
	if (!orders->key ||
	    !settings_decrypt(orders->key, taking->panel->id, STR(ORDER_KEY_LABEL), encrypted,
			      &taking->arena, &key) ||
	    key.length != LINK_KEY_LENGTH)
		return false;
	memcpy(order->key, key.data, LINK_KEY_LENGTH);
	return true;
}

static void take(struct taking *taking, const struct db_result *result)
{
	struct panel *panel = taking->panel;
	struct device_order_take_row row;
	struct panel_taken_order order = {.taken_ms = loop_now_ms(panel->panels->loop)};

	if (result->outcome != DB_OK || result->row_count == 0)
		return;
	db_read_row(result, 0, taking->query.record, &taking->arena, &row);
	if (!open_key(taking, row.order_key, &order) ||
	    row.order_url.length > FIRMWARE_ADDRESS_LENGTH_MAX)
		return;
	if (row.order_url.length)
		memcpy(order.url, row.order_url.data, row.order_url.length);
	if (!panel->order)
		panel->order = memory_alloc(sizeof(*panel->order));
	order.image_id = row.image_id;
	*panel->order = order;
	panel_drop_old_order(panel); /* meant for another key meanwhile */
}

static void on_taken(struct db_query *query, const struct db_result *result)
{
	struct taking *taking = container_of(query, struct taking, query);
	struct orders *orders = taking->orders;
	struct panel *panel = taking->panel;

	panel->takes_order = false;
	/* If the database is unavailable, the next load brings the order again. A newer order
	 * stays.
	 */
	if (panel->ways && panel->ways->order_generation == taking->generation)
		panel->ways->order_generation = 0;
	take(taking, result);
	if (panel->state != PANEL_GONE)
		orders->on_taken(orders->context, panel);
	end(taking);
}

bool orders_may_lead(const struct panel *panel, bool is_polling)
{
	return panel->connection_count + is_polling <= 1;
}

bool orders_await(struct orders *orders, struct panel *panel, const struct panel_way *way,
		  bool is_polling)
{
	struct taking *taking;

	if (panel->takes_order)
		return true;
	if (panel->is_moving || !panel->ways || panel->ways->order_generation == 0)
		return false;
	if (panel->ways->has_second_key &&
	    !(orders_may_lead(panel, is_polling) && panel_may_be_led(panel, way)))
		return false;
	panel->takes_order = true;
	taking = orders_begin(orders, panel);
	taking->generation = panel->ways->order_generation;
	statement_device_order_take(
	    &taking->query, &(struct device_order_take_parameters){panel->id, taking->generation},
	    NULL);
	taking->query.done = on_taken;
	db_submit(orders->db, &taking->query);
	return true;
}

bool orders_may_give(const struct panel *panel, bool is_polling, bool may_be_led)
{
	const struct panel_taken_order *order = panel->order;

	return order && (id_is_none(order->image_id) || orders_may_lead(panel, is_polling)) &&
	       (!order->key[0] || (orders_may_lead(panel, is_polling) && may_be_led));
}

/* Returns the URL of an image for the panel, which has a token instead of the device's key. */
static struct str image_url(const struct orders *orders, struct id device, struct id image,
			    struct arena *arena)
{
	char token[FIRMWARE_TOKEN_LENGTH + 1], id[ID_TEXT_LENGTH + 1];

	firmware_token_make(orders->key, device, image, clock_common_us() / 1000000, token);
	id_format(device, id);
	return ARENA_JOIN(arena, orders->panel_url, STR("/d/"), str_from(id), STR("/firmware/"),
			  str_from(token));
}

unsigned orders_messages(const struct panel_order *order, struct arena *arena,
			 struct str ret_messages[static ORDER_MESSAGES_MAX])
{
	unsigned count = 0;

	if (order->url.data)
		ret_messages[count++] =
		    ARENA_JOIN(arena, STR("{\"image_url\":\""), order->url, STR("\"}"));
	if (order->image_url.data)
		ret_messages[count++] =
		    ARENA_JOIN(arena, STR("{\"ota_url\":\""), order->image_url, STR("\"}"));
	if (order->reboots)
		ret_messages[count++] = STR("{\"reboot\":true}");
	return count;
}

struct panel_order orders_give(const struct orders *orders, struct panel *panel, bool is_polling,
			       struct arena *arena)
{
	struct panel_taken_order *taken = panel->order;
	struct panel_order order = {0};
	struct device_link connection;
	bool is_due;

	if (!taken)
		return order;
	panel->order = NULL;
	is_due = loop_now_ms(panel->panels->loop) - taken->taken_ms < ORDER_MAX_MS;
	/* An update restarts the panel, too, when it has the image. */
	if (is_due && orders->key && !id_is_none(taken->image_id))
		order.image_url = image_url(orders, panel->id, taken->image_id, arena);
	order.reboots = is_due && !order.image_url.data;
	if (is_due && taken->key[0]) {
		connection = device_link_make(
		    arena, taken->url[0] ? str_from(taken->url) : orders->panel_url, panel->id,
		    str_from(taken->key));
		order.url = is_polling ? connection.polling_url : connection.websocket_url;
	}
	free(taken);
	return order;
}

/* ---- the second key ---- */

static void on_moved(struct db_query *query, const struct db_result *result)
{
	struct taking *taking = container_of(query, struct taking, query);
	struct orders *orders = taking->orders;
	struct panel *panel = taking->panel;
	struct device_moved_row row;

	panel->is_moving = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &taking->arena, &row);
		orders->on_moved(orders->context, panel->id, row.generation);
	}
	end(taking);
}

void orders_moved(struct orders *orders, struct panel *panel)
{
	struct taking *taking;
	struct str hash;

	if (panel->is_moving || !panel->ways || !panel->ways->has_second_key)
		return;
	panel->is_moving = true;
	/* Drop the order: the panel has just started. */
	free(panel->order);
	panel->order = NULL;
	taking = orders_begin(orders, panel);
	hash = (struct str){(const char *)panel->ways->second_key_hash, KEY_HASH_BYTES};
	statement_device_moved(&taking->query,
			       &(struct device_moved_parameters){
				   .id = panel->id,
				   .second_key_hash = arena_copy(&taking->arena, hash),
			       },
			       NULL);
	taking->query.done = on_moved;
	db_submit(orders->db, &taking->query);
}

void orders_finish(struct orders *orders)
{
	require(orders->under_way == 0);
}
