/* Tracks the devices whose panels a stream shows, and which of their views must be written. A slow
 * reader gets only the newest view of each device. */
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

/* Set delivery and the functions of a zeroed struct, then call event_views_init(). */
struct event_views {
	struct delivery *delivery;
	/* Called when a view must be written: see event_views_take(). */
	void (*on_view)(struct event_views *views);
	/* Called when a device has changed. May be NULL. */
	void (*on_change)(struct event_views *views, struct id device_id, enum view_change change);
	struct list all;      /* of struct event_view, by node */
	struct list to_write; /* of struct event_view */
};

void event_views_init(struct event_views *views);
/* Ends all view subscriptions. */
void event_views_finish(struct event_views *views);
/* Adds a view subscription to a device of the account. Returns false if there are too many. */
bool event_views_add(struct event_views *views, struct id device_id, struct id account_id);
void event_views_remove(struct event_view *view);
/* Returns the next view to write, whose delivery_view() is known; NULL: none. */
struct event_view *event_views_take(struct event_views *views);
/* Marks all views to be written again. Does not call on_view(). */
void event_views_repeat(struct event_views *views);
