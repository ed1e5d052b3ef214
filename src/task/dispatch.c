#include "task/dispatch.h"
#include "base/require.h"
#include "http/response.h"
#include "metric/metric.h"
#include "task/cors.h"
#include "task/task.h"

static void dispatch_refuse(const struct service *service, struct http_request *request,
			    const struct problem_kind *kind, struct str detail, struct str allow)
{
	struct http_response response = {0};

	if (cors_concerns(request))
		cors_add_fields(service, request, &response);
	if (allow.length)
		http_response_add(&response, STR("Allow"), allow);
	http_respond_problem(request, kind, detail, (struct str){0}, &response);
}

/* Any resource: RFC 9110 section 9.3.7. allow: empty for the preflight of an unknown one. */
static void answer_options(const struct service *service, struct http_request *request,
			   struct str allow)
{
	struct http_response response = {.status = 204};

	if (allow.length)
		http_response_add(&response, STR("Allow"), allow);
	else
		allow = STR("GET, HEAD, POST, PUT, PATCH, DELETE");
	if (cors_concerns(request))
		cors_add_options_fields(service, request, allow, &response);
	http_respond(request, &response);
}

static const char *const method_names[] = {
    [HTTP_GET] = "GET",		[HTTP_HEAD] = "HEAD",	       [HTTP_POST] = "POST",
    [HTTP_PUT] = "PUT",		[HTTP_PATCH] = "PATCH",	       [HTTP_DELETE] = "DELETE",
    [HTTP_OPTIONS] = "OPTIONS", [HTTP_METHOD_OTHER] = "other",
};

/* Names the table's routes; returns the number after the last one. */
static unsigned name_routes(const struct route_table *table, unsigned first)
{
	for (unsigned i = 0; i < table->count; i++)
		metric_name_route(first + i, method_names[table->routes[i].method],
				  table->routes[i].path);
	return first + (unsigned)table->count;
}

static bool is_for_operator(const struct route *route)
{
	return ((const struct endpoint *)route->data)->is_for_operator;
}

static bool is_for_bridge(const struct route *route)
{
	return ((const struct endpoint *)route->data)->is_for_bridge;
}

void dispatch_init(struct dispatch *dispatch, struct service *service,
		   const struct route_table *const *tables, const struct route_table *const *all,
		   enum http_role role)
{
	unsigned number = METRIC_ROUTES_FIRST;

	*dispatch = (struct dispatch){.service = service};
	router_init(&dispatch->router, tables,
		    role == HTTP_ROLE_OPERATOR ? is_for_operator
		    : role == HTTP_ROLE_BRIDGE ? is_for_bridge
					       : NULL);
	for (; *all; all++) {
		for (unsigned i = 0; tables[i]; i++) {
			require(i < DISPATCH_TABLES_MAX);
			if (tables[i] == *all)
				dispatch->first_metric_routes[i] = number;
		}
		number = name_routes(*all, number);
	}
}

static unsigned metric_route(const struct dispatch *dispatch, const struct route_match *match)
{
	return dispatch->first_metric_routes[match->table] +
	       (unsigned)(match->route - dispatch->router.tables[match->table]->routes);
}

/* Whether a person with a browser requests an unknown path: programs do not accept HTML. */
static bool wants_page(const struct dispatch *dispatch, const struct http_request *request)
{
	struct str accept = http_request_field(request, STR("accept"));

	return dispatch->missing && request->method == HTTP_GET &&
	       str_starts_with(accept, STR("text/html"));
}

void task_dispatch(struct http_request *request, void *context)
{
	const struct dispatch *dispatch = context;
	struct service *service = dispatch->service;
	struct route_match match;

	switch (router_find(&dispatch->router, request, &match)) {
	case ROUTE_FOUND:
		request->metric_route = metric_route(dispatch, &match);
		task_start(service, request, match.route->data, &match);
		break;
	case ROUTE_METHOD:
		if (request->method == HTTP_OPTIONS)
			answer_options(service, request, match.allow);
		else
			dispatch_refuse(service, request, PROBLEM_METHOD_NOT_ALLOWED,
					arena_printf(&request->arena,
						     "the methods of this resource are %.*s",
						     STR_ARG(match.allow)),
					match.allow);
		break;
	case ROUTE_UNKNOWN:
		/* Without this a page could not read the 404: its browser would not even ask. */
		if (cors_is_preflight(service, request))
			answer_options(service, request, (struct str){0});
		else if (wants_page(dispatch, request))
			task_start(service, request, dispatch->missing->data,
				   &(struct route_match){.route = dispatch->missing});
		else
			dispatch_refuse(service, request, PROBLEM_PATH_NOT_FOUND,
					STR("there is no such resource"), (struct str){0});
		break;
	}
}
