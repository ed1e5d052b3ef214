/* A device that has a new key, printed with its URLs, once. */
#pragma once

#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/key.h"

struct device_row {
	struct id id;
	struct str name;
	struct str serial;
	struct str mac;
	struct str key;
	struct str poll_url;
	struct str websocket_url;
	int64_t created_at_us;
};

extern const struct record device_row_record;

/* Sets the key and its URLs in row. Returns CTL_DONE, or CTL_REFUSED after printing why panels
 * would not accept the URLs. */
enum ctl_exit ctl_make_urls(struct ctl *ctl, struct id id, struct str key, struct device_row *row);

/* Checks the URLs of devices before one is created. Returns CTL_DONE, or CTL_REFUSED after printing
 * why panels would not accept them. */
enum ctl_exit ctl_check_urls(struct ctl *ctl);

/* Sends a request that creates a device, or a new key for one, and prints the device with its URLs.
 * Prints a warning if only this machine can reach them. */
enum ctl_exit ctl_make_device(struct ctl *ctl, const struct ctl_request *request);
