/* See delivery/push_order.h. */
#pragma once

#include "base/id.h"
#include "base/map.h"
#include "db/db.h"
#include "delivery/push_order.h"

struct push_order {
	struct loop *loop;
	struct db *db;
	/* Called when a worker, perhaps this one, has answered a push: the device is at this
	 * generation. */
	void (*on_pushed)(void *context, struct id device_id, int64_t generation);
	void *context;
	struct map answered; /* of struct answered_push: the newest answered push of a device */
	struct list by_age;  /* of struct answered_push, least recently used first */
	struct hint_subscription hints;
	bool is_draining;
};

/* Set loop, db, on_pushed and context before, and zero the rest. Subscribes to hints. */
void push_order_init(struct push_order *order);
/* Call it when no push waits for its turn. */
void push_order_finish(struct push_order *order);
/* Makes no push wait from now on. */
void push_order_drain(struct push_order *order);

/* Returns true if the push may be answered now, false if turn->come() will be called.
 * previous_generation: that of the push that the database stored before this one. */
bool push_order_is_next(struct push_order *order, struct push_turn *turn, struct id device_id,
			int64_t previous_generation);
/* Call it in the turn of the loop in which the push of this generation is answered. Notifies all
 * workers. */
void push_order_answered(struct push_order *order, struct id device_id, int64_t generation);
/* Forgets pushes that were answered long ago. */
void push_order_forget(struct push_order *order);
