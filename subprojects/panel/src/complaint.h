/* Prints the command's messages on standard error, each with the command's name before it. */
#pragma once

#include "panel/panel.h"

/* Sets the mask for all later messages; NULL: none. */
void complaint_set_mask(panel_mask *mask);

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
