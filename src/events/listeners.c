#include "listeners.h"
#include "base/limits.h"
#include "events/changed_hint.h"

#include <stdlib.h>

enum {
	TICK_MS = 1000,
	TELL_MS = 60 * 1000,
	/* Maximum of an account's devices whose changes are reported. */
	DEVICES_MAX = 10 * 1000,
	/* Events leave half of the room to other hints, for which panels wait. */
	HINT_ROOM = LIMIT_HINT_BYTES / 2,
};

struct listener_device {
	struct map_node by_id;
	struct id id;
	struct listener *listener;
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

struct listener *listeners_find(const struct listeners *listeners, struct id account_id)
{
	struct map_node *node =
	    listeners->accounts.count ? map_find(&listeners->accounts, id_view(&account_id)) : NULL;

	return node ? container_of(node, struct listener, by_account) : NULL;
}

struct listener *listeners_of_device(const struct listeners *listeners, struct id device_id)
{
	struct map_node *node =
	    listeners->devices.count ? map_find(&listeners->devices, id_view(&device_id)) : NULL;

	return node ? container_of(node, struct listener_device, by_id)->listener : NULL;
}

/* ---- rings ---- */

static void count_bytes(struct listeners *listeners, struct listener *listener, size_t before)
{
	listeners->bytes += listener->ring.bytes - before;
}

static void drop_first(struct listeners *listeners, struct listener *listener)
{
	size_t before = listener->ring.bytes;

	ring_drop_first(&listener->ring);
	count_bytes(listeners, listener, before);
}

static struct listener *largest(const struct listeners *listeners)
{
	const struct map_node *node = NULL;
	struct listener *found = NULL;

	while ((node = map_next(&listeners->accounts, node))) {
		struct listener *one = container_of(node, struct listener, by_account);

		if (!found || one->ring.bytes > found->ring.bytes)
			found = one;
	}
	return found;
}

void listeners_lose(struct listeners *listeners, struct listener *listener)
{
	size_t before = listener->ring.bytes;

	ring_lose(&listener->ring);
	count_bytes(listeners, listener, before);
	listeners->on_event(listeners->context, listener);
}

void listeners_lose_all(struct listeners *listeners)
{
	const struct map_node *node = NULL;

	while ((node = map_next(&listeners->accounts, node)))
		listeners_lose(listeners, container_of(node, struct listener, by_account));
}

void listeners_append(struct listeners *listeners, struct listener *listener,
		      const uint8_t id[static EVENT_ID_BYTES], const char *name,
		      struct id device_id, struct str data)
{
	size_t before = listener->ring.bytes;
	bool is_new =
	    ring_append(&listener->ring, loop_now_ms(listeners->loop), id, device_id, name, data);

	count_bytes(listeners, listener, before);
	while (listener->ring.bytes > LIMIT_EVENTS_OF_ACCOUNT_BYTES)
		drop_first(listeners, listener);
	while (listeners->bytes > LIMIT_EVENTS_BYTES)
		drop_first(listeners, largest(listeners));
	if (is_new)
		listeners->on_event(listeners->context, listener);
}

/* ---- events for others ---- */

void listeners_tell(struct listeners *listeners, struct listener *listener,
		    const struct event_hint *hint)
{
	struct arena arena = {0};

	if (db_hint_room(listeners->db) < HINT_ROOM)
		listener->owes_loss = true;
	else
		db_hint(listeners->db, event_hint_write(&arena, hint));
	arena_finish(&arena);
}

void listeners_tell_loss(struct listeners *listeners, struct listener *listener)
{
	listener->owes_loss = false;
	listeners_tell(
	    listeners, listener,
	    &(struct event_hint){.account_id = listener->account_id, .kind = EVENT_LOST});
}

/* ---- devices ---- */

bool listeners_are_ready(const struct listeners *listeners)
{
	return !listeners->is_loading && list_is_empty(&listeners->to_load);
}

static void forget_devices(struct listeners *listeners, struct listener *listener)
{
	for (unsigned i = 0; i < listener->device_count; i++)
		map_remove(&listeners->devices, &listener->devices[i].by_id);
	free(listener->devices);
	listener->devices = NULL;
	listener->device_count = 0;
}

static void know_devices(struct listeners *listeners, struct listener *listener, struct str bytes)
{
	unsigned count = (unsigned)(bytes.length / ID_BYTES);

	forget_devices(listeners, listener);
	listener->devices = memory_zalloc(count * sizeof(listener->devices[0]));
	for (unsigned i = 0; i < count; i++) {
		struct listener_device *device = &listener->devices[listener->device_count];

		memcpy(device->id.bytes, bytes.data + i * (size_t)ID_BYTES, ID_BYTES);
		if (listeners_of_device(listeners, device->id))
			continue;
		device->listener = listener;
		map_insert(&listeners->devices, &device->by_id, id_view(&device->id));
		listener->device_count++;
	}
	listener->has_devices = true;
	listeners->on_devices(listeners->context, listener);
}

void listeners_copy_devices(const struct listener *listener, struct id *ids)
{
	for (unsigned i = 0; i < listener->device_count; i++)
		ids[i] = listener->devices[i].id;
}

static void on_loaded(struct db_query *query, const struct db_result *result)
{
	struct listeners *listeners = container_of(query, struct listeners, query);
	struct listener *listener = listeners_find(listeners, listeners->loaded_id);

	listeners->is_loading = false;
	if (listener && result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &listeners->arena, &listeners->row);
		know_devices(listeners, listener, listeners->row.ids);
	} else if (listener) {
		/* Load again at the next tick. Until then events of new devices are missed. */
		listener->has_devices = false;
	}
	arena_finish(&listeners->arena);
	if (!list_is_empty(&listeners->to_load))
		loop_later(listeners->loop, &listeners->load);
	else
		listeners->on_ready(listeners->context);
	if (listener && !listener->has_devices)
		listeners_lose(listeners, listener);
}

static void on_load(struct later *later)
{
	struct listeners *listeners = container_of(later, struct listeners, load);
	struct list *node;

	if (listeners->is_loading || listeners->has_ended)
		return;
	node = list_take_first(&listeners->to_load);
	if (!node)
		return;
	listeners->is_loading = true;
	listeners->loaded_id = container_of(node, struct listener, to_load)->account_id;
	db_query_init(&listeners->query, &listeners->arena);
	listeners->query.account_id = listeners->loaded_id;
	statement_event_devices(
	    &listeners->query,
	    &(struct event_devices_parameters){listeners->loaded_id, DEVICES_MAX}, NULL);
	listeners->query.done = on_loaded;
	db_submit(listeners->db, &listeners->query);
}

static void load(struct listeners *listeners, struct listener *listener)
{
	if (!list_is_linked(&listener->to_load))
		list_append(&listeners->to_load, &listener->to_load);
	loop_later(listeners->loop, &listeners->load);
}

/* ---- listeners ---- */

static void end_waits(struct listener *listener)
{
	struct list *node;

	while ((node = list_take_first(&listener->waits))) {
		struct event_wait *wait = container_of(node, struct event_wait, node);

		wait->done(wait);
	}
}

static void forget(struct listeners *listeners, struct listener *listener)
{
	size_t before = listener->ring.bytes;

	end_waits(listener);
	forget_devices(listeners, listener);
	list_remove(&listener->to_load);
	ring_finish(&listener->ring);
	count_bytes(listeners, listener, before);
	map_remove(&listeners->accounts, &listener->by_account);
	db_hint_release_all(listeners->db);
	free(listener);
}

/* Makes room for an account. Returns false if all accounts have streams here. */
static bool make_room(struct listeners *listeners)
{
	const struct map_node *node = NULL;
	struct listener *oldest = NULL;

	if (listeners->accounts.count < LIMIT_EVENT_ACCOUNTS)
		return true;
	while ((node = map_next(&listeners->accounts, node))) {
		struct listener *one = container_of(node, struct listener, by_account);

		if (one->streams == 0 && list_is_empty(&one->waits) &&
		    (!oldest || one->heard_ms < oldest->heard_ms))
			oldest = one;
	}
	if (oldest)
		forget(listeners, oldest);
	return oldest != NULL;
}

static struct listener *hear(struct listeners *listeners, struct id account_id)
{
	struct listener *listener = listeners_find(listeners, account_id);

	if (!listener) {
		if (listeners->has_ended || !make_room(listeners))
			return NULL;
		listener = memory_zalloc(sizeof(*listener));
		listener->account_id = account_id;
		list_init(&listener->waits);
		list_init(&listener->to_load);
		map_insert(&listeners->accounts, &listener->by_account,
			   id_view(&listener->account_id));
		db_hint_hold_all(listeners->db);
		load(listeners, listener);
		if (!deadline_is_set(&listeners->tick))
			deadline_set(listeners->loop, &listeners->tick, TICK_MS);
	}
	listener->heard_ms = loop_now_ms(listeners->loop);
	return listener;
}

static void say(struct listeners *listeners, struct listener *listener)
{
	char text[sizeof("listen:") + ID_TEXT_LENGTH] = "listen:";

	listener->told_ms = loop_now_ms(listeners->loop);
	id_format(listener->account_id, text + strlen(text));
	db_hint(listeners->db, str_from(text));
}

bool listeners_listen(struct listeners *listeners, struct id account_id, struct event_wait *wait)
{
	struct listener *listener = hear(listeners, account_id);

	if (!listener || !db_hints_are_up(listeners->db))
		return true;
	if (listener->streams && listener->is_heard)
		return true;
	/* Workers that have started since do not know of the listener. */
	listener->is_heard = false;
	if (list_is_empty(&listener->waits))
		say(listeners, listener);
	list_append(&listener->waits, &wait->node);
	return false;
}

struct listener *listeners_join(struct listeners *listeners, struct id account_id)
{
	struct listener *listener = hear(listeners, account_id);

	if (listener)
		listener->streams++;
	return listener;
}

void listeners_leave(struct listeners *listeners, struct listener *listener)
{
	listener->streams--;
	listener->heard_ms = loop_now_ms(listeners->loop);
}

static void say_all(struct listeners *listeners)
{
	const struct map_node *node = NULL;

	while ((node = map_next(&listeners->accounts, node))) {
		struct listener *listener = container_of(node, struct listener, by_account);

		if (listener->streams)
			say(listeners, listener);
	}
}

static void on_listen(struct hint_subscription *hints, struct str text)
{
	struct listeners *listeners = container_of(hints, struct listeners, listens);
	struct listener *listener;
	struct id account_id;

	if (str_equal(text, STR("all"))) {
		say_all(listeners);
	} else if (id_parse(text, &account_id) && (listener = hear(listeners, account_id))) {
		listener->is_heard = true;
		end_waits(listener);
		if (listener->was_late)
			listeners_lose(listeners, listener);
		listener->was_late = false;
	}
}

static void on_changed(struct hint_subscription *hints, struct str text)
{
	struct listeners *listeners = container_of(hints, struct listeners, changes);
	struct listener *listener;
	struct id account_id;
	struct str topic;

	if (listeners->accounts.count == 0 || !changed_parse(text, &account_id, &topic))
		return;
	listener = listeners_find(listeners, account_id);
	if (!listener)
		return;
	if (str_equal(topic, STR("devices")))
		load(listeners, listener);
	else if (str_equal(topic, STR("sessions")) || str_equal(topic, STR("account")))
		listeners->on_account(listeners->context, account_id);
}

/* Hints were missed. Ask for listeners now, instead of waiting up to a minute. */
static void on_up(struct hint_subscription *hints, bool up)
{
	struct listeners *listeners = container_of(hints, struct listeners, listens);
	const struct map_node *node = NULL;

	/* When hints go down, rings are still complete: only later events are missed. */
	if (up)
		listeners_lose_all(listeners);
	while ((node = map_next(&listeners->accounts, node))) {
		struct listener *listener = container_of(node, struct listener, by_account);

		listener->was_late = false;
		if (up)
			load(listeners, listener);
		else
			end_waits(listener);
	}
	if (up && !listeners->has_ended) {
		db_hint(listeners->db, STR("listen:all"));
		say_all(listeners);
	}
}

/* ---- time ---- */

static void look_after(struct listeners *listeners, struct listener *listener)
{
	uint64_t now_ms = loop_now_ms(listeners->loop);
	size_t before = listener->ring.bytes;

	if (!list_is_empty(&listener->waits) && now_ms - listener->told_ms >= TICK_MS) {
		listener->was_late = true;
		end_waits(listener);
	}
	if (listener->streams)
		listener->heard_ms = now_ms;
	if (now_ms - listener->heard_ms > LIMIT_EVENTS_MS) {
		forget(listeners, listener);
		return;
	}
	if (now_ms > LIMIT_EVENTS_MS)
		ring_expire(&listener->ring, now_ms - LIMIT_EVENTS_MS);
	count_bytes(listeners, listener, before);
	if (listener->streams && now_ms - listener->told_ms >= TELL_MS)
		say(listeners, listener);
	if (listener->owes_loss)
		listeners_tell_loss(listeners, listener);
	if (!listener->has_devices && db_is_up(listeners->db))
		load(listeners, listener);
}

static void on_tick(struct deadline *deadline)
{
	struct listeners *listeners = container_of(deadline, struct listeners, tick);
	const struct map_node *node = map_next(&listeners->accounts, NULL);

	while (node) {
		struct listener *listener = container_of(node, struct listener, by_account);

		node = map_next(&listeners->accounts, node);
		look_after(listeners, listener);
	}
	if (listeners->accounts.count)
		deadline_set(listeners->loop, deadline, TICK_MS);
}

/* ---- all ---- */

void listeners_init(struct listeners *listeners)
{
	list_init(&listeners->to_load);
	loop_later_init(&listeners->load, on_load);
	deadline_init(&listeners->tick, on_tick);
	listeners->listens =
	    (struct hint_subscription){.kind = STR("listen"), .on_hint = on_listen, .on_up = on_up};
	listeners->changes =
	    (struct hint_subscription){.kind = STR("changed"), .on_hint = on_changed};
	db_subscribe(listeners->db, &listeners->listens);
	db_subscribe(listeners->db, &listeners->changes);
}

void listeners_drain(struct listeners *listeners)
{
	const struct map_node *node = NULL;

	listeners->has_ended = true;
	deadline_clear(listeners->loop, &listeners->tick);
	loop_later_cancel(&listeners->load);
	while ((node = map_next(&listeners->accounts, node)))
		end_waits(container_of(node, struct listener, by_account));
}

void listeners_finish(struct listeners *listeners)
{
	const struct map_node *node;

	db_unsubscribe(&listeners->listens);
	db_unsubscribe(&listeners->changes);
	deadline_clear(listeners->loop, &listeners->tick);
	loop_later_cancel(&listeners->load);
	while ((node = map_next(&listeners->accounts, NULL)))
		forget(listeners, container_of(node, struct listener, by_account));
	map_finish(&listeners->accounts);
	map_finish(&listeners->devices);
}
