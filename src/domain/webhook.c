#include "domain/webhook.h"

#include <sodium.h>
#include <text/authority.h>

_Static_assert(
    WEBHOOK_SECRET_LENGTH ==
	    6 + sodium_base64_ENCODED_LEN(WEBHOOK_SECRET_BYTES, sodium_base64_VARIANT_ORIGINAL) -
		1 &&
	WEBHOOK_SIGNATURE_LENGTH == 3 +
					sodium_base64_ENCODED_LEN(crypto_auth_hmacsha256_BYTES,
								  sodium_base64_VARIANT_ORIGINAL) -
					1,
    "lengths of base64");

static const char *const event_names[] = {"online", "pushed", "changed", "failed"};

/* ---- what the owner sets ---- */

static bool is_url_character(char c)
{
	return c > ' ' && c < 0x7f && !strchr("\"<>\\^`{|}#", c);
}

/* Returns the host and the port, after "https://" or "http://"; empty: the URL has another
 * scheme. */
static struct str authority_of(struct str url)
{
	struct str rest = {0}, https = STR("https://"), http = STR("http://");
	size_t end = 0;

	if (str_starts_with_ignore_case(url, https))
		rest = str_from_offset(url, https.length);
	else if (str_starts_with_ignore_case(url, http))
		rest = str_from_offset(url, http.length);
	while (end < rest.length && rest.data[end] != '/' && rest.data[end] != '?')
		end++;
	rest.length = end;
	return rest;
}

struct str webhook_url_host(struct str url)
{
	struct authority authority;

	if (authority_read(authority_of(url), &authority) != AUTHORITY_FINE)
		return STR("");
	return authority.host;
}

const char *webhook_url_check(struct str url)
{
	struct str rest = authority_of(url);
	struct authority authority;

	if (url.length > WEBHOOK_URL_BYTES_MAX)
		return "must have at most 2048 bytes";
	for (size_t i = 0; i < url.length; i++)
		if (!is_url_character(url.data[i]))
			return "must be a URL of ASCII characters without spaces and \"#\"";
	if (!rest.data)
		return "must begin with https:// or http://";
	for (size_t i = 0; i < rest.length; i++)
		if (rest.data[i] == '@')
			return "must not contain a user name or password";
	if (authority_read(rest, &authority) != AUTHORITY_FINE)
		return "must name a host";
	/* Addresses of IPv6 have one before a zone. */
	if (!authority.has_brackets && str_find(authority.host, '%') < authority.host.length)
		return "must name a host without percent signs";
	return NULL;
}

static bool read_event(const struct json_value *value, int64_t *events)
{
	struct str name;

	if (!json_get_str(value, &name))
		return false;
	for (unsigned i = 0; i < array_length(event_names); i++) {
		int64_t bit = INT64_C(1) << i;

		if (!str_equal(name, str_from(event_names[i])))
			continue;
		if (*events & bit)
			return false;
		*events |= bit;
		return true;
	}
	return false;
}

void webhook_body_check(void *body, uint64_t seen, struct faults *faults)
{
	struct webhook_body *webhook = body;
	unsigned count = 0;
	bool is_fine = true;

	webhook->has_enabled = seen & (UINT64_C(1) << WEBHOOK_BODY_IS_ENABLED_FIELD);
	if (!webhook->event_list)
		return;
	is_fine = json_get_array(webhook->event_list, &count) && count > 0;
	for (unsigned i = 0; is_fine && i < count; i++)
		is_fine = read_event(json_array_item(webhook->event_list, i), &webhook->events);
	if (!is_fine)
		faults_add(faults, STR("events"),
			   "must be an array of online, pushed, changed and failed, each at most "
			   "once and at least one of them");
}

/* ---- secrets ---- */

static void encode(char *to, size_t size, const uint8_t *bytes, size_t count)
{
	sodium_bin2base64(to, size, bytes, count, sodium_base64_VARIANT_ORIGINAL);
}

void webhook_secret_new(const struct settings_key *key, struct id webhook_id,
			char ret_text[static WEBHOOK_SECRET_LENGTH + 1],
			struct buffer *ret_encrypted)
{
	const struct str prefix = STR("whsec_");
	uint8_t secret[WEBHOOK_SECRET_BYTES];

	randombytes_buf(secret, sizeof(secret));
	memcpy(ret_text, prefix.data, prefix.length);
	encode(ret_text + prefix.length, WEBHOOK_SECRET_LENGTH + 1 - prefix.length, secret,
	       sizeof(secret));
	settings_encrypt(key, webhook_id, STR("webhook"),
			 (struct str){(const char *)secret, sizeof(secret)}, ret_encrypted);
	sodium_memzero(secret, sizeof(secret));
}

bool webhook_sign(const struct settings_key *key, struct id webhook_id, struct str encrypted,
		  struct str message_id, int64_t wall_s, struct str body, struct arena *arena,
		  char ret_signature[static WEBHOOK_SIGNATURE_LENGTH + 1])
{
	struct str secret, head;
	uint8_t mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;

	if (!settings_decrypt(key, webhook_id, STR("webhook"), encrypted, arena, &secret))
		return false;
	head = arena_printf(arena, "%.*s.%lld.", STR_ARG(message_id), (long long)wall_s);
	crypto_auth_hmacsha256_init(&state, (const uint8_t *)secret.data, secret.length);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)head.data, head.length);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)body.data, body.length);
	crypto_auth_hmacsha256_final(&state, mac);
	memcpy(ret_signature, "v1,", 3);
	encode(ret_signature + 3, WEBHOOK_SIGNATURE_LENGTH + 1 - 3, mac, sizeof(mac));
	return true;
}
