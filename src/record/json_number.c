#include "json_number.h"
#include "base/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	DIGITS_MAX = 19,	/* of an int64_t */
	EXPONENT_MAX = 1000000, /* larger ones mean the same */
};

/* The number is digits * 10^exponent, with neither leading nor trailing zeros among its digits. */
struct number {
	bool is_negative;
	const char *digits; /* may contain one '.' */
	unsigned count;	    /* of the digits */
	int64_t exponent;
};

static int64_t read_exponent(struct str text)
{
	bool is_negative = text.length && text.data[0] == '-';
	int64_t value = 0;

	for (size_t i = 0; i < text.length && value < EXPONENT_MAX; i++)
		if (text.data[i] >= '0' && text.data[i] <= '9')
			value = value * 10 + (text.data[i] - '0');
	return is_negative ? -value : value;
}

static struct number take_apart(struct str literal)
{
	struct number number = {.is_negative = literal.length && literal.data[0] == '-'};
	unsigned zeros = 0; /* since the last other digit */
	bool is_fraction = false;
	size_t i;

	for (i = number.is_negative; i < literal.length; i++) {
		char c = literal.data[i];

		if (c == 'e' || c == 'E')
			break;
		if (c == '.') {
			is_fraction = true;
			continue;
		}
		number.exponent -= is_fraction;
		if (c == '0') {
			zeros += number.count > 0;
			continue;
		}
		if (number.count == 0)
			number.digits = &literal.data[i];
		number.count += zeros + 1;
		zeros = 0;
	}
	number.exponent += zeros;
	if (i < literal.length)
		number.exponent += read_exponent(str_from_offset(literal, i + 1));
	return number;
}

bool json_number_to_integer(struct str literal, int64_t *ret_integer)
{
	struct number number = take_apart(literal);
	uint64_t value = 0;

	if (number.count == 0) {
		*ret_integer = 0;
		return true;
	}
	if (number.exponent < 0 || number.count + number.exponent > DIGITS_MAX)
		return false;
	for (const char *at = number.digits; number.count; at++) {
		if (*at == '.')
			continue;
		value = value * 10 + (uint64_t)(*at - '0');
		number.count--;
	}
	for (; number.exponent; number.exponent--)
		value *= 10;
	if (value > (uint64_t)INT64_MAX + number.is_negative)
		return false;
	*ret_integer = (int64_t)(number.is_negative ? -value : value);
	return true;
}

bool json_number_to_double(struct str literal, double *ret_number)
{
	char text[LIMIT_JSON_NUMBER + 1];
	double number;

	if (literal.length > LIMIT_JSON_NUMBER)
		return false;
	memcpy(text, literal.data, literal.length);
	text[literal.length] = '\0';
	number = strtod(text, NULL);
	if (!isfinite(number))
		return false;
	*ret_number = number;
	return true;
}
