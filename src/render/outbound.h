/* Functions for the engines: see render/outbound.h. */
#pragma once

#include "egress.h"
#include "render/outbound.h"

/* egress NULL: there is no render host, and each request fails. */
struct outbound *outbound_create(struct loop *loop, struct egress *egress);
/* Drops all requests, which is reported later, and each further one. Call it before
 * egress_destroy(). */
void outbound_drain(struct outbound *outbound);
/* Call it when the loop has ended. */
void outbound_destroy(struct outbound *outbound);
