/* The URLs by which a panel reaches the server; they hold the device's key. */
#pragma once

#include "base/arena.h"
#include "base/id.h"

/* Firmware drops longer ones without a word. */
enum { DEVICE_URL_LENGTH_MAX = 128 };

struct device_link {
	struct str websocket_url;
	struct str polling_url;
	/* Number of characters that the longer one has too many; 0: panels take both. */
	size_t excess;
};

/* base: what URLs that are handed out start with, http or https, no slash at its end. */
struct device_link device_link_make(struct arena *arena, struct str base, struct id device_id,
				    struct str key);
