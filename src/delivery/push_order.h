/* See delivery/push_order.h. */
#pragma once

#include "base/id.h"
#include "base/map.h"
#include "db/db.h"
#include "delivery/push_order.h"

struct push_order {
	struct loop *loop;
	struct db *db;
	/* A worker, perhaps this one, has answered a push: the device is at this generation. */
	void (*on_pushed)(void *context, struct id device_id, int64_t generation);
	void *context;
	struct map answered; /* of struct answered_push: the newest answered push of a device */
	struct list by_age;  /* the same, the one that was used longest ago first */
	struct hint_subscription hints;
	bool is_draining;
};

/* The caller has set loop, db, on_pushed and context, and zeroed the rest. Subscribes to hints. */
void push_order_init(struct push_order *order);
/* No push waits for its turn any more. */
void push_order_finish(struct push_order *order);
/* Makes no push wait from now on. */
void push_order_drain(struct push_order *order);

/* True: the push may be answered now. False: turn->come() will be called. previous_generation: of
 * the push that the database stored before this one. */
bool push_order_is_next(struct push_order *order, struct push_turn *turn, struct id device_id,
			int64_t previous_generation);
/* The caller answers the push of this generation in this turn of the loop. Tells all workers. */
void push_order_answered(struct push_order *order, struct id device_id, int64_t generation);
/* Forgets pushes that were answered long ago. */
void push_order_forget(struct push_order *order);
