/* The door of a listener: finds the endpoint of each request in the listener's route tables and
 * starts its task; answers 404, 405 and preflights itself. */
#pragma once

#include "http/router.h"
#include "task/service.h"

struct dispatch {
	struct service *service;
	/* Each route's data is a struct endpoint. NULL at the end. */
	const struct route_table *const *tables;
};

/* For struct http_listener_settings; context is the struct dispatch. */
void task_dispatch(struct http_request *request, void *context);
