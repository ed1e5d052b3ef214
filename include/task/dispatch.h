/* The door of a listener: finds the endpoint of each request in the listener's route tables and
 * starts its task; answers 404, 405 and preflights itself. */
#pragma once

#include "http/listener.h"
#include "http/router.h"
#include "task/service.h"

enum { DISPATCH_TABLES_MAX = 8 };

struct dispatch {
	struct service *service;
	struct router router; /* each route's data is a struct endpoint */
	/* Answers browsers' requests for what is not there; NULL: a problem does. Set after
	 * dispatch_init(). */
	const struct route *missing;
	unsigned first_metric_routes[DISPATCH_TABLES_MAX]; /* of each table */
};

/* tables: of the listener, in the order in which they are looked through, and at most
 * DISPATCH_TABLES_MAX. all: those of all listeners, each once: by them the routes are numbered and
 * named for the metrics. Both end with NULL, and stay valid. role: of the operator
 * and of the bridge only routes whose endpoint is for them exist here. */
void dispatch_init(struct dispatch *dispatch, struct service *service,
		   const struct route_table *const *tables, const struct route_table *const *all,
		   enum http_role role);

/* Callback for struct http_listener_settings; context is the struct dispatch. */
void task_dispatch(struct http_request *request, void *context);
