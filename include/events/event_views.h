/* The devices whose panels a stream shows: which of their views are to be written. A reader that is
 * slow gets the newest ones, each once. */
#pragma once

#include "delivery/delivery.h"

struct event_views;

struct event_view {
	struct view_subscriber subscriber;
	struct event_views *views;
	struct list node;
	struct list to_write;
	/* State that was written last; for the owner of the views. */
	uint8_t written[16];
	int64_t written_since_us, written_until_us;
	int64_t written_last_online_us;
	bool was_written;
	bool was_online;
};

/* The caller sets delivery and the functions of a zeroed one, and calls init. */
struct event_views {
	struct delivery *delivery;
	/* A view is to be written: see event_views_take(). */
	void (*on_view)(struct event_views *views);
	/* A device has changed. May be NULL. */
	void (*on_change)(struct event_views *views, struct id device_id, enum view_change change);
	struct list all;      /* of struct event_view, by node */
	struct list to_write; /* of struct event_view */
};

void event_views_init(struct event_views *views);
/* Looks at nothing any more. */
void event_views_finish(struct event_views *views);
/* Looks at one device of the account more. False: too many are looked at. */
bool event_views_add(struct event_views *views, struct id device_id, struct id account_id);
void event_views_remove(struct event_view *view);
/* Next view to be written, whose delivery_view() is known; NULL: there is none. */
struct event_view *event_views_take(struct event_views *views);
/* The present state of all of them is to be written again. on_view() is not called. */
void event_views_repeat(struct event_views *views);
