/* Prints the command's messages on standard error, with its name before each. */
#pragma once

#include "panel/panel.h"

/* Masks all later messages; NULL: no mask. */
void complaint_set_mask(panel_mask *mask);

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
