#include "setting_value.h"
#include "base/hex.h"
#include "base/require.h"
#include "domain/device_place.h"
#include "record/json.h"
#include "setting_place.h"

#include <text/base64.h>

static const char *check_option(const struct form_field *field, struct str value)
{
	for (unsigned i = 0; i < field->option_count; i++)
		if (str_equal(field->options[i].value, value))
			return NULL;
	return "must be one of the options";
}

/* Checks "#abc" or "#aabbcc"; the normal form is lower case. */
static const char *check_color(struct str value, struct arena *arena, struct str *ret_normal)
{
	struct str digits = value;
	char *text;

	if (digits.length && digits.data[0] == '#')
		digits = str_from_offset(digits, 1);
	if (digits.length != 3 && digits.length != 6)
		return "must be a colour like #ffaa00";
	text = arena_alloc(arena, digits.length + 1);
	text[0] = '#';
	for (size_t i = 0; i < digits.length; i++) {
		int digit = hex_digit(digits.data[i]);

		if (digit < 0)
			return "must be a colour like #ffaa00";
		text[i + 1] = "0123456789abcdef"[digit];
	}
	*ret_normal = (struct str){text, digits.length + 1};
	return NULL;
}

/* Takes text from the front by a format: each 0 stands for a digit, other characters must be equal.
 */
static bool takes(struct str *text, const char *format, unsigned *ret_numbers)
{
	size_t length = strlen(format);

	if (text->length < length)
		return false;
	for (size_t i = 0, n = 0; i < length; i++) {
		char c = text->data[i];

		if (format[i] != '0') {
			if (c != format[i] && !(format[i] == 'T' && c == 't'))
				return false;
			n++;
			continue;
		}
		if (c < '0' || c > '9')
			return false;
		ret_numbers[n] = ret_numbers[n] * 10 + (unsigned)(c - '0');
	}
	*text = str_from_offset(*text, length);
	return true;
}

static bool is_offset(struct str text)
{
	unsigned parts[2] = {0};

	if (str_equal(text, STR("Z")) || str_equal(text, STR("z")))
		return true;
	if (text.length == 0 || (text.data[0] != '+' && text.data[0] != '-'))
		return false;
	text = str_from_offset(text, 1);
	return takes(&text, "00:00", parts) && text.length == 0 && parts[0] < 24 && parts[1] < 60;
}

/* RFC 3339 section 5.6. */
static const char *check_datetime(struct str value)
{
	static const char wrong[] = "must be a date and time like 2026-07-01T12:34:56Z";
	static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	unsigned n[6] = {0};

	if (!takes(&value, "0000-00-00T00:00:00", n))
		return wrong;
	if (n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > days[n[1] - 1] || n[3] > 23 || n[4] > 59 ||
	    n[5] > 60)
		return wrong;
	if (n[1] == 2 && n[2] == 29 && (n[0] % 4 || (n[0] % 100 == 0 && n[0] % 400)))
		return wrong;
	if (value.length && value.data[0] == '.') {
		size_t digits = 1;

		while (digits < value.length && value.data[digits] >= '0' &&
		       value.data[digits] <= '9')
			digits++;
		if (digits == 1 || digits > 10)
			return wrong;
		value = str_from_offset(value, digits);
	}
	return is_offset(value) ? NULL : wrong;
}

static const char *check_chosen(const struct json_value *object)
{
	struct str value;

	return json_is_object(object) && json_member(object, "value") &&
		       json_get_str(json_member(object, "value"), &value)
		   ? NULL
		   : "must be the JSON of an option with its \"value\"";
}

/* Checks JSON. An empty text means that nothing was chosen. */
static const char *check_json(const struct form_field *field, struct str value, struct arena *arena,
			      struct str *ret_normal)
{
	struct json_document document = {0};
	const char *wrong;
	struct str reason;

	if (value.length == 0 ||
	    (field->type == FORM_LOCATION && str_equal(value, STR(DEVICE_PLACE_SETTING))))
		return NULL;
	if (!json_parse(value, arena, &document, &reason))
		return "must be JSON";
	wrong = field->type == FORM_LOCATION
		    ? setting_place_check(document.root, true, arena, ret_normal)
		    : check_chosen(document.root);
	json_document_finish(&document);
	return wrong;
}

static bool begins(const uint8_t *data, size_t size, const char *magic, size_t length)
{
	return size >= length && memcmp(data, magic, length) == 0;
}

static const char *check_photo(struct str value, struct arena *arena)
{
	uint8_t *data = arena_alloc(arena, base64_decoded_max(value.length));
	size_t size = 0;

	if (value.length == 0)
		return NULL;
	if (base64_decode(value, data, &size) < 0)
		return "must be the Base64 of a picture";
	return begins(data, size, "\x89PNG", 4) || begins(data, size, "\xff\xd8\xff", 3) ||
		       begins(data, size, "GIF8", 4) || begins(data, size, "RIFF", 4)
		   ? NULL
		   : "must be a picture: PNG, JPEG, GIF or WebP";
}

const char *setting_value_check(const struct form_field *field, struct str value,
				struct arena *arena, struct str *ret_normal)
{
	*ret_normal = value;
	switch (field->type) {
	case FORM_TEXT:
		return NULL;
	case FORM_ONOFF:
		return str_equal(value, STR("true")) || str_equal(value, STR("false"))
			   ? NULL
			   : "must be true or false";
	case FORM_DROPDOWN:
	case FORM_RADIO:
		return check_option(field, value);
	case FORM_COLOR:
		return check_color(value, arena, ret_normal);
	case FORM_DATETIME:
		return value.length ? check_datetime(value) : NULL;
	case FORM_LOCATION:
	case FORM_LOCATIONBASED:
	case FORM_TYPEAHEAD:
		return check_json(field, value, arena, ret_normal);
	case FORM_PNG:
		return check_photo(value, arena);
	case FORM_GENERATED:
		return "has no value of its own";
	case FORM_OAUTH1:
	case FORM_OAUTH2:
		return "cannot be set: signing in at another service is not possible here";
	case FORM_TYPE_COUNT:
		break;
	}
	return "is of an unknown type";
}
