#include "domain/settings_mask.h"
#include "base/buffer.h"
#include "base/hex.h"

#include <stdint.h>
#include <string.h>

/* Decoded text, with the offset of each byte in the original: from[i], and from[length] for its
 * end. */
struct view {
	struct str bytes;
	const uint32_t *from;
};

/* ---- encodings ---- */

static bool read_hex(struct str digits, size_t count, unsigned *ret)
{
	*ret = 0;
	if (digits.length < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		int digit = hex_digit(digits.data[i]);

		if (digit < 0)
			return false;
		*ret = *ret * 16 + (unsigned)digit;
	}
	return true;
}

/* Reads an escape with a backslash, as JSON, Go, and Python write it; returns its length. */
static size_t read_escape(struct str text, char *ret)
{
	static const char names[] = "nrtbf", meant[] = "\n\r\t\b\f";
	const char *name;
	unsigned code;

	if (text.length < 2) {
		*ret = '\\';
		return text.length;
	}
	name = text.data[1] ? strchr(names, text.data[1]) : NULL;
	*ret = name ? meant[name - names] : text.data[1];
	if (text.data[1] == 'u' && read_hex(str_from_offset(text, 2), 4, &code) && code < 0x80) {
		*ret = (char)code;
		return 6;
	}
	if (text.data[1] == 'x' && read_hex(str_from_offset(text, 2), 2, &code)) {
		*ret = (char)code;
		return 4;
	}
	return 2;
}

/* RFC 3986, section 2.1. */
static size_t read_byte(struct str text, char *ret)
{
	unsigned code;

	*ret = text.data[0];
	if (text.data[0] == '\\')
		return read_escape(text, ret);
	if (text.data[0] != '%' || !read_hex(str_from_offset(text, 1), 2, &code))
		return 1;
	*ret = (char)code;
	return 3;
}

/* Whether an escape is cut by the end of the text, so that it cannot be decoded. */
static bool is_cut_escape(struct str text)
{
	return (text.data[0] == '%' && text.length < 3) ||
	       (text.data[0] == '\\' && text.length < 2);
}

static struct view plain_view(struct str text, struct arena *arena)
{
	uint32_t *from = arena_alloc(arena, (text.length + 1) * sizeof(from[0]));

	for (size_t i = 0; i <= text.length; i++)
		from[i] = (uint32_t)i;
	return (struct view){text, from};
}

/* Forms encode a space as "+", so both count as equal. */
static char without_plus(char c)
{
	return c == '+' ? ' ' : c;
}

static struct view decoded_view(struct str text, struct arena *arena)
{
	uint32_t *from = arena_alloc(arena, (text.length + 1) * sizeof(from[0]));
	char *bytes = arena_alloc(arena, text.length + 1);
	size_t length = 0;

	for (size_t at = 0; at < text.length;) {
		struct str rest = str_from_offset(text, at);

		if (is_cut_escape(rest))
			break;
		from[length] = (uint32_t)at;
		at += read_byte(rest, &bytes[length]);
		bytes[length] = without_plus(bytes[length]);
		length++;
	}
	from[length] = (uint32_t)text.length;
	return (struct view){{bytes, length}, from};
}

static struct str decode_plus(struct str value, struct arena *arena)
{
	char *copy = arena_alloc(arena, value.length + 1);

	for (size_t i = 0; i < value.length; i++)
		copy[i] = without_plus(value.data[i]);
	return (struct str){copy, value.length};
}

/* ---- hiding ---- */

static void hide(const struct view *view, size_t at, size_t length, char *hidden)
{
	memset(hidden + view->from[at], 1, view->from[at + length] - view->from[at]);
}

/* A text may have been cut in the middle of a value. */
static void hide_beginning(const struct view *view, struct str value, char *hidden)
{
	size_t length = value.length - 1;

	if (length > view->bytes.length)
		length = view->bytes.length;
	for (; length >= SECRET_MASKED_BYTES_MIN; length--) {
		size_t at = view->bytes.length - length;

		if (memcmp(view->bytes.data + at, value.data, length) == 0) {
			hide(view, at, length, hidden);
			return;
		}
	}
}

static void hide_value(const struct view *view, struct str value, char *hidden)
{
	struct str rest = view->bytes;
	const char *found;

	while (rest.length && (found = memmem(rest.data, rest.length, value.data, value.length))) {
		size_t at = (size_t)(found - view->bytes.data);

		hide(view, at, value.length, hidden);
		rest = str_from_offset(view->bytes, at + value.length);
	}
	hide_beginning(view, value, hidden);
}

/* Strips the newline of a log's last line, and the mark of a text that was cut. */
static struct str body_of(struct str text)
{
	static const struct str more = STR(" ...");

	if (text.length && text.data[text.length - 1] == '\n')
		text.length--;
	if (text.length >= more.length &&
	    str_equal(str_from_offset(text, text.length - more.length), more))
		text.length -= more.length;
	return text;
}

static struct str without(struct str text, size_t length, const char *hidden, struct arena *arena)
{
	struct buffer masked = {0};
	struct str copy;

	for (size_t at = 0; at < length; at++) {
		if (!hidden[at])
			buffer_append_char(&masked, text.data[at]);
		else if (at == 0 || !hidden[at - 1])
			buffer_append_str(&masked, STR("****"));
	}
	buffer_append_str(&masked, str_from_offset(text, length));
	copy = arena_copy(arena, buffer_view(&masked));
	buffer_finish(&masked);
	return copy;
}

struct str settings_mask(const struct settings *secret, struct str text, struct arena *arena)
{
	struct str body = body_of(text);
	struct view plain, decoded;
	char *hidden;

	if (secret->count == 0 || body.length < SECRET_MASKED_BYTES_MIN)
		return text;
	hidden = arena_alloc(arena, body.length);
	memset(hidden, 0, body.length);
	plain = plain_view(body, arena);
	decoded = decoded_view(body, arena);
	for (unsigned i = 0; i < secret->count; i++) {
		struct str value = secret->items[i].value;

		if (value.length < SECRET_MASKED_BYTES_MIN)
			continue;
		hide_value(&plain, value, hidden);
		hide_value(&decoded, decode_plus(value, arena), hidden);
	}
	return memchr(hidden, 1, body.length) ? without(text, body.length, hidden, arena) : text;
}

/* ---- parts that reveal one owner ---- */

static bool says_nothing(struct str value)
{
	return value.length == 0 || str_equal(value, STR("true")) || str_equal(value, STR("false"));
}

static void add_value(struct settings *values, struct str value)
{
	if (!says_nothing(value))
		values->items[values->count++] = (struct setting){.value = value};
}

/* "https://user@host:8123/path" has the part "host". */
static void add_host(struct settings *values, struct str value)
{
	static const struct str mark = STR("://");
	const char *found =
	    value.length ? memmem(value.data, value.length, mark.data, mark.length) : NULL;
	struct str host;
	size_t end = 0, at;

	if (!found)
		return;
	host = str_from_offset(value, (size_t)(found - value.data) + mark.length);
	while (end < host.length && !memchr("/?#\\", host.data[end], 4))
		end++;
	host.length = end;
	at = str_find(host, '@');
	if (at < host.length)
		host = str_from_offset(host, at + 1);
	at = host.length && host.data[0] == '[' ? host.length : str_find(host, ':');
	if (at < host.length)
		host.length = at;
	add_value(values, host);
}

void settings_parts(const struct settings *all, struct arena *arena, struct settings *ret_values)
{
	static const size_t part_bytes_min = sizeof("\"\":\"\"") - 1;
	size_t most = 2 * (size_t)all->count;

	for (unsigned i = 0; i < all->count; i++)
		most += all->items[i].value.length / part_bytes_min;
	*ret_values = (struct settings){
	    .items = arena_alloc(arena, most * sizeof(ret_values->items[0]) + 1),
	};
	for (unsigned i = 0; i < all->count; i++) {
		struct settings parts;

		add_value(ret_values, all->items[i].value);
		add_host(ret_values, all->items[i].value);
		settings_parse(all->items[i].value, arena, &parts);
		for (unsigned part = 0; part < parts.count; part++)
			add_value(ret_values, parts.items[part].value);
	}
}

static struct str lower(struct str text, struct arena *arena)
{
	char *copy = arena_alloc(arena, text.length + 1);

	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		copy[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	return (struct str){copy, text.length};
}

static bool contains(struct str text, struct str part)
{
	return part.length && text.length && memmem(text.data, text.length, part.data, part.length);
}

static bool is_of_settings(struct str host, const struct settings *values)
{
	for (unsigned i = 0; i < values->count; i++) {
		struct str value = values->items[i].value;

		if (contains(value, host) ||
		    (value.length >= SECRET_MASKED_BYTES_MIN && contains(host, value)))
			return true;
	}
	return false;
}

struct str settings_mask_hosts(const struct settings *values, struct str hosts, struct arena *arena)
{
	struct settings lowered = {
	    .items = arena_alloc(arena, values->count * sizeof(lowered.items[0]) + 1)};
	struct buffer kept = {0};
	struct str copy;

	for (; lowered.count < values->count; lowered.count++)
		lowered.items[lowered.count].value =
		    lower(values->items[lowered.count].value, arena);
	while (hosts.length) {
		size_t length = str_find(hosts, ' ');
		struct str host = {hosts.data, length < hosts.length ? length : hosts.length};

		if (!is_of_settings(lower(host, arena), &lowered)) {
			if (buffer_length(&kept))
				buffer_append_char(&kept, ' ');
			buffer_append_str(&kept, host);
		}
		hosts = str_from_offset(hosts, host.length + (length < hosts.length));
	}
	copy = arena_copy(arena, buffer_view(&kept));
	buffer_finish(&kept);
	return copy;
}
