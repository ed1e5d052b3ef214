#include "domain/push.h"
#include "base/limits.h"
#include "base/utf8.h"

static const char *installation_id_check(struct str id)
{
	struct str rest = id;

	if (str_equal(id, STR(".")) || str_equal(id, STR("..")))
		return "must not be \".\" or \"..\"";
	while (rest.length) {
		uint32_t c = utf8_next(&rest);

		if (utf8_is_control(c))
			return "must not contain control characters";
		if (c == '/' || c == '\\')
			return "must not contain \"/\" or \"\\\"";
	}
	return NULL;
}

static void fault_value(struct faults *faults, struct str name, const struct json_value *value,
			const char *must)
{
	faults_add(faults, name, "%s", json_is_null(value) ? JSON_NULL_FAULT : must);
}

static void push_body_check(void *memory, uint64_t seen, struct faults *faults);

enum { FIELD_IMAGE, FIELD_DURATION, FIELD_INSTALLATION_ID, FIELD_BACKGROUND };

static const struct record_field push_fields[] = {
    [FIELD_IMAGE] = RECORD_STR(struct push_body, image, .body = "image", .required = true),
    [FIELD_DURATION] = RECORD_ANY(struct push_body, duration, .body = "duration"),
    [FIELD_INSTALLATION_ID] =
	RECORD_STR(struct push_body, installation_id, .body = "installationId", .minimum = 1,
		   .maximum = LIMIT_INSTALLATION_ID, .check = installation_id_check),
    [FIELD_BACKGROUND] = RECORD_ANY(struct push_body, background, .body = "background"),
};
const struct record push_body_record =
    RECORD(struct push_body, push_fields, .check = push_body_check);

static const struct record_field stored_fields[] = {
    RECORD_INT8(struct push_stored, generation, .column = "generation"),
    RECORD_INT8(struct push_stored, previous_generation, .column = "previous_generation"),
    RECORD_BOOL(struct push_stored, is_close, .column = "is_close"),
    RECORD_BOOL(struct push_stored, is_stored, .column = "is_stored"),
};
const struct record push_stored_record = RECORD(struct push_stored, stored_fields);

static bool is_allowed_duration(int64_t seconds)
{
	static const int64_t allowed[] = {5, 10, 15, 30, 35, 40, 45};

	for (size_t i = 0; i < array_length(allowed); i++) {
		if (seconds == allowed[i])
			return true;
	}
	return false;
}

static bool is_image_type(struct str type)
{
	return str_equal_ignore_case(type, STR("image/png")) ||
	       str_equal_ignore_case(type, STR("image/webp")) ||
	       str_equal_ignore_case(type, STR("image/gif"));
}

static bool is_web_address(struct str text)
{
	size_t colon = str_find(text, ':');
	struct str scheme = {text.data, colon};

	return colon < text.length && (str_equal_ignore_case(scheme, STR("https")) ||
				       str_equal_ignore_case(scheme, STR("http")));
}

/* Splits a data URL (RFC 2397) into its media type and its base64 text; plain base64 has no media
 * type. NULL: it is good; else the fault. */
static const char *split_image(struct str image, struct str *ret_media_type, struct str *ret_base64)
{
	struct str head, parameters, type;
	struct str last = {0};
	size_t comma;

	if (is_web_address(image))
		return "is a URL, which is not fetched: send the image itself, in base64";
	if (image.length < 5 || !str_equal_ignore_case((struct str){image.data, 5}, STR("data:"))) {
		*ret_media_type = (struct str){0};
		*ret_base64 = image;
		return NULL;
	}
	image = str_from_offset(image, 5);
	comma = str_find(image, ',');
	if (comma == image.length)
		return "is a data URL without a comma";
	head = (struct str){image.data, comma};
	type = (struct str){head.data, str_find(head, ';')};
	if (!is_image_type(type))
		return "is a data URL of a type other than image/png, image/webp and image/gif";
	parameters = str_from_offset(head, type.length);
	while (str_next(&parameters, ';', &last))
		;
	if (!str_equal_ignore_case(last, STR("base64")))
		return "is a data URL that is not base64";
	*ret_media_type = type;
	*ret_base64 = str_from_offset(image, comma + 1);
	return NULL;
}

static void push_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct push_body *body = memory;
	const char *wrong;

	/* An image that is missing or has a fault is empty here. */
	wrong = split_image(body->image, &body->media_type, &body->base64);
	if (wrong)
		faults_add(faults, STR("image"), "%s", wrong);
	body->is_installation = seen >> FIELD_INSTALLATION_ID & 1;
	body->duration_s = PUSH_DURATION_DEFAULT_S;
	if (body->is_installation) {
		if (body->background && !json_get_bool(body->background, &body->in_background))
			fault_value(faults, STR("background"), body->background,
				    "must be true or false");
		return;
	}
	if (body->duration && (!json_get_integer(body->duration, &body->duration_s) ||
			       !is_allowed_duration(body->duration_s)))
		fault_value(faults, STR("duration"), body->duration,
			    "must be one of 5, 10, 15, 30, 35, 40, 45 (seconds)");
}
