/* All endpoints, sorted by name, and what they share. */
#pragma once

#include "api/api.h"
#include "base/memory.h"
#include "task/access.h"

static inline struct api_service *api_service(struct task *task)
{
	return container_of(task_service(task), struct api_service, service);
}

/* The panels of this worker. */
static inline struct delivery *api_delivery(struct task *task)
{
	return api_service(task)->delivery;
}

extern const struct endpoint endpoint_account_get;
extern const struct endpoint endpoint_app_list;
extern const struct endpoint endpoint_app_version_deploy;
extern const struct endpoint endpoint_app_version_list;
extern const struct endpoint endpoint_app_version_upload;
extern const struct endpoint endpoint_device_get;
extern const struct endpoint endpoint_device_list;
extern const struct endpoint endpoint_device_update;
extern const struct endpoint endpoint_docs;
extern const struct endpoint endpoint_installation_delete;
extern const struct endpoint endpoint_installation_list;
extern const struct endpoint endpoint_link_next;
extern const struct endpoint endpoint_link_ws;
extern const struct endpoint endpoint_livez;
extern const struct endpoint endpoint_metrics;
extern const struct endpoint endpoint_openapi;
extern const struct endpoint endpoint_push;
extern const struct endpoint endpoint_readyz;
extern const struct endpoint endpoint_status;
extern const struct endpoint endpoint_v0_device_get;
extern const struct endpoint endpoint_v0_device_list;
extern const struct endpoint endpoint_v0_device_update;
extern const struct endpoint endpoint_v0_installation_delete;
extern const struct endpoint endpoint_v0_installation_list;
extern const struct endpoint endpoint_v0_push;
