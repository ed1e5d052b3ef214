#include "api/api.h"
#include "base/memory.h"
#include "endpoints.h"

static const struct route link_routes[] = {
    {HTTP_GET, "/d/{deviceId}/firmware/{token}", &endpoint_firmware_file},
    {HTTP_GET, "/d/{deviceId}/next", &endpoint_link_next},
    {HTTP_GET, "/d/{deviceId}/ws", &endpoint_link_ws},
    {HTTP_GET, "/{alias}/next", &endpoint_alias_next},
    {HTTP_GET, "/{alias}/ws", &endpoint_alias_ws},
};

static const struct route document_routes[] = {
    {HTTP_GET, "/docs", &endpoint_docs},
    {HTTP_GET, "/openapi.json", &endpoint_openapi},
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

const struct route_table api_link_routes = {link_routes, array_length(link_routes)};
const struct route_table api_document_routes = {document_routes, array_length(document_routes)};
const struct route_table api_health_routes = {health_routes, array_length(health_routes)};
const struct route_table api_metrics_routes = {metrics_routes, array_length(metrics_routes)};
const struct route_table api_status_routes = {status_routes, array_length(status_routes)};
