#include "base/hex.h"
#include "domain/push.h"

#include <text/base64.h>

static bool is_image_type(struct str type)
{
	return str_equal_ignore_case(type, STR("image/png")) ||
	       str_equal_ignore_case(type, STR("image/webp")) ||
	       str_equal_ignore_case(type, STR("image/gif"));
}

/* Whether text is a scheme's name (RFC 3986 section 3.1). */
static bool is_scheme(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool is_other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';

		if (!is_letter && !(is_other && i > 0))
			return false;
	}
	return text.length > 0;
}

/* Whether text is a URL. Base64 has no colon, so an image is never taken for one. */
static bool is_url(struct str text)
{
	size_t colon = str_find(text, ':');
	struct str scheme = {text.data, colon};

	if (colon == text.length)
		return false;
	if (str_equal_ignore_case(scheme, STR("https")) ||
	    str_equal_ignore_case(scheme, STR("http")))
		return true;
	return is_scheme(scheme) && str_starts_with(str_from_offset(text, colon), STR("://"));
}

static bool is_data_url(struct str text)
{
	return text.length >= 5 && str_equal_ignore_case((struct str){text.data, 5}, STR("data:"));
}

/* Decodes the percent-encoding of a URL's data. Returns NULL, or the fault. */
static const char *decode_percent(struct str text, struct arena *arena, struct str *ret_text)
{
	char *decoded;
	size_t length = 0;

	if (str_find(text, '%') == text.length) {
		*ret_text = text;
		return NULL;
	}
	decoded = arena_alloc(arena, text.length);
	for (size_t i = 0; i < text.length; i++) {
		uint8_t byte = (uint8_t)text.data[i];

		if (byte == '%') {
			if (!hex_decode(
				(struct str){text.data + i + 1, text.length - i > 2 ? 2 : 0}, &byte,
				1))
				return "is a data URL with a \"%\" that is not followed by two "
				       "hexadecimal digits";
			i += 2;
		}
		decoded[length++] = (char)byte;
	}
	*ret_text = (struct str){decoded, length};
	return NULL;
}

/* Splits a data URL (RFC 2397) into its media type and its base64 text. Returns NULL, or the fault.
 */
static const char *split_data_url(struct str url, struct arena *arena, struct str *ret_media_type,
				  struct str *ret_base64)
{
	struct str head, parameters, type;
	struct str last = {0};
	const char *fault;
	size_t comma;

	url = str_from_offset(url, 5);
	comma = str_find(url, ',');
	if (comma == url.length)
		return "is a data URL without a comma";
	head = (struct str){url.data, comma};
	type = (struct str){head.data, str_find(head, ';')};
	if (!is_image_type(type))
		return "is a data URL of a type other than image/png, image/webp and image/gif";
	parameters = str_from_offset(head, type.length);
	while (str_next(&parameters, ';', &last))
		;
	if (!str_equal_ignore_case(last, STR("base64")))
		return "is a data URL that is not base64";
	fault = decode_percent(str_from_offset(url, comma + 1), arena, ret_base64);
	if (!fault)
		*ret_media_type = type;
	return fault;
}

const char *push_split_image(struct str image, struct arena *arena, struct str *ret_media_type,
			     struct str *ret_base64)
{
	/* Base64 may begin with white space, so a text instead of it may, too. */
	struct str text = base64_skip_space(image);

	if (is_data_url(text))
		return split_data_url(text, arena, ret_media_type, ret_base64);
	if (is_url(text))
		return "is a URL, which is not fetched: send the image itself, in base64";
	*ret_media_type = (struct str){0};
	*ret_base64 = image; /* the whole text: faults count its characters */
	return NULL;
}
