/* The HTTP endpoints: one file each in src/api, one sorted route table. */
#pragma once

#include "http/request.h"
#include "task/service.h"

struct delivery;

/* What the endpoints share. Owned by main; lives as long as the worker. */
struct api_service {
	struct service service; /* for the tasks */
	struct delivery *delivery;
};

/* For struct http_listener_settings: context is the struct api_service. */
void api_on_request(struct http_request *request, void *context);
