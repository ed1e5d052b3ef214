/* View subscriptions: what the panels of devices show, for pages that look at them.
 *
 *   page --delivery_subscribe_view()--> subscription --hint "watch:..."--> holder of the panel
 *   page <--on_view()------------------ subscription <--hint "shows:..."-- holder of the panel
 *
 * Only the worker that holds a panel's connection, or that answered its last poll, knows what the
 * panel shows. It sends that at once, and at each change, while the device is watched: until the
 * last page is closed, or its worker was not heard for 30 s. Nothing is sent for devices that
 * nobody watches. */
#pragma once

#include "base/list.h"
#include "domain/picture_hash.h"
#include "domain/shown.h"

struct view_subscription;

struct view_picture {
	enum shown_kind kind;
	bool has_hash;
	uint8_t hash[PICTURE_HASH_BYTES]; /* of the picture without its filter */
	uint8_t filter;			  /* enum color_filter */
	struct str installation_id;	  /* data is NULL if the picture is not an installation's */
};

enum { VIEW_PICTURE_TEXT_BYTES = 2 * PICTURE_HASH_BYTES + 1 + COLOR_FILTER_NAME_MAX + 1 };

/* Writes the name of what is seen: the picture's hash in hexadecimal digits, and "-sepia" if it has
 * that filter; data is NULL if it has no hash. */
struct str view_picture_text(const struct view_picture *picture,
			     char text[static VIEW_PICTURE_TEXT_BYTES]);
/* Reads such a name. Returns false if it is not one. */
bool view_picture_parse(struct str text, uint8_t ret_hash[static PICTURE_HASH_BYTES],
			uint8_t *ret_filter);

/* View of a panel: what it shows. Times: microseconds, wall clock; 0: not known. */
struct panel_view {
	enum shown_connection connection;
	bool is_acknowledged;
	int brightness;
	struct view_picture now;
	struct view_picture next; /* kind SHOWN_UNKNOWN: no next picture, or not known */
	int64_t since_us;
	int64_t until_us;
	int64_t rank_us;	/* when the panel connected, or its last poll */
	int64_t last_online_us; /* if the panel is offline */
};

enum view_change { VIEW_SETTINGS, VIEW_ROTATION };

/* Page that shows a device. Embed it; it must live until delivery_unsubscribe_view(). */
struct view_subscriber {
	struct list node;			/* private */
	struct view_subscription *subscription; /* private */
	/* Called when the panel's view is known, or has changed: see delivery_view(). */
	void (*on_view)(struct view_subscriber *subscriber);
	/* Called when the device, or the entries of its rotation, have changed. */
	void (*on_change)(struct view_subscriber *subscriber, enum view_change change);
};

/* Returns the panel's view, valid until the next turn of the loop; NULL while it is not known. */
const struct panel_view *delivery_view(const struct view_subscriber *subscriber);
struct id delivery_view_id(const struct view_subscriber *subscriber);
/* Whether two times of views count as equal: clocks of instances differ a little, so times derived
 * from them jitter. */
bool delivery_is_same_time(int64_t a_us, int64_t b_us);
