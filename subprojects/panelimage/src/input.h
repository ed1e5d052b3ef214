/* What is asked of the bytes before anything is decoded. */
#pragma once

#include "panelimage/panelimage.h"

/* Size and format. Returns 0, or -1 with *reterr set. */
int pi_check_input(const uint8_t *data, size_t size, struct panelimage_error *reterr);
