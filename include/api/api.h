/* The HTTP endpoints: one file each in src/api, one sorted route table. */
#pragma once

#include "http/request.h"

struct service;

/* For struct http_server_settings: context is the struct service. */
void api_on_request(struct http_request *request, void *context);
