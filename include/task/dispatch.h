/* Dispatches the requests of a listener: finds the endpoint of each request in the listener's route
 * tables and starts its task; answers 404, 405 and preflights itself. */
#pragma once

#include "http/listener.h"
#include "http/router.h"
#include "task/service.h"

enum { DISPATCH_TABLES_MAX = 8 };

struct dispatch {
	struct service *service;
	struct router router; /* each route's data is a struct endpoint */
	/* Answers requests of browsers for unknown paths; NULL: with a problem. Set after
	 * dispatch_init(). */
	const struct route *missing;
	unsigned first_metric_routes[DISPATCH_TABLES_MAX]; /* number of the first route of each
							      table */
};

/* tables: those of the listener, in the order of the search, at most DISPATCH_TABLES_MAX. all:
 * those of all listeners, each once, to number and name the routes for the metrics. Both end with
 * NULL, and must outlive the dispatch. role: for operator and bridge, only routes whose endpoint is
 * for them exist. */
void dispatch_init(struct dispatch *dispatch, struct service *service,
		   const struct route_table *const *tables, const struct route_table *const *all,
		   enum http_role role);

/* Callback on_request of struct http_listener_settings; context is the struct dispatch. */
void task_dispatch(struct http_request *request, void *context);
