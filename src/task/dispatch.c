#include "task/dispatch.h"
#include "http/response.h"
#include "task/cors.h"
#include "task/task.h"

static void refuse(const struct service *service, struct http_request *request, int status,
		   struct str detail, struct str allow)
{
	struct http_response response = {0};

	if (cors_concerns(request))
		cors_add_fields(service, request, &response);
	if (allow.length)
		http_response_add(&response, STR("Allow"), allow);
	http_respond_problem(request, status, detail, (struct str){0}, &response);
}

void task_dispatch(struct http_request *request, void *context)
{
	const struct dispatch *dispatch = context;
	struct service *service = dispatch->service;
	struct route_match match;

	switch (router_find(dispatch->tables, request, &match)) {
	case ROUTE_FOUND:
		task_start(service, request, match.route->data, &match);
		break;
	case ROUTE_METHOD:
		if (cors_concerns(request) && cors_is_preflight(service, request))
			cors_answer_preflight(service, request, match.allow);
		else
			refuse(service, request, 405, STR("this resource has no such method"),
			       match.allow);
		break;
	case ROUTE_UNKNOWN:
		refuse(service, request, 404, STR("there is no such resource"), (struct str){0});
		break;
	}
}
