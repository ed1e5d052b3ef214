#include "api/api.h"
#include "base/memory.h"
#include "endpoints.h"

/* Keep sorted by path, then method. */
static const struct route routes[] = {
    {HTTP_GET, "/d/{deviceId}/next", &endpoint_link_next},
    {HTTP_GET, "/d/{deviceId}/ws", &endpoint_link_ws},
    {HTTP_GET, "/docs", &endpoint_docs},
    {HTTP_GET, "/openapi.json", &endpoint_openapi},
    {HTTP_GET, "/v0/devices", &endpoint_v0_device_list},
    {HTTP_GET, "/v0/devices/{deviceId}", &endpoint_v0_device_get},
    {HTTP_PATCH, "/v0/devices/{deviceId}", &endpoint_v0_device_update},
    {HTTP_GET, "/v0/devices/{deviceId}/installations", &endpoint_v0_installation_list},
    {HTTP_DELETE, "/v0/devices/{deviceId}/installations/{installationId}",
     &endpoint_v0_installation_delete},
    {HTTP_POST, "/v0/devices/{deviceId}/push", &endpoint_v0_push},
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

static const struct route health_routes[] = {
    {HTTP_GET, "/livez", &endpoint_livez},
    {HTTP_GET, "/readyz", &endpoint_readyz},
};

static const struct route metrics_routes[] = {
    {HTTP_GET, "/metrics", &endpoint_metrics},
};

static const struct route status_routes[] = {
    {HTTP_GET, "/status", &endpoint_status},
};

const struct route_table api_routes = {routes, array_length(routes)};
const struct route_table api_health_routes = {health_routes, array_length(health_routes)};
const struct route_table api_metrics_routes = {metrics_routes, array_length(metrics_routes)};
const struct route_table api_status_routes = {status_routes, array_length(status_routes)};
