#include "upgrade.h"

#include <mbedtls/sha1.h>
#include <sodium.h>
#include <stdio.h>

/* RFC 6455 section 1.3. */
#define ACCEPT_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

static void compute_accept(const char *key, char ret_accept[static UPGRADE_ACCEPT_LENGTH + 1])
{
	char text[UPGRADE_KEY_LENGTH + sizeof(ACCEPT_SUFFIX)];
	uint8_t digest[20];

	snprintf(text, sizeof(text), "%s%s", key, ACCEPT_SUFFIX);
	mbedtls_sha1((const uint8_t *)text, strlen(text), digest);
	sodium_bin2base64(ret_accept, UPGRADE_ACCEPT_LENGTH + 1, digest, sizeof(digest),
			  sodium_base64_VARIANT_ORIGINAL);
}

/* One of the comma-separated words is token. */
static bool lists(struct str value, struct str token)
{
	struct str word;

	while (str_next(&value, ',', &word))
		if (str_equal_ignore_case(str_trim(word), token))
			return true;
	return false;
}

static void on_header(void *context, struct str name, struct str value)
{
	struct upgrade *upgrade = context;

	if (str_equal_ignore_case(name, STR("Sec-WebSocket-Accept")))
		upgrade->accepted = str_equal(value, str_from(upgrade->accept));
	else if (str_equal_ignore_case(name, STR("Upgrade")))
		upgrade->has_upgrade_field = str_equal_ignore_case(value, STR("websocket"));
	else if (str_equal_ignore_case(name, STR("Connection")))
		upgrade->has_connection_field |= lists(value, STR("upgrade"));
	else if (str_equal_ignore_case(name, STR("Sec-WebSocket-Protocol")) ||
		 str_equal_ignore_case(name, STR("Sec-WebSocket-Extensions")))
		upgrade->has_extras = true;
}

void upgrade_start(struct upgrade *upgrade, const struct panel_url *url, struct buffer *request)
{
	uint8_t nonce[16];
	char key[UPGRADE_KEY_LENGTH + 1];

	*upgrade = (struct upgrade){0};
	response_init(&upgrade->response, 0);
	upgrade->response.on_header = on_header;
	upgrade->response.context = upgrade;
	randombytes_buf(nonce, sizeof(nonce));
	sodium_bin2base64(key, sizeof(key), nonce, sizeof(nonce), sodium_base64_VARIANT_ORIGINAL);
	compute_accept(key, upgrade->accept);
	buffer_printf(request,
		      "GET %s HTTP/1.1\r\n"
		      "Connection: Upgrade\r\n"
		      "Host: %s\r\n"
		      "User-Agent: ESP32 Websocket Client\r\n"
		      "Upgrade: websocket\r\n"
		      "Sec-WebSocket-Version: 13\r\n"
		      "Sec-WebSocket-Key: %s\r\n",
		      url->target, url->authority, key);
	if (url->bearer[0])
		buffer_printf(request, "Authorization: Bearer %s\r\n", url->bearer);
	buffer_append(request, "\r\n", 2);
}

void upgrade_finish(struct upgrade *upgrade)
{
	response_finish(&upgrade->response);
}

const char *upgrade_check(const struct upgrade *upgrade)
{
	if (!upgrade->has_upgrade_field || !upgrade->has_connection_field)
		return "the answer has no Upgrade: websocket with Connection: Upgrade";
	if (!upgrade->accepted)
		return "the answer's Sec-WebSocket-Accept is wrong";
	if (upgrade->has_extras)
		return "the answer names a subprotocol or an extension that nobody asked for";
	if (upgrade->response.head_bytes >= UPGRADE_ANSWER_MAX)
		return "the answer has 1,024 bytes or more, which the firmware cannot take";
	return NULL;
}
