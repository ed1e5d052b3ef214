#include "wire/proxy.h"

#include <string.h>
#include <text/address.h>

enum {
	HEADER_2_BYTES = 16,
	LOCAL = 0x20,
	PROXY = 0x21,
	TCP_4 = 0x11,
	TCP_6 = 0x21,
	ADDRESSES_4_BYTES = 12,
	ADDRESSES_6_BYTES = 36,
};

static const uint8_t signature[12] = "\r\n\r\n\0\r\nQUIT\n";
static const char line_start[] = "PROXY ";

static void set_source_4(struct wire_proxy *proxy, const void *address)
{
	memset(proxy->source, 0, 10);
	memset(proxy->source + 10, 0xff, 2);
	memcpy(proxy->source + 12, address, 4);
	proxy->has_source = true;
}

static enum wire_proxy_result read_binary(const uint8_t *data, size_t size,
					  struct wire_proxy *proxy)
{
	size_t length;

	if (size < HEADER_2_BYTES)
		return WIRE_PROXY_MORE;
	length = (size_t)data[14] << 8 | data[15];
	if ((data[12] != LOCAL && data[12] != PROXY) ||
	    length > WIRE_PROXY_HEADER_MAX - HEADER_2_BYTES)
		return WIRE_PROXY_MALFORMED;
	if (data[12] == PROXY && ((data[13] == TCP_4 && length < ADDRESSES_4_BYTES) ||
				  (data[13] == TCP_6 && length < ADDRESSES_6_BYTES)))
		return WIRE_PROXY_MALFORMED;
	if (size < HEADER_2_BYTES + length)
		return WIRE_PROXY_MORE;
	proxy->size = HEADER_2_BYTES + length;
	proxy->is_local = data[12] == LOCAL;
	if (data[12] == PROXY && data[13] == TCP_4) {
		set_source_4(proxy, data + HEADER_2_BYTES);
	} else if (data[12] == PROXY && data[13] == TCP_6) {
		memcpy(proxy->source, data + HEADER_2_BYTES, sizeof(proxy->source));
		proxy->has_source = true;
	}
	return WIRE_PROXY_COMPLETE;
}

/* Takes the text up to a space, or to the end. */
static const char *take_word(char **rest)
{
	char *word = *rest;
	char *end = strchr(word, ' ');

	*rest = end ? end + 1 : word + strlen(word);
	if (end)
		*end = '\0';
	return word;
}

/* Whether it is a decimal port without leading zeros. */
static bool is_port(const char *text)
{
	unsigned long number = 0;
	size_t length = strlen(text);

	if (length == 0 || length > 5 || (length > 1 && text[0] == '0'))
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		number = number * 10 + (unsigned long)(*text - '0');
	}
	return number <= 65535;
}

static bool read_address(const char *text, bool is_v4, struct address *ret_address)
{
	return !strchr(text, ':') == is_v4 && address_read(str_from(text), ret_address);
}

/* line: the text behind "PROXY ", NUL-terminated. */
static bool read_line(char *line, struct wire_proxy *proxy)
{
	const char *family = take_word(&line);
	struct address source, destination;
	bool is_v4 = strcmp(family, "TCP4") == 0;
	char *end = line + strlen(line);

	if (strcmp(family, "UNKNOWN") == 0)
		return true; /* the rest is ignored */
	if (!is_v4 && strcmp(family, "TCP6") != 0)
		return false;
	if (!read_address(take_word(&line), is_v4, &source) ||
	    !read_address(take_word(&line), is_v4, &destination))
		return false;
	if (!is_port(take_word(&line)) || line == end || !is_port(line))
		return false;
	memcpy(proxy->source, source.bytes, sizeof(proxy->source));
	proxy->has_source = true;
	return true;
}

static enum wire_proxy_result read_text(const uint8_t *data, size_t size, struct wire_proxy *proxy)
{
	const size_t start = sizeof(line_start) - 1;
	size_t seen = size < WIRE_PROXY_LINE_MAX ? size : WIRE_PROXY_LINE_MAX;
	const uint8_t *end = memchr(data, '\n', seen);
	char line[WIRE_PROXY_LINE_MAX + 1];
	size_t length;

	if (!end)
		return size < WIRE_PROXY_LINE_MAX ? WIRE_PROXY_MORE : WIRE_PROXY_MALFORMED;
	length = (size_t)(end - data);
	if (length < start + 1 || data[length - 1] != '\r')
		return WIRE_PROXY_MALFORMED;
	memcpy(line, data + start, length - 1 - start);
	line[length - 1 - start] = '\0';
	if (strlen(line) != length - 1 - start || !read_line(line, proxy))
		return WIRE_PROXY_MALFORMED;
	proxy->size = length + 1;
	return WIRE_PROXY_COMPLETE;
}

enum wire_proxy_result wire_proxy_read(const uint8_t *data, size_t size,
				       struct wire_proxy *ret_proxy)
{
	const size_t text_start = sizeof(line_start) - 1;

	*ret_proxy = (struct wire_proxy){0};
	if (size == 0)
		return WIRE_PROXY_MORE;
	if (memcmp(data, signature, size < sizeof(signature) ? size : sizeof(signature)) == 0)
		return read_binary(data, size, ret_proxy);
	if (memcmp(data, line_start, size < text_start ? size : text_start) != 0)
		return WIRE_PROXY_MALFORMED;
	return size < text_start ? WIRE_PROXY_MORE : read_text(data, size, ret_proxy);
}
