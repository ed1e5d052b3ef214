/* How a panel shows which device it is: by the key of the device, in the query of its URLs or as a
 * bearer token.
 *
 * Every fault is answered 404 with a small picture, never 401, 403 or 5xx: firmware repeats those
 * every second, and waits after a 404 (device-link.md). Endpoints with this access take no body. */
#pragma once

#include "delivery/delivery.h"
#include "task/access.h"

extern const struct access access_device_key;

/* The panel of the path, valid in the step that follows the look-up: the handler's first one, and
 * each that delivery_poll() has waited for. NULL: the device was removed meanwhile. */
struct panel *access_panel(struct task *task);
/* The look-up that found the panel. */
struct panel_lookup *access_panel_lookup(struct task *task);

/* Answers 404 with the picture "unknown device". */
__attribute__((warn_unused_result)) struct verdict access_refuse_panel(struct task *task);
