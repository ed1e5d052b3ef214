#include "task/cors.h"

static bool is_allowed(const struct service *service, struct str origin)
{
	for (unsigned i = 0; i < service->cors_origin_count; i++) {
		if (str_equal(origin, str_from(service->cors_origins[i])))
			return true;
	}
	return false;
}

static struct str origin_of(const struct http_request *request)
{
	return http_request_field(request, STR("origin"));
}

bool cors_concerns(const struct http_request *request)
{
	/* Browsers add the cookie to requests below /web/ automatically. */
	return !str_starts_with(request->path, STR("/web/"));
}

void cors_add_fields(const struct service *service, const struct http_request *request,
		     struct http_response *response)
{
	struct str origin = origin_of(request);

	if (service->cors_origin_count == 0)
		return;
	http_response_add(response, STR("Vary"), STR("Origin"));
	if (!is_allowed(service, origin))
		return;
	http_response_add(response, STR("Access-Control-Allow-Origin"), origin);
	http_response_add(response, STR("Access-Control-Expose-Headers"),
			  STR("Allow, Displayd-Shown, ETag, Link, RateLimit, RateLimit-Policy, "
			      "Retry-After, WWW-Authenticate, "
			      "X-Request-Id"));
}

bool cors_is_preflight(const struct service *service, const struct http_request *request)
{
	return cors_concerns(request) && request->method == HTTP_OPTIONS &&
	       is_allowed(service, origin_of(request)) &&
	       http_request_field(request, STR("access-control-request-method")).data;
}

void cors_add_options_fields(const struct service *service, const struct http_request *request,
			     struct str allow, struct http_response *response)
{
	cors_add_fields(service, request, response);
	if (!cors_is_preflight(service, request))
		return;
	http_response_add(response, STR("Access-Control-Allow-Methods"), allow);
	http_response_add(response, STR("Access-Control-Allow-Headers"),
			  STR("Authorization, Cache-Control, Content-Type, If-Match, "
			      "If-None-Match, Last-Event-ID, "
			      "X-Request-Id"));
	http_response_add(response, STR("Access-Control-Max-Age"), STR("3600"));
}
