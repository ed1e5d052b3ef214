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

/* Any resource: RFC 9110 section 9.3.7. */
static void answer_options(const struct service *service, struct http_request *request,
			   struct str allow)
{
	struct http_response response = {.status = 204};

	http_response_add(&response, STR("Allow"), allow);
	if (cors_concerns(request))
		cors_add_options_fields(service, request, allow, &response);
	http_respond(request, &response);
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
		if (request->method == HTTP_OPTIONS)
			answer_options(service, request, match.allow);
		else
			refuse(service, request, 405,
			       arena_printf(&request->arena,
					    "the methods of this resource are %.*s",
					    STR_ARG(match.allow)),
			       match.allow);
		break;
	case ROUTE_UNKNOWN:
		refuse(service, request, 404, STR("there is no such resource"), (struct str){0});
		break;
	}
}
