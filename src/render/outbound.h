/* Functions for the engines: see render/outbound.h. */
#pragma once

#include "egress.h"
#include "render/outbound.h"

/* Sends the request with the method, url, headers and body, for the asker. fetch: as for
 * egress_ask(). */
void outbound_ask(struct egress *egress, struct egress_fetch *fetch,
		  const struct egress_asker *asker, const struct outbound_request *request,
		  const char *method);

/* egress NULL: there is no render host, and each request fails. */
struct outbound *outbound_create(struct loop *loop, struct egress *egress);
/* Drops all requests, which is reported later, and each further one. Call it before
 * egress_destroy(). */
void outbound_drain(struct outbound *outbound);
/* Call it when the loop has ended. */
void outbound_destroy(struct outbound *outbound);
