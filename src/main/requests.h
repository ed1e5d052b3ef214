/* The requests' side of a worker: what answers them. */
#pragma once

#include "api/api.h"
#include "main/config.h"

struct requests {
	struct api_service api;
};

/* Before the loop runs. All stay valid. shared: see main/shared.h. */
void requests_start(struct requests *requests, struct loop *loop, struct db *db,
		    const struct config *config, const char *public_url, struct region_map *shared);

/* Panels are sent away; requests at work go on. */
void requests_drain(struct requests *requests);
/* After the database's connections are closed. */
void requests_finish(struct requests *requests);
