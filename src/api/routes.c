#include "api/api.h"
#include "endpoints.h"
#include "http/response.h"
#include "task/cors.h"

/* Keep sorted by path, then method. */
static const struct route routes[] = {
    {HTTP_GET, "/d/{deviceId}/next", &endpoint_link_next},
    {HTTP_GET, "/d/{deviceId}/ws", &endpoint_link_ws},
    {HTTP_GET, "/docs", &endpoint_docs},
    {HTTP_GET, "/livez", &endpoint_livez},
    {HTTP_GET, "/openapi.json", &endpoint_openapi},
    {HTTP_GET, "/readyz", &endpoint_readyz},
    {HTTP_GET, "/v1/account", &endpoint_account_get},
    {HTTP_GET, "/v1/apps", &endpoint_app_list},
    {HTTP_POST, "/v1/apps/{appId}/deploy", &endpoint_app_version_deploy},
    {HTTP_POST, "/v1/apps/{appId}/upload", &endpoint_app_version_upload},
    {HTTP_GET, "/v1/apps/{appId}/versions", &endpoint_app_version_list},
    {HTTP_GET, "/v1/devices", &endpoint_device_list},
    {HTTP_GET, "/v1/devices/{deviceId}", &endpoint_device_get},
    {HTTP_PATCH, "/v1/devices/{deviceId}", &endpoint_device_update},
    {HTTP_GET, "/v1/devices/{deviceId}/installations", &endpoint_installation_list},
    {HTTP_DELETE, "/v1/devices/{deviceId}/installations/{installationId}",
     &endpoint_installation_delete},
    {HTTP_POST, "/v1/devices/{deviceId}/push", &endpoint_push},
};

const struct route *api_routes(size_t *ret_count)
{
	*ret_count = array_length(routes);
	return routes;
}

static bool is_public_api(const struct http_request *request)
{
	return str_starts_with(request->path, STR("/v1/"));
}

static void refuse(const struct service *service, struct http_request *request, int status,
		   struct str detail, struct str allow)
{
	struct http_response response = {0};

	if (is_public_api(request))
		cors_add_fields(service, request, &response);
	if (allow.length)
		http_response_add(&response, STR("Allow"), allow);
	http_respond_problem(request, status, detail, (struct str){0}, &response);
}

void api_on_request(struct http_request *request, void *context)
{
	struct api_service *api = context;
	struct service *service = &api->service;
	struct route_match match;

	switch (router_find(routes, array_length(routes), request, &match)) {
	case ROUTE_FOUND:
		task_start(service, request, match.route->data, &match);
		break;
	case ROUTE_METHOD:
		if (is_public_api(request) && cors_is_preflight(service, request))
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
