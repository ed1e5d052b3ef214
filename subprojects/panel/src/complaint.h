/* What the command says on standard error, with its name before it. */
#pragma once

#include "panel/panel.h"

/* Of all that follow; NULL: none. */
void complaint_set_mask(panel_mask *mask);

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
