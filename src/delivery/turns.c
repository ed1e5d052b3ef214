#include "delivery_private.h"

#include <stdlib.h>

enum {
	TURN_LIMIT_MS = 300,
	/* One is looked for within a second. */
	ANSWERED_MS = 5 * 1000,
	ANSWERED_MAX = 20 * 1000,
};

/* The newest push of a device that was answered, by any worker. */
struct answered_push {
	struct map_node by_device;
	struct list by_age;
	struct id device_id;
	int64_t generation;
	uint64_t used_ms;
	struct list waiting; /* of struct push_turn */
	struct later wake;
	struct delivery *delivery;
};

static struct str key_of(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct answered_push *find(struct delivery *delivery, struct id device_id)
{
	struct map_node *node = map_find(&delivery->answered, key_of(&device_id));

	return node ? container_of(node, struct answered_push, by_device) : NULL;
}

static void destroy(struct delivery *delivery, struct answered_push *answered)
{
	map_remove(&delivery->answered, &answered->by_device);
	list_remove(&answered->by_age);
	loop_later_cancel(&answered->wake);
	free(answered);
}

static void end_turn(struct push_turn *turn)
{
	deadline_clear(turn->delivery->loop, &turn->limit);
	list_remove(&turn->node);
	turn->come(turn);
}

static void on_wake(struct later *later)
{
	struct answered_push *answered = container_of(later, struct answered_push, wake);
	struct list ready;
	struct list *node;

	list_init(&ready);
	list_for_each (waiting, &answered->waiting) {
		if (container_of(waiting, struct push_turn, node)->after <= answered->generation) {
			list_remove(waiting);
			list_append(&ready, waiting);
		}
	}
	while ((node = list_take_first(&ready)))
		end_turn(container_of(node, struct push_turn, node));
}

/* Those that nobody looks for any more, oldest first; so many of them at most. */
static void forget_old(struct delivery *delivery, unsigned count)
{
	uint64_t now_ms = loop_now_ms(delivery->loop);

	list_for_each (node, &delivery->answered_by_age) {
		struct answered_push *oldest = container_of(node, struct answered_push, by_age);
		bool is_old = now_ms - oldest->used_ms > ANSWERED_MS ||
			      delivery->answered.count >= ANSWERED_MAX;

		if (!is_old || count-- == 0)
			return;
		if (list_is_empty(&oldest->waiting))
			destroy(delivery, oldest);
	}
}

void turns_forget(struct delivery *delivery)
{
	forget_old(delivery, ANSWERED_MAX);
}

static struct answered_push *find_or_create(struct delivery *delivery, struct id device_id)
{
	struct answered_push *answered = find(delivery, device_id);

	if (answered) {
		list_remove(&answered->by_age);
	} else {
		forget_old(delivery, 2);
		answered = memory_zalloc(sizeof(*answered));
		answered->delivery = delivery;
		answered->device_id = device_id;
		list_init(&answered->waiting);
		loop_later_init(&answered->wake, on_wake);
		map_insert(&delivery->answered, &answered->by_device, key_of(&answered->device_id));
	}
	answered->used_ms = loop_now_ms(delivery->loop);
	list_append(&delivery->answered_by_age, &answered->by_age);
	return answered;
}

static void mark_answered(struct delivery *delivery, struct id device_id, int64_t generation)
{
	struct answered_push *answered = find_or_create(delivery, device_id);

	if (generation > answered->generation)
		answered->generation = generation;
	if (!list_is_empty(&answered->waiting))
		loop_later(delivery->loop, &answered->wake);
}

static void on_limit(struct deadline *deadline)
{
	end_turn(container_of(deadline, struct push_turn, limit));
}

bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation)
{
	struct answered_push *answered = find_or_create(delivery, device_id);

	if (answered->generation >= previous_generation)
		return true;
	/* Nobody would tell. */
	if (!db_hints_are_up(delivery->db) || delivery->is_draining)
		return true;
	turn->delivery = delivery;
	turn->after = previous_generation;
	deadline_init(&turn->limit, on_limit);
	deadline_set(delivery->loop, &turn->limit, TURN_LIMIT_MS);
	list_append(&answered->waiting, &turn->node);
	return false;
}

void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation)
{
	mark_answered(delivery, device_id, generation);
	delivery_panel_changed(delivery, device_id, generation);
	delivery_hint(delivery, "push", device_id, generation);
}

static void on_push_hint(struct hint_subscription *hints, struct str text)
{
	struct delivery *delivery = container_of(hints, struct delivery, push_hints);
	int64_t generation;
	struct id id;

	if (!delivery_parse_hint(text, &id, &generation))
		return;
	mark_answered(delivery, id, generation);
	delivery_panel_changed(delivery, id, generation);
}

void turns_init(struct delivery *delivery)
{
	list_init(&delivery->answered_by_age);
	delivery->push_hints = (struct hint_subscription){.kind = "push", .on_hint = on_push_hint};
	db_subscribe(delivery->db, &delivery->push_hints);
}

void turns_finish(struct delivery *delivery)
{
	db_unsubscribe(&delivery->push_hints);
	while (!list_is_empty(&delivery->answered_by_age))
		destroy(delivery,
			container_of(delivery->answered_by_age.next, struct answered_push, by_age));
	map_finish(&delivery->answered);
}
