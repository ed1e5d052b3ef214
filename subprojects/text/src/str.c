#include "text/str.h"

static char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_equal_ignore_case(struct str a, struct str b)
{
	if (a.length != b.length)
		return false;
	for (size_t i = 0; i < a.length; i++) {
		if (a.data[i] != b.data[i] && ascii_lower(a.data[i]) != ascii_lower(b.data[i]))
			return false;
	}
	return true;
}

bool str_starts_with_ignore_case(struct str s, struct str prefix)
{
	return s.length >= prefix.length &&
	       str_equal_ignore_case((struct str){s.data, prefix.length}, prefix);
}

size_t str_find(struct str s, char c)
{
	const char *found = s.length ? memchr(s.data, c, s.length) : NULL;

	return found ? (size_t)(found - s.data) : s.length;
}

static bool is_ows(char c)
{
	return c == ' ' || c == '\t';
}

struct str str_trim(struct str s)
{
	while (s.length && is_ows(s.data[0]))
		s = str_from_offset(s, 1);
	while (s.length && is_ows(s.data[s.length - 1]))
		s.length--;
	return s;
}

bool str_to_uint64(struct str s, unsigned long long max, unsigned long long *ret_value)
{
	unsigned long long value = 0;

	if (s.length == 0)
		return false;
	for (size_t i = 0; i < s.length; i++) {
		unsigned digit = (unsigned)(unsigned char)s.data[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10ULL, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}

bool str_next(struct str *rest, char separator, struct str *ret_piece)
{
	size_t end;

	if (!rest->data)
		return false;
	end = str_find(*rest, separator);
	*ret_piece = (struct str){.data = rest->data, .length = end};
	if (end == rest->length)
		*rest = (struct str){0};
	else
		*rest = str_from_offset(*rest, end + 1);
	return true;
}
