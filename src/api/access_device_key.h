/* A panel proves which device it is by the device's key, in the query of its URLs or as a bearer
 * token.
 *
 * A panel that is refused gets 404 and a small picture, never 401, 403 or 5xx: firmware repeats
 * those requests every second, but waits after a 404. Endpoints with this access take no body. */
#pragma once

#include "delivery/delivery.h"
#include "task/access.h"

extern const struct access access_device_key;
/* Access of a panel that uses the former address of an imported device. Wrong addresses are counted
 * by their callers' addresses and networks. An address that is a random number of 32 or 64 bits is
 * a secret: the device's key is needed only if the other server required it. One that can be
 * guessed
 * ("living-room") needs the key, which also decides between devices of several accounts; without it
 * the address works only if the owner has said so and has the only account of the server. */
extern const struct access access_device_alias;

/* Returns the panel of the path. It is valid in the handler's first step, and in each step that
 * follows a delivery_poll() which returned false; there it is NULL if the device was removed
 * meanwhile. */
struct panel *access_panel(struct task *task);
/* Returns the look-up that found the panel. */
struct panel_lookup *access_panel_lookup(struct task *task);

/* Answers 404 with delivery_refusal_picture(). */
__attribute__((warn_unused_result)) struct step_result access_refuse_panel(struct task *task);
