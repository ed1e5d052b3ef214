#include "base/hex.h"
#include "delivery/view_subscription.h"

#include <string.h>

struct str view_picture_text(const struct view_picture *picture,
			     char text[static VIEW_PICTURE_TEXT_BYTES])
{
	struct str filter = color_filter_name((enum color_filter)picture->filter);
	char *end = text + 2 * PICTURE_HASH_BYTES;

	if (!picture->has_hash)
		return (struct str){0};
	hex_encode(picture->hash, PICTURE_HASH_BYTES, text);
	if (picture->filter == COLOR_FILTER_NONE)
		return (struct str){text, (size_t)(end - text)};
	*end++ = '-';
	memcpy(end, filter.data, filter.length);
	return (struct str){text, (size_t)(end - text) + filter.length};
}

bool view_picture_parse(struct str text, uint8_t ret_hash[static PICTURE_HASH_BYTES],
			uint8_t *ret_filter)
{
	size_t dash = str_find(text, '-');
	enum color_filter filter = COLOR_FILTER_NONE;

	if (dash < text.length && (!color_filter_find(str_from_offset(text, dash + 1), &filter) ||
				   filter == COLOR_FILTER_NONE || filter == COLOR_FILTER_INHERIT))
		return false;
	*ret_filter = (uint8_t)filter;
	return hex_decode((struct str){text.data, dash}, ret_hash, PICTURE_HASH_BYTES);
}
