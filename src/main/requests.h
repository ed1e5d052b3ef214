/* The requests' side of a worker: what answers them, and what the database's hints lead to. */
#pragma once

#include "http/request.h"
#include "main/config.h"
#include "task/service.h"

struct requests {
	struct service service;
};

/* Makes all but the database's connections: give service.db before the loop runs. shared: see
 * main/shared.h. */
void requests_start(struct requests *requests, struct loop *loop, const struct config *config,
		    const char *public_url, struct region_map *shared);

/* For struct db_settings; context is the struct requests. */
void requests_on_hint(void *context, struct str word);
void requests_on_hints_up(void *context, bool up);

/* Panels are sent away; requests at work go on. */
void requests_drain(struct requests *requests);
/* After the database's connections are closed. */
void requests_finish(struct requests *requests);
