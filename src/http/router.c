#include "http/router.h"
#include "base/memory.h"
#include "base/require.h"

#include <text/utf8.h>

enum { SEGMENTS_MAX = 16, HASHED_LETTERS = 4 };

struct segments {
	struct str text[SEGMENTS_MAX];
	unsigned count;
};

/* End of the template's next segment: a slash or the end of the template. */
static const char *segment_end(const char *template)
{
	while (*template && *template != '/')
		template ++;
	return template;
}

/* Stands for a parameter in the hash of a group. */
static const struct str parameter = {"{", 1};

/* The length and the first letters distinguish most segments, and IDs are long. */
static unsigned hash_segment(unsigned hash, struct str text)
{
	size_t count = text.length < HASHED_LETTERS ? text.length : HASHED_LETTERS;

	for (size_t i = 0; i < count; i++)
		hash = hash * 31 + (uint8_t)text.data[i];
	return hash * 31 + (unsigned)text.length;
}

static unsigned group_of(unsigned count, struct str first, struct str second)
{
	unsigned hash = count;

	if (count > 0)
		hash = hash_segment(hash, first);
	if (count > 1)
		hash = hash_segment(hash, second);
	return (hash ^ hash >> 8) % ROUTER_GROUPS;
}

static unsigned group_of_route(const struct route *route)
{
	const char *template = route->path + 1;
	struct str texts[2] = {{0}};
	unsigned count = 0;

	for (; *template; count++) {
		const char *end = segment_end(template);

		if (count < array_length(texts))
			texts[count] = *template == '{'
					   ? parameter
					   : (struct str){template, (size_t)(end - template)};
		template = *end == '/' ? end + 1 : end;
	}
	return group_of(count, texts[0], texts[1]);
}

static void count_groups(struct router *router, bool (*has)(const struct route *route))
{
	unsigned count = 0;

	for (const struct route_table *const *table = router->tables; *table; table++) {
		count += (unsigned)(*table)->count;
		require(count <= ROUTER_ROUTES_MAX);
		for (size_t i = 0; i < (*table)->count; i++) {
			const struct route *route = &(*table)->routes[i];

			if (!has || has(route))
				router->starts[group_of_route(route) + 1]++;
		}
	}
	for (unsigned group = 0; group < ROUTER_GROUPS; group++)
		router->starts[group + 1] += router->starts[group];
}

void router_init(struct router *router, const struct route_table *const tables[],
		 bool (*has)(const struct route *route))
{
	uint16_t used[ROUTER_GROUPS];

	*router = (struct router){.tables = tables};
	count_groups(router, has);
	memcpy(used, router->starts, sizeof(used));
	for (unsigned table = 0; tables[table]; table++) {
		for (size_t i = 0; i < tables[table]->count; i++) {
			const struct route *route = &tables[table]->routes[i];
			unsigned index;

			if (has && !has(route))
				continue;
			index = used[group_of_route(route)]++;
			router->routes[index].route = route;
			router->routes[index].table = table;
		}
	}
}

/* Returns false unless it decodes to UTF-8 without NUL and slash. */
static bool decode_segment(struct arena *arena, struct str segment, struct str *ret_text)
{
	return http_decode(arena, segment, ret_text) &&
	       str_find(*ret_text, '/') == ret_text->length;
}

/* "/a/b" and "/a/b/" are "a", "b"; "/" is nothing. */
static bool split_path(struct http_request *request, struct segments *ret_segments)
{
	struct str rest = request->path;
	bool is_plain = str_find(rest, '%') == rest.length && utf8_is_valid(rest);
	struct str piece;

	ret_segments->count = 0;
	ret_segments->text[0] = ret_segments->text[1] = (struct str){0};
	if (rest.length == 0 || rest.data[0] != '/')
		return false;
	rest = str_from_offset(rest, 1);
	if (rest.length && rest.data[rest.length - 1] == '/')
		rest.length--;
	else if (rest.length == 0)
		return true;
	while (str_next(&rest, '/', &piece)) {
		struct str *text = &ret_segments->text[ret_segments->count];

		if (ret_segments->count++ == SEGMENTS_MAX)
			return false;
		*text = piece;
		if (!is_plain && !decode_segment(&request->arena, piece, text))
			return false;
	}
	return true;
}

/* Whether the template's next segment is this text. */
static bool is_literal(const char *template, struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (template[i] != text.data[i] || template[i] == '\0')
			return false;
	}
	return template[text.length] == '\0' || template[text.length] == '/';
}

/* Returns 0 if the path does not match, else a score: a bit for each segment, the first one
 * highest, set if the template's segment is literal. */
__attribute__((nonnull)) static unsigned match_path(const char *template,
						    const struct segments *segments)
{
	unsigned score = 1;
	unsigned i = 0;

	for (template ++; *template; i++) {
		struct str text;

		if (i == segments->count)
			return 0;
		text = segments->text[i];
		score <<= 1;
		if (*template == '{') {
			if (text.length == 0)
				return 0;
			template = segment_end(template);
		} else if (is_literal(template, text)) {
			score |= 1;
			template += text.length;
		} else {
			return 0;
		}
		if (*template == '/')
			template ++;
	}
	return i == segments->count ? score : 0;
}

/* Adds a NUL after each. */
static void take_parameters(const char *template, const struct segments *segments,
			    struct arena *arena, struct route_match *match)
{
	template ++;
	for (unsigned i = 0; i < segments->count; i++) {
		if (*template == '{' && match->parameter_count < ROUTE_PARAMETERS_MAX)
			match->parameters[match->parameter_count++] =
			    arena_copy(arena, segments->text[i]);
		template = segment_end(template);
		if (*template == '/')
			template ++;
	}
}

/* "GET, HEAD, POST" */
static struct str allow_text(struct arena *arena, unsigned methods)
{
	static const char *const names[] = {
	    [HTTP_GET] = "GET, HEAD", [HTTP_POST] = "POST",	[HTTP_PUT] = "PUT",
	    [HTTP_PATCH] = "PATCH",   [HTTP_DELETE] = "DELETE", [HTTP_OPTIONS] = "OPTIONS",
	};
	struct str text = STR("");

	for (size_t i = 0; i < array_length(names); i++) {
		if (names[i] && methods & (1u << i))
			text = arena_printf(arena, "%.*s%s%s", STR_ARG(text),
					    text.length ? ", " : "", names[i]);
	}
	return text;
}

static unsigned all_methods(const struct router *router)
{
	unsigned methods = 0;

	for (unsigned i = 0; i < router->starts[ROUTER_GROUPS]; i++)
		methods |= 1u << router->routes[i].route->method;
	return methods;
}

/* Best path found so far. */
struct search {
	const struct route *route; /* route of the best path and the method; NULL: none */
	unsigned table;		   /* table of the route */
	unsigned score;		   /* score of the best path */
	unsigned methods;	   /* methods of the best path */
};

/* Whether the search can end: no route is better than a completely literal one. */
static bool look_at(const struct route *route, unsigned table, enum http_method method,
		    const struct segments *segments, struct search *search)
{
	unsigned score = match_path(route->path, segments);

	if (score == 0 || score < search->score)
		return false;
	if (score > search->score)
		*search = (struct search){.score = score};
	search->methods |= 1u << route->method;
	if (route->method == method) {
		search->route = route;
		search->table = table;
	}
	return search->route && score == (2u << segments->count) - 1;
}

/* Calls look_at() for all routes of a group. */
static bool look_at_group(const struct router *router, unsigned group, enum http_method method,
			  const struct segments *segments, struct search *search)
{
	for (unsigned i = router->starts[group]; i < router->starts[group + 1]; i++)
		if (look_at(router->routes[i].route, router->routes[i].table, method, segments,
			    search))
			return true;
	return false;
}

/* Looks at the groups of all templates that may match: each of the first two segments is either
 * literal or a parameter. */
static struct search search(const struct router *router, enum http_method method,
			    const struct segments *segments)
{
	unsigned count = segments->count;
	struct search search = {0};

	for (unsigned first = 0; first <= (count > 0); first++) {
		for (unsigned second = 0; second <= (count > 1); second++) {
			unsigned group = group_of(count, first ? parameter : segments->text[0],
						  second ? parameter : segments->text[1]);

			if (look_at_group(router, group, method, segments, &search))
				return search;
		}
	}
	return search;
}

enum route_result router_find(const struct router *router, struct http_request *request,
			      struct route_match *ret_match)
{
	enum http_method method = request->method == HTTP_HEAD ? HTTP_GET : request->method;
	struct segments segments;
	struct search found;

	*ret_match = (struct route_match){0};
	if (method == HTTP_OPTIONS && str_equal(request->path, STR("*"))) {
		ret_match->allow = allow_text(&request->arena, all_methods(router));
		return ROUTE_METHOD;
	}
	if (!split_path(request, &segments))
		return ROUTE_UNKNOWN;
	found = search(router, method, &segments);
	if (!found.score)
		return ROUTE_UNKNOWN;
	if (!found.route) {
		ret_match->allow = allow_text(&request->arena, found.methods);
		return ROUTE_METHOD;
	}
	ret_match->route = found.route;
	ret_match->table = found.table;
	take_parameters(found.route->path, &segments, &request->arena, ret_match);
	return ROUTE_FOUND;
}
