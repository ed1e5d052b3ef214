/* See render/outbound.h; what the engines call. */
#pragma once

#include "egress.h"
#include "render/outbound.h"

/* egress: NULL: there is no render host, and each request fails. */
struct outbound *outbound_create(struct loop *loop, struct egress *egress);
/* Drops all requests, which are told so later, and each further one. Before egress_destroy(). */
void outbound_drain(struct outbound *outbound);
/* When the loop has run out. */
void outbound_destroy(struct outbound *outbound);
