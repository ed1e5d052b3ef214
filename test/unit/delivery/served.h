/* A complete delivery on script.c, and the calls of the panel endpoints. */
#pragma once

#include "delivery/delivery.h"
#include "script.h"

extern struct delivery *served;

/* Setup and teardown, including script_begin() and script_end(). */
int serve_begin(void **state);
int serve_end(void **state);

/* A look-up and its outcome. */
struct asked_lookup {
	struct panel_lookup lookup;
	struct panel *panel; /* valid right after is_done has become true */
	bool is_done;
	unsigned times; /* number of calls of done() */
};

/* reference: the device's name in the URL. */
void look_up(struct asked_lookup *asked_lookup, const char *reference, const char *key);
/* Looks up by ID, with the key of the device. */
void look_up_device(struct asked_lookup *asked_lookup, const struct script_device *device);
/* Looks the device up, and answers the load that this needs; never NULL. */
struct panel *panel_of_device(const struct script_device *device);
/* Does the same, and connects a panel; its first messages stay in the socket. */
struct script_socket *connect_device(const struct script_device *device);
/* Returns "<picture> dwell" of the next poll; "wait" if the picture must be read first. */
const char *poll(const struct script_device *device);
