/* Answer to a panel that polls. */
#pragma once

#include <text/str.h>

#include <stdint.h>

struct poll_picture {
	struct str webp; /* in the arena, or static */
	int brightness;
	int64_t dwell_s;
	bool reboot;	      /* the panel shall restart */
	struct str url;	      /* its new address; data is NULL: unchanged */
	struct str image_url; /* URL of its new firmware; data is NULL: unchanged */
};
