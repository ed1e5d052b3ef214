#include "http/range.h"
#include "base/arena.h"

#include <stdio.h>

/* Reads digits; positions beyond any representation are possible. Returns false if there are none,
 * or other characters. */
static bool read_position(struct str digits, size_t *ret_position)
{
	size_t position = 0;

	for (size_t i = 0; i < digits.length; i++) {
		if (digits.data[i] < '0' || digits.data[i] > '9')
			return false;
		position = position > SIZE_MAX / 16
			       ? SIZE_MAX / 16
			       : 10 * position + (size_t)(digits.data[i] - '0');
	}
	*ret_position = position;
	return digits.length > 0;
}

/* "-500": the last bytes. Returns false if it is malformed. */
static bool read_suffix(struct str digits, size_t size, struct http_range *range)
{
	size_t length;

	if (!read_position(digits, &length))
		return false;
	range->length = length < size ? length : size;
	range->start = size - range->length;
	return true;
}

/* "0-499", "500-": Returns false if it is malformed. */
static bool read_positions(struct str spec, size_t dash, size_t size, struct http_range *range)
{
	struct str last_digits = str_from_offset(spec, dash + 1);
	size_t first, last = SIZE_MAX;

	if (!read_position((struct str){spec.data, dash}, &first) ||
	    (last_digits.length && !read_position(last_digits, &last)) || last < first)
		return false;
	range->start = first;
	if (first < size)
		range->length = last < size - 1 ? last - first + 1 : size - first;
	return true;
}

static bool read_range(struct str value, size_t size, struct http_range *range)
{
	static const struct str unit = {"bytes=", 6};
	struct str spec;
	size_t dash;

	if (value.length < unit.length ||
	    !str_equal_ignore_case((struct str){value.data, unit.length}, unit))
		return false;
	spec = str_trim(str_from_offset(value, unit.length));
	dash = str_find(spec, '-');
	if (dash == spec.length)
		return false;
	return dash ? read_positions(spec, dash, size, range)
		    : read_suffix(str_from_offset(spec, 1), size, range);
}

struct http_range http_range_read(const struct http_request *request, size_t size, struct str tag)
{
	struct str value = http_request_field(request, STR("range"));
	struct str condition = http_request_field(request, STR("if-range"));
	struct http_range range = {0};

	/* A weak tag or a date matches no strong tag. */
	if (request->method != HTTP_GET || !value.data ||
	    (condition.data && !str_equal(str_trim(condition), tag)) ||
	    !read_range(value, size, &range))
		return (struct http_range){.kind = HTTP_RANGE_NONE, .length = size};
	range.kind = range.length ? HTTP_RANGE_PART : HTTP_RANGE_MISSED;
	return range;
}

struct str http_content_range(struct arena *arena, struct http_range range, size_t size)
{
	char text[80];

	if (range.kind == HTTP_RANGE_MISSED)
		snprintf(text, sizeof(text), "bytes */%zu", size);
	else
		snprintf(text, sizeof(text), "bytes %zu-%zu/%zu", range.start,
			 range.start + range.length - 1, size);
	return arena_copy(arena, str_from(text));
}
