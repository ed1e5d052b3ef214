/* Pictures on their way to panels.
 *
 * A worker keeps the devices whose panels it serves in memory (struct panel). What changes is told
 * by hints ("device 42 is now at generation 17"); the generation in the database decides, and a
 * slow sweep repairs what lost hints left behind. Losing the database disturbs no panel that is
 * known.
 *
 *   push handler --delivery_device_changed()--> this worker's panel, and a hint to all others
 *   hint --delivery_on_hint()--> panel is loaded anew --> its sessions decide what to send
 */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "domain/device_reference.h"
#include "domain/key.h"
#include "http/request.h"
#include "task/service.h"

struct delivery;
struct panel;
struct cursor_table;

/* Bytes of memory shared by the workers that polling needs; zeroed. See delivery/cursor.c. */
size_t cursor_table_size(void);
struct cursor_table *cursor_table_init(void *memory);

struct delivery *delivery_create(struct service *service, struct cursor_table *cursors);

/* Drops all panels' connections, without a CLOSE frame, and writes down when they were last seen.
 */
void delivery_drain(struct delivery *delivery);
/* After db_close() and http_server_close(), when the loop has run out. */
void delivery_destroy(struct delivery *delivery);

/* A change of a device was committed: tells its panel here and all other workers. */
void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation);

/* Another version of an app was deployed: tells all workers. */
void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation);

/* "<id>:<generation>", from a hint "device:...". */
void delivery_on_hint(struct delivery *delivery, struct str text);
/* Hints may have been lost: looks at the generations of all panels. */
void delivery_on_hints_up(struct delivery *delivery, bool up);

/* ---- the device link ---- */

/* Waits for a panel; embed it in what waits. */
struct panel_search {
	struct list node; /* private */
	/* Called later, on the loop. NULL: no such device, wrong key, disabled, or not known while
	 * the database is away. The panel is valid during this call. */
	void (*done)(struct panel_search *search, struct panel *panel);
	uint8_t key_hash[KEY_HASH_BYTES]; /* private */
	struct delivery *delivery;	  /* private */
};

/* Finds a device for its panel and checks the key. True: *ret_panel is the answer, as done() would
 * have it, and done is never called. False: done will be called. */
bool delivery_find(struct delivery *delivery, struct panel_search *search,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel);

struct id panel_id(const struct panel *panel);

/* What a polling panel is given; valid until the loop's next turn. */
struct poll_picture {
	struct str webp;
	int brightness;
	int64_t dwell_s;
};
struct poll_picture delivery_poll(struct delivery *delivery, struct panel *panel);

/* A small WebP for a device that is not known here. */
struct str delivery_unknown_picture(void);

/* Makes a request that is a WebSocket handshake the panel's connection. */
void delivery_connect(struct delivery *delivery, struct panel *panel, struct http_request *request);
