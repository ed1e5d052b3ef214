/* Shared parts of the endpoints, and endpoints that docs/api does not describe, sorted by name. */
#pragma once

#include "api/api.h"
#include "api/operations.h"
#include "base/memory.h"
#include "task/access.h"

static inline struct api_service *api_service(struct task *task)
{
	return container_of(task_service(task), struct api_service, service);
}

/* Panels of this worker. */
static inline struct delivery *api_delivery(struct task *task)
{
	return api_service(task)->delivery;
}

extern const struct endpoint endpoint_alias_next;
extern const struct endpoint endpoint_alias_ws;
extern const struct endpoint endpoint_docs;
extern const struct endpoint endpoint_firmware_file;
extern const struct endpoint endpoint_link_next;
extern const struct endpoint endpoint_link_ws;
extern const struct endpoint endpoint_livez;
extern const struct endpoint endpoint_metrics;
extern const struct endpoint endpoint_openapi;
extern const struct endpoint endpoint_readyz;
extern const struct endpoint endpoint_status;
