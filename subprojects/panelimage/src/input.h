/* Checks the input before it is decoded. */
#pragma once

#include "panelimage/panelimage.h"

/* Checks the panel's size, the number of bytes, and the format. Returns 0, or -1 with *reterr set.
 */
int pi_check_input(const uint8_t *data, size_t size, size_t max_bytes, struct panelimage_size panel,
		   struct panelimage_error *reterr);
