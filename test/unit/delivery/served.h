/* A whole delivery on script.c, and calls that the device link makes. */
#pragma once

#include "delivery/delivery.h"
#include "script.h"

extern struct delivery *served;

/* Setup and teardown, with script_begin() and script_end() in them. */
int serve_begin(void **state);
int serve_end(void **state);

/* A look-up and its outcome. */
struct asked_lookup {
	struct panel_lookup lookup;
	struct panel *panel; /* valid when is_done was just seen to turn true */
	bool is_done;
	unsigned times; /* that done() was called */
};

/* reference: what stands in the URL. */
void look_up(struct asked_lookup *asked_lookup, const char *reference, const char *key);
/* By ID, and with the key that the device has. */
void look_up_device(struct asked_lookup *asked_lookup, const struct script_device *device);
/* Looks it up, and answers the load that this takes; never NULL. */
struct panel *panel_of_device(const struct script_device *device);
/* The same, and connects it; the first messages are left in the socket. */
struct script_socket *connect_device(const struct script_device *device);
/* "<picture> dwell" of the next poll; "wait" if the picture must be fetched. */
const char *poll(const struct script_device *device);
