/* Reads a request for a panel's picture: its path's suffix, its query, or Accept. */
#pragma once

#include "http/request.h"

#include <panelimage/panelimage.h>

struct picture_request {
	enum panelimage_format format;
	unsigned scale; /* 0: none was asked for */
	bool has_leds;
	bool is_negotiated; /* the format was chosen by Accept */
};

/* Returns NULL, or the fault. If Accept has none of the formats, the format is WebP. */
const char *picture_request_read(const struct http_request *request,
				 struct picture_request *ret_request);
