#include "base/clock.h"
#include "base/hex.h"
#include "base/require.h"
#include "change_hint.h"
#include "domain/push.h"
#include "metric/metric.h"
#include "modules.h"

/* Functions for other folders. */

void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation)
{
	loader_note_change(&delivery->loader, device_id, generation);
	loader_changed(&delivery->loader, device_id, generation);
	change_hint_send(delivery->db, STR("device"), device_id, generation);
}

void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation)
{
	change_hint_send(delivery->db, STR("app"), app_id, generation);
}

void delivery_version_uploaded(struct delivery *delivery, struct id version_id)
{
	change_hint_send(delivery->db, STR("version"), version_id, 0);
}

void delivery_version_checked(struct delivery *delivery, struct id version_id)
{
	change_hint_send(delivery->db, STR("checked"), version_id, 0);
}

void delivery_subscribe_upcoming(struct delivery *delivery, struct upcoming_subscriber *subscriber)
{
	delivery->upcoming.subscriber = subscriber;
}

void delivery_rendered(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		       int64_t generation)
{
	struct arena arena = {0};
	char text[2 * RENDER_KEY_BYTES + 1];

	hex_encode(render_key, RENDER_KEY_BYTES, text);
	render_keys_changed(&delivery->render_keys, render_key, generation);
	db_hint(delivery->db, arena_printf(&arena, "render:%s:%lld", text, (long long)generation));
	arena_finish(&arena);
}

void delivery_retry(struct delivery *delivery, struct str render_key, struct id version_id,
		    struct id account_id, int64_t generation)
{
	struct upcoming_subscriber *subscriber = delivery->upcoming.subscriber;
	struct upcoming_app app = {
	    .version_id = version_id,
	    .account_id = account_id,
	    .moment_s = clock_wall_us() / 1000000,
	};

	require(render_key.length == RENDER_KEY_BYTES);
	memcpy(app.render_key, render_key.data, RENDER_KEY_BYTES);
	delivery_rendered(delivery, app.render_key, generation);
	if (subscriber)
		subscriber->on_due(subscriber, &app);
}

void delivery_put_off(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		      uint64_t for_ms)
{
	render_keys_put_off(&delivery->render_keys, render_key, for_ms);
}

void delivery_push_stored(struct delivery *delivery, struct id device_id,
			  const struct stored_push *push)
{
	struct panel *panel = panels_find(&delivery->panels, device_id);
	bool is_taken = panel && panel_take_push(panel, push);

	loader_note_change(&delivery->loader, device_id, push->generation);
	if (is_taken)
		panel_connections_update(&delivery->connections, panel);
	else
		loader_changed(&delivery->loader, device_id, push->generation);
}

bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation)
{
	return push_order_is_next(&delivery->push_order, turn, device_id, previous_generation);
}

void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation)
{
	push_order_answered(&delivery->push_order, device_id, generation);
	loader_changed(&delivery->loader, device_id, generation);
}

bool delivery_find(struct delivery *delivery, struct panel_lookup *lookup,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel)
{
	return lookups_find(&delivery->lookups, lookup, reference, key, ret_panel);
}

bool delivery_knows(const struct delivery *delivery, const struct device_reference *reference,
		    struct str key)
{
	return lookups_know(&delivery->lookups, reference, key);
}

bool delivery_knows_alias(const struct delivery *delivery, const struct panel_lookup *lookup,
			  struct str key)
{
	return lookups_know_alias(&delivery->lookups, lookup, key);
}

static int64_t latest(int64_t one_us, int64_t other_us)
{
	return one_us > other_us ? one_us : other_us;
}

static bool is_within(int64_t now_us, int64_t since_us, int64_t seconds)
{
	return now_us - since_us < seconds * INT64_C(1000000);
}

bool delivery_is_online(const struct delivery *delivery, struct id device_id,
			int64_t last_online_us, bool has_connected, int64_t *ret_since_us)
{
	struct cursor_contact contact = cursor_contact(&delivery->cursors, device_id);
	int64_t here_us = latest(contact.polled_us, contact.left_us);
	int64_t now_us = clock_wall_us();
	bool is_elsewhere;

	/* The row has it by the database's clock. */
	last_online_us += now_us - clock_common_us();
	is_elsewhere = !is_within(last_online_us, here_us, PUSH_ONLINE_WITHIN_S);
	*ret_since_us = latest(last_online_us, here_us);
	if (contact.is_linked)
		return true;
	if (contact.polled_us && is_within(now_us, contact.polled_us, POLL_AGAIN_MAX_S))
		return true;
	/* The panel may have polled at another instance, or before this one started. */
	return has_connected && last_online_us > here_us &&
	       is_within(now_us, last_online_us,
			 is_elsewhere ? POLL_AGAIN_MAX_S : PUSH_ONLINE_WITHIN_S);
}

/* FNV-1a; never 0. */
static uint32_t hash_of(struct str text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < text.length; i++)
		hash = (hash ^ (uint8_t)text.data[i]) * 16777619u;
	return hash ? hash : 1;
}

bool delivery_is_polling(const struct delivery *delivery, struct id device_id)
{
	struct cursor_contact contact = cursor_contact(&delivery->cursors, device_id);

	return !contact.is_linked && contact.polled_us > contact.left_us;
}

bool delivery_has_several_connections(const struct delivery *delivery, struct id device_id)
{
	const struct panel *panel = panels_find(&delivery->panels, device_id);

	return panel && !orders_may_lead(panel, false);
}

bool delivery_has_guessed(const struct delivery *delivery, struct id device_id)
{
	const struct panel *panel = panels_find(&delivery->panels, device_id);

	return panel && !panel_connections_may_be_led(panel);
}

struct id delivery_panel_id(const struct panel *panel)
{
	return panel->id;
}

bool delivery_poll(struct delivery *delivery, struct panel *panel, struct panel_lookup *lookup,
		   bool is_peek, struct arena *arena, struct poll_picture *ret_picture)
{
	if (!is_peek && lookup->is_second)
		orders_moved(&delivery->orders, panel);
	return polling_next(&delivery->polling, panel, lookup, is_peek, arena, ret_picture);
}

bool delivery_subscribe_view(struct delivery *delivery, struct view_subscriber *subscriber,
			     struct id device_id, struct id account_id)
{
	return view_subscriptions_add(&delivery->subscriptions, subscriber, device_id, account_id);
}

void delivery_unsubscribe_view(struct view_subscriber *subscriber)
{
	view_subscriptions_remove(subscriber);
}

void delivery_set_addresses(struct delivery *delivery, const struct settings_key *key,
			    const char *panel_url)
{
	delivery->orders.key = key;
	delivery->orders.panel_url = str_from(panel_url);
}

void delivery_told_version(struct delivery *delivery, struct panel *panel, struct str version)
{
	struct panel_report report;
	uint32_t hash;

	if (!panel_report_of_version(version, &report))
		return;
	hash = hash_of(version);
	if (panel->version_told == hash ||
	    !panel_reports_may_take(delivery->connections.rates, panel->id))
		return;
	panel->version_told = hash;
	panel_reports_take(&delivery->reports, panel->id, &report);
}

void delivery_connect(struct delivery *delivery, struct panel *panel,
		      const struct panel_lookup *lookup, struct http_request *request)
{
	/* The panel has moved: it no longer uses its old key. */
	if (lookup->is_second) {
		panel_connections_drop(panel);
		orders_moved(&delivery->orders, panel);
	}
	panel_connections_connect(&delivery->connections, panel, &lookup->way, request);
}

/* Counts panels that polled last at this worker, within a minute. Recently used panels are at the
 * end of the list. */
static unsigned count_polling(const struct panels *panels)
{
	enum { POLLING_MS = 60 * 1000 };
	uint64_t now_ms = loop_now_ms(panels->loop);
	unsigned count = 0;

	for (const struct list *node = panels->by_use.previous; node != &panels->by_use;
	     node = node->previous) {
		const struct panel *panel = container_of(node, struct panel, by_use);

		if (now_ms - panel->used_ms > POLLING_MS)
			break;
		count += panel->polled && panel->connection_count == 0 &&
			 now_ms - (uint64_t)panel->polled->at_ms <= POLLING_MS &&
			 cursor_was_set_here(panels->cursors, panel->id);
	}
	return count;
}

void delivery_tell(const struct delivery *delivery)
{
	const struct panels *panels = &delivery->panels;

	metric_set(METRIC_PANELS, 0, (int64_t)panels->by_id.count);
	metric_set(METRIC_PANELS_CONNECTED, METRIC_PANEL_LINK, panels->connected);
	metric_set(METRIC_PANELS_CONNECTED, METRIC_PANEL_POLLING, count_polling(panels));
	metric_set(METRIC_PICTURE_BYTES, 0, (int64_t)delivery->pictures.bytes);
}
