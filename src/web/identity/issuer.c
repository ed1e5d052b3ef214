#include "issuer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "record/json_memory.h"
#include "record/json_text.h"
#include "web/site.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PROBLEM_BYTES = OUTBOUND_PROBLEM_BYTES + 100,
	DISCOVERY_MAX = 64 * 1024,
	KEYS_MAX = 256 * 1024
};

struct issuer {
	struct outbound *outbound;
	struct web_issuer settings;
	char discovery[ISSUER_URL_BYTES];
	struct issuer_places places;
	struct issuer_keys keys;
	bool has_places, has_keys;
	uint64_t places_at_s, keys_at_s, asked_at_s; /* 0: never */
	char problem[PROBLEM_BYTES];
	struct outbound_request request;
	bool is_asking, asks_keys;
	struct list waits;
};

static uint64_t now_s(void)
{
	return clock_monotonic_us() / 1000000 + 1;
}

static bool is_kept(uint64_t at_s)
{
	return at_s && now_s() - at_s < ISSUER_KEPT_S;
}

const struct web_issuer *issuer_settings(const struct issuer *issuer)
{
	return &issuer->settings;
}

struct outbound *issuer_outbound(const struct issuer *issuer)
{
	return issuer->outbound;
}

const struct issuer_places *issuer_places(const struct issuer *issuer)
{
	return issuer->has_places ? &issuer->places : NULL;
}

const struct issuer_keys *issuer_known_keys(const struct issuer *issuer)
{
	return issuer->has_keys && is_kept(issuer->keys_at_s) ? &issuer->keys : NULL;
}

const char *issuer_problem(const struct issuer *issuer)
{
	return issuer->problem;
}

/* ---- answers ---- */

/* Copies a URL of the issuer: as safe as that of the issuer itself. */
static bool take_url(const struct issuer *issuer, yyjson_val *root, const char *name,
		     char ret_url[static ISSUER_URL_BYTES])
{
	struct str url = json_text(yyjson_obj_get(root, name));

	if (!url.length || url.length >= ISSUER_URL_BYTES)
		return false;
	for (size_t i = 0; i < url.length; i++)
		if (url.data[i] <= ' ' || url.data[i] > '~' || url.data[i] == '#')
			return false;
	memcpy(ret_url, url.data, url.length);
	ret_url[url.length] = '\0';
	if (str_starts_with(url, STR("https://")))
		return true;
	return str_starts_with(str_from(issuer->settings.url), STR("http:")) &&
	       str_starts_with(url, STR("http://")) && site_is_loopback_url(ret_url);
}

/* Whether a client must send its secret in the body: only if nothing else is offered. */
static bool only_takes_body(yyjson_val *root)
{
	yyjson_val *ways = yyjson_obj_get(root, "token_endpoint_auth_methods_supported"), *way;
	bool takes_header = !yyjson_is_arr(ways), takes_body = false;
	size_t i, count;

	yyjson_arr_foreach(ways, i, count, way)
	{
		takes_header |= str_equal(json_text(way), STR("client_secret_basic"));
		takes_body |= str_equal(json_text(way), STR("client_secret_post"));
	}
	return takes_body && !takes_header;
}

static const char *take_places(struct issuer *issuer, struct str body)
{
	struct issuer_places places = {0};
	yyjson_doc *doc =
	    body.length > DISCOVERY_MAX
		? NULL
		: yyjson_read_opts((char *)body.data, body.length, 0, &json_memory, NULL);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *fault = NULL;

	if (!str_equal(json_text(yyjson_obj_get(root, "issuer")), str_from(issuer->settings.url)))
		fault = "its configuration is of another issuer";
	else if (!take_url(issuer, root, "authorization_endpoint", places.authorization) ||
		 !take_url(issuer, root, "token_endpoint", places.token) ||
		 !take_url(issuer, root, "jwks_uri", places.keys))
		fault = "its configuration lacks an endpoint, or has one without https";
	places.takes_secret_in_body = only_takes_body(root);
	yyjson_doc_free(doc);
	if (fault)
		return fault;
	issuer->places = places;
	issuer->has_places = true;
	issuer->places_at_s = now_s();
	return NULL;
}

static const char *take_keys(struct issuer *issuer, struct str body)
{
	struct issuer_keys *keys = memory_zalloc(sizeof(*keys));
	const char *fault = NULL;

	if (body.length > KEYS_MAX)
		fault = "its keys take more than 256 KiB";
	else if (!issuer_keys_read(body, keys))
		fault = "its keys are not a set of keys";
	if (!fault) {
		issuer->keys = *keys;
		issuer->has_keys = true;
		issuer->keys_at_s = now_s();
	}
	free(keys);
	return fault;
}

/* ---- requests ---- */

static void answer_all(struct issuer *issuer)
{
	struct list waits;
	struct list *node;

	list_init(&waits);
	list_move_all(&waits, &issuer->waits);
	while ((node = list_take_first(&waits))) {
		struct issuer_wait *wait = container_of(node, struct issuer_wait, node);

		wait->done(wait);
	}
}

static void ask(struct issuer *issuer, bool asks_keys);

static void on_answer(struct outbound_request *request)
{
	struct issuer *issuer = container_of(request, struct issuer, request);
	const char *fault = NULL;

	issuer->is_asking = false;
	issuer->problem[0] = '\0';
	if (request->status != 200)
		fault = request->problem[0] ? request->problem : "it does not answer with 200";
	else if (issuer->asks_keys)
		fault = take_keys(issuer, request->answer);
	else
		fault = take_places(issuer, request->answer);
	if (fault) {
		snprintf(issuer->problem, sizeof(issuer->problem), "%s", fault);
		if (!request->is_dropped)
			log_warn("sign-in", "cannot use the identity provider",
				 LOG_TEXT("url", issuer->asks_keys ? issuer->places.keys
								   : issuer->discovery),
				 LOG_TEXT("reason", fault));
	}
	if (!fault && !issuer->asks_keys)
		ask(issuer, true);
	else
		answer_all(issuer);
}

static void ask(struct issuer *issuer, bool asks_keys)
{
	static const struct outbound_header headers[] = {
	    {"accept", {"application/json", 16}},
	    {"user-agent", {"displayd", 8}},
	};

	issuer->is_asking = true;
	issuer->asks_keys = asks_keys;
	issuer->asked_at_s = now_s();
	issuer->request = (struct outbound_request){
	    .method = "GET",
	    .scope = STR("sign-in"),
	    .url = str_from(asks_keys ? issuer->places.keys : issuer->discovery),
	    .headers = headers,
	    .header_count = array_length(headers),
	    .done = on_answer,
	};
	outbound_send(issuer->outbound, &issuer->request);
}

static bool has(const struct issuer *issuer, enum issuer_part part)
{
	if (!issuer->has_places || !is_kept(issuer->places_at_s))
		return false;
	return part == ISSUER_PLACES ||
	       (part == ISSUER_KEYS && issuer->has_keys && is_kept(issuer->keys_at_s));
}

bool issuer_has(struct issuer *issuer, enum issuer_part part, struct issuer_wait *wait)
{
	bool is_early = issuer->asked_at_s && now_s() - issuer->asked_at_s < ISSUER_AGAIN_S;

	if (has(issuer, part))
		return true;
	if (!issuer->is_asking && is_early)
		return true;
	list_append(&issuer->waits, &wait->node);
	if (!issuer->is_asking)
		ask(issuer, issuer->has_places && is_kept(issuer->places_at_s));
	return false;
}

struct issuer *issuer_create(struct outbound *outbound, const struct web_issuer *settings)
{
	struct issuer *issuer = memory_zalloc(sizeof(*issuer));
	int length = (int)strlen(settings->url);

	issuer->outbound = outbound;
	issuer->settings = *settings;
	list_init(&issuer->waits);
	while (length > 0 && settings->url[length - 1] == '/')
		length--;
	snprintf(issuer->discovery, sizeof(issuer->discovery),
		 "%.*s/.well-known/openid-configuration", length, settings->url);
	return issuer;
}

void issuer_destroy(struct issuer *issuer)
{
	require(!issuer || !issuer->is_asking);
	free(issuer);
}
