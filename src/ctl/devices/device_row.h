/* A device as displayctl shows it when it has a new key: with its URLs, once. */
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

/* Makes the URLs of a key. CTL_REFUSED if panels would not take them. */
enum ctl_exit ctl_make_urls(struct ctl *ctl, struct id id, struct str key, struct device_row *row);

/* CTL_REFUSED if panels would not take the URLs of any device. */
enum ctl_exit ctl_check_urls(struct ctl *ctl);

/* Sends a request that makes a device, or a new key for one, and prints the device with its URLs.
 * Says if only this machine reaches them. */
enum ctl_exit ctl_make_device(struct ctl *ctl, const struct ctl_request *request);
