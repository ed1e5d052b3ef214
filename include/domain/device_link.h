/* URLs by which a panel reaches the server. They contain the device's key. */
#pragma once

#include "base/arena.h"
#include "base/id.h"

/* Firmware silently drops longer URLs. */
enum { DEVICE_URL_LENGTH_MAX = 128 };

struct device_link {
	struct str websocket_url;
	struct str polling_url;
	/* Characters by which the longer URL exceeds the maximum; 0: panels take both. */
	size_t excess;
};

/* base: start of the URLs, http or https, without a slash at its end. The URLs lie in the arena. */
struct device_link device_link_make(struct arena *arena, struct str base, struct id device_id,
				    struct str key);
