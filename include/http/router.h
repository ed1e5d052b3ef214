/* Finds the route of a request in one or several tables, matched segment by segment.
 *
 * A template is "/v1/devices/{deviceId}/push". A "{name}" stands for one non-empty segment, which
 * is percent-decoded once. A trailing slash in the request's path makes no difference. */
#pragma once

#include "http/request.h"

enum { ROUTE_PARAMETERS_MAX = 4, ROUTER_ROUTES_MAX = 384, ROUTER_GROUPS = 256 };

struct route {
	enum http_method method;
	const char *path; /* template */
	const void *data; /* for use by the owner of the table */
};

/* A module's routes, in no particular order. */
struct route_table {
	const struct route *routes;
	size_t count;
};

struct route_match {
	const struct route *route;		     /* NULL unless found */
	unsigned table;				     /* number of the table that has the route, from
							0 */
	struct str parameters[ROUTE_PARAMETERS_MAX]; /* decoded, in the arena, NUL-terminated */
	unsigned parameter_count;
	struct str allow; /* for 405: "GET, HEAD, PUT"; else empty */
};

/* The routes of several tables, grouped by a hash of their first two segments and of the number of
 * segments, which rules out most of them. */
struct router {
	const struct route_table *const *tables; /* NULL at the end */
	struct {
		const struct route *route;
		unsigned table; /* index in tables */
	} routes[ROUTER_ROUTES_MAX];
	uint16_t starts[ROUTER_GROUPS + 1]; /* index of the first route of each group */
};

/* tables, which ends with NULL, and the routes stay the caller's, and must live as long as the
 * router. They have at most ROUTER_ROUTES_MAX routes. has: whether a route exists here; NULL: all
 * do. The router owns no memory. */
void router_init(struct router *router, const struct route_table *const tables[],
		 bool (*has)(const struct route *route));

enum route_result { ROUTE_FOUND, ROUTE_UNKNOWN /* 404 */, ROUTE_METHOD /* 405 */ };

/* HEAD finds the route of GET. A segment that decodes to a NUL, a slash or invalid UTF-8, or is not
 * well-formed percent-encoding, is ROUTE_UNKNOWN. Literal segments have precedence over parameters,
 * in all tables. "*", the server as a whole, has no route, and the methods of all routes (RFC 9110
 * section 9.3.7). */
enum route_result router_find(const struct router *router, struct http_request *request,
			      struct route_match *ret_match);
