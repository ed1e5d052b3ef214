/* The requests' side of a worker: what answers them, and what the database's hints lead to. */
#pragma once

#include "http/request.h"
#include "main/config.h"
#include "task/service.h"

/* Bytes that the workers of an instance share: rate buckets, and where polling panels are. */
size_t requests_shared_size(void);
/* Before the workers are forked; memory is zeroed. */
void requests_shared_init(void *memory);

struct requests {
	struct service service;
	void *shared;
};

/* Makes all but the database's connections: give service.db before the loop runs. */
void requests_start(struct requests *requests, struct loop *loop, const struct config *config,
		    const char *public_url, void *shared);

/* For struct db_settings; context is the struct requests. */
void requests_on_hint(void *context, struct str word);
void requests_on_hints_up(void *context, bool up);

/* Panels are sent away; requests at work go on. */
void requests_drain(struct requests *requests);
/* After the database's connections are closed. */
void requests_finish(struct requests *requests);
