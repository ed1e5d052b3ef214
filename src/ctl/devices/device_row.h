/* A device as displayctl shows it when it has a new key: with its URLs, once. */
#pragma once

#include "ctl/ctl.h"
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

/* After a device was made or got a new key: with the URLs that were made before. Says if only
 * this machine reaches them. */
enum ctl_exit ctl_print_device(struct ctl *ctl, struct device_row *row,
			       const struct device_row *urls);
