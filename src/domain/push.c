#include "domain/push.h"
#include "base/hex.h"
#include "base/limits.h"
#include "domain/chosen_devices.h"

#include <text/utf8.h>

const char *push_id_check(struct str id)
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
static void push_v0_body_check(void *memory, uint64_t seen, struct faults *faults);
static void push_devices_body_check(void *memory, uint64_t seen, struct faults *faults);
static void message_body_check(void *memory, uint64_t seen, struct faults *faults);

/* Each body has only some of these fields. */
enum {
	FIELD_IMAGE,
	FIELD_INSTALLATION_ID,
	FIELD_BACKGROUND,
	FIELD_DURATION,
	FIELD_EXPIRES_IN,
	FIELD_SHOW_FOR,
	FIELD_INSTALLATION_ID_AGAIN = FIELD_DURATION
};

#define ID_RULES .maximum = LIMIT_INSTALLATION_ID, .check = push_id_check

#define PUSH_FIELDS                                                                                \
	[FIELD_IMAGE] = RECORD_STR(struct push_body, image, .body = "image", .required = true),    \
	[FIELD_BACKGROUND] = RECORD_ANY(struct push_body, background, .body = "background"),       \
	PUSH_HOW_FIELDS, RECORD_BOOL(struct push_body, is_fitted, .body = "fit")

#define PUSH_HOW_FIELDS                                                                            \
	[FIELD_INSTALLATION_ID] = RECORD_STR(struct push_body, installation_id,                    \
					     .body = "installationId", .minimum = 1, ID_RULES),    \
	[FIELD_DURATION] = RECORD_ANY(struct push_body, duration, .body = "duration"),             \
	[FIELD_EXPIRES_IN] =                                                                       \
	    RECORD_INT(struct push_body, expires_in_s, .body = "expiresIn",                        \
		       .minimum = PUSH_EXPIRES_MIN_S, .maximum = PUSH_EXPIRES_MAX_S),              \
	[FIELD_SHOW_FOR] =                                                                         \
	    RECORD_INT(struct push_body, show_for_s, .body = "showFor",                            \
		       .minimum = PUSH_SHOW_FOR_MIN_S, .maximum = PUSH_SHOW_FOR_MAX_S),            \
	RECORD_BOOL(struct push_body, is_waking, .body = "wake"),                                  \
	RECORD_BOOL(struct push_body, is_held, .body = "hold")

static const struct record_field push_fields[] = {PUSH_FIELDS};
const struct record push_body_record =
    RECORD(struct push_body, push_fields, .check = push_body_check);

static const struct record_field push_devices_fields[] = {
    PUSH_FIELDS,
    RECORD_ANY(struct push_body, devices, .body = "devices", .required = true),
};
const struct record push_devices_body_record =
    RECORD(struct push_body, push_devices_fields, .check = push_devices_body_check);

/* ---- a message ---- */

/* The first one is the default. */
static const char *const message_fonts[] = {
    "tb-8",
    "10x20",
    "5x8",
    "6x10",
    "6x10-rounded",
    "6x13",
    "CG-pixel-3x5-mono",
    "CG-pixel-4x5-mono",
    "Dina_r400-6",
    "terminus-12",
    "terminus-14",
    "terminus-14-light",
    "terminus-16",
    "terminus-16-light",
    "terminus-18",
    "terminus-18-light",
    "terminus-20",
    "terminus-20-light",
    "terminus-22",
    "terminus-22-light",
    "terminus-24",
    "terminus-24-light",
    "terminus-28",
    "terminus-28-light",
    "terminus-32",
    "terminus-32-light",
    "tom-thumb",
};

static bool is_one_of(struct str text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(text, str_from(names[i])))
			return true;
	}
	return false;
}

static const char *font_check(struct str font)
{
	return is_one_of(font, message_fonts, array_length(message_fonts))
		   ? NULL
		   : "must be a font such as tb-8, 10x20, 5x8, 6x10, 6x13 or tom-thumb; the API "
		     "document lists all";
}

static const char *align_check(struct str align)
{
	static const char *const names[] = {"left", "center", "right"};

	return is_one_of(align, names, array_length(names)) ? NULL
							    : "must be left, center or right";
}

static const char *scroll_check(struct str scroll)
{
	static const char *const names[] = {"auto", "left", "up", "none"};

	return is_one_of(scroll, names, array_length(names)) ? NULL
							     : "must be auto, left, up or none";
}

static const char *color_check(struct str color)
{
	static const char wrong[] = "must be a colour like #ffaa00";

	if ((color.length != 4 && color.length != 7) || color.data[0] != '#')
		return wrong;
	for (size_t i = 1; i < color.length; i++) {
		if (hex_digit(color.data[i]) < 0)
			return wrong;
	}
	return NULL;
}

static const char *text_check(struct str text)
{
	bool has_visible = false;

	while (text.length) {
		uint32_t c = utf8_next(&text);

		if (c != '\n' && utf8_is_control(c))
			return "must not contain control characters other than line feeds";
		has_visible |= !utf8_is_space(c);
	}
	return has_visible ? NULL : "must have a character that is not white space";
}

static const struct record_field message_fields[] = {
    [FIELD_IMAGE] = RECORD_STR(struct push_body, message.text, .body = "text", .required = true,
			       .minimum = 1, .maximum = MESSAGE_TEXT_MAX, .check = text_check),
    [FIELD_BACKGROUND] = RECORD_STR(struct push_body, message.background, .body = "background",
				    .check = color_check),
    PUSH_HOW_FIELDS,
    RECORD_STR(struct push_body, message.color, .body = "color", .check = color_check),
    RECORD_STR(struct push_body, message.font, .body = "font", .check = font_check),
    RECORD_STR(struct push_body, message.align, .body = "align", .check = align_check),
    RECORD_STR(struct push_body, message.scroll, .body = "scroll", .check = scroll_check),
    RECORD_STR(struct push_body, message.icon, .body = "icon"),
};
const struct record message_body_record =
    RECORD(struct push_body, message_fields, .check = message_body_check);

/* A newer image takes the place of one that waits anyway: the ID changes nothing. */
static const char *coalesce_check(struct str id)
{
	for (size_t i = 0; i < id.length; i++) {
		char c = id.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '_' || c == '-'))
			return "must be 1 to 64 letters, digits, _ or -";
	}
	return NULL;
}

#define COALESCE_ID .body = "coalesceID", .minimum = 1, .maximum = 64, .check = coalesce_check

static const struct record_field push_v0_fields[] = {
    [FIELD_IMAGE] = RECORD_STR(struct push_body, image, .body = "image", .required = true),
    [FIELD_INSTALLATION_ID] =
	RECORD_STR(struct push_body, installation_id, .body = "installationID", ID_RULES),
    [FIELD_BACKGROUND] = RECORD_ANY(struct push_body, background, .body = "background"),
    [FIELD_INSTALLATION_ID_AGAIN] =
	RECORD_STR(struct push_body, installation_id_again, .body = "installationId",
		   .is_alias = true, ID_RULES),
    RECORD_ANY(struct push_body, device_id, .body = "deviceID"),
    RECORD_STR(struct push_body, coalesce_id, COALESCE_ID),
};
const struct record push_v0_body_record =
    RECORD(struct push_body, push_v0_fields, .empty_is_absent = true, .check = push_v0_body_check);

static const struct record_field stored_fields[] = {
    RECORD_INT8(struct push_stored, generation, .column = "generation"),
    RECORD_INT8(struct push_stored, previous_generation, .column = "previous_generation"),
    RECORD_BOOL(struct push_stored, is_close, .column = "is_close"),
    RECORD_BOOL(struct push_stored, is_stored, .column = "is_stored"),
    RECORD_BOOL(struct push_stored, is_full, .column = "is_full"),
    RECORD_BOOL(struct push_stored, is_summed, .column = "is_summed"),
    RECORD_INT8(struct push_stored, room, .column = "room"),
    RECORD_INT8(struct push_stored, byte_limit, .column = "byte_limit"),
    RECORD_BOOL(struct push_stored, has_expired, .column = "has_expired"),
    RECORD_STR(struct push_stored, pinned_installation_id, .column = "pinned_installation_id",
	       .nullable = true),
    RECORD_TIMESTAMP(struct push_stored, last_online_us, .column = "last_online_at",
		     .is_past = true),
    RECORD_BOOL(struct push_stored, has_connected, .column = "has_connected"),
    RECORD_BOOL(struct push_stored, sleep_set.is_set, .column = "is_sleep_set"),
    RECORD_BOOL(struct push_stored, sleep_set.is_asleep, .column = "is_set_asleep"),
    RECORD_TIMESTAMP(struct push_stored, sleep_set.until_us, .column = "sleep_set_until",
		     .nullable = true),
    RECORD_BOOL(struct push_stored, dim_set.is_set, .column = "is_dim_set"),
    RECORD_BOOL(struct push_stored, dim_set.is_dimmed, .column = "is_set_dimmed"),
    RECORD_TIMESTAMP(struct push_stored, dim_set.until_us, .column = "dim_set_until",
		     .nullable = true),
};
const struct record push_stored_record = RECORD(struct push_stored, stored_fields);

/* Seconds for which a temporary image may be shown. */
static const int64_t durations[] = {5, 10, 15, 30, 35, 40, 45};

static bool is_allowed_duration(int64_t seconds)
{
	for (size_t i = 0; i < array_length(durations); i++) {
		if (seconds == durations[i])
			return true;
	}
	return false;
}

int64_t push_duration_for(int64_t animation_ms)
{
	size_t i = 0;

	while (i + 1 < array_length(durations) && durations[i] * 1000 < animation_ms)
		i++;
	return durations[i];
}

static void check_image(struct push_body *body, struct faults *faults)
{
	/* An image that is missing or has a fault is empty here. */
	const char *wrong =
	    push_split_image(body->image, faults->arena, &body->media_type, &body->base64);

	if (wrong)
		faults_add(faults, STR("image"), "%s", wrong);
}

static void check_background(struct push_body *body, struct faults *faults)
{
	if (body->background && !json_get_bool(body->background, &body->in_background))
		fault_value(faults, STR("background"), body->background, "must be true or false");
}

/* Rejects fields that a held push cannot have: it has no end, and is shown at once. */
static void check_hold(const struct push_body *body, uint64_t seen, struct faults *faults)
{
	static const unsigned excluded[] = {FIELD_DURATION, FIELD_SHOW_FOR, FIELD_BACKGROUND};

	for (size_t i = 0; body->is_held && i < array_length(excluded); i++) {
		if (seen >> excluded[i] & 1)
			faults_add(faults, str_from(push_fields[excluded[i]].body),
				   "must be left out if hold is true");
	}
}

/* Checks how, and how long, the push is shown. */
static void check_how(struct push_body *body, uint64_t seen, struct faults *faults)
{
	body->is_installation = seen >> FIELD_INSTALLATION_ID & 1;
	body->id_member = push_fields[FIELD_INSTALLATION_ID].body;
	body->duration_s = PUSH_DURATION_DEFAULT_S;
	check_hold(body, seen, faults);
	if (body->is_installation) {
		if (!body->is_held)
			check_background(body, faults);
		return;
	}
	if (seen >> FIELD_EXPIRES_IN & 1)
		faults_add(faults, str_from(push_fields[FIELD_EXPIRES_IN].body),
			   "must be left out without installationId");
	if (!body->is_held && body->duration &&
	    (!json_get_integer(body->duration, &body->duration_s) ||
	     !is_allowed_duration(body->duration_s)))
		fault_value(faults, STR("duration"), body->duration,
			    "must be one of 5, 10, 15, 30, 35, 40, 45 (seconds)");
	if (body->show_for_s)
		body->duration_s = body->show_for_s;
}

static void push_devices_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct push_body *body = memory;

	push_body_check(memory, seen, faults);
	body->is_for_all = chosen_devices_check(body->devices, faults);
}

static void push_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	check_image(memory, faults);
	check_how(memory, seen, faults);
}

static void set_default(struct str *text, const char *value)
{
	if (!text->data)
		*text = str_from(value);
}

static void message_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct push_body *body = memory;
	struct push_message *message = &body->message;
	struct str media_type;
	const char *wrong;

	/* A held message may have a background, which is a colour. */
	check_how(body, seen & ~(1ULL << FIELD_BACKGROUND), faults);
	if (!body->duration && !body->show_for_s && !body->is_held)
		body->duration_s = 0;
	set_default(&message->color, "#ffffff");
	set_default(&message->background, "#000000");
	set_default(&message->font, message_fonts[0]);
	set_default(&message->align, "center");
	set_default(&message->scroll, "auto");
	if (!message->icon.data)
		return;
	wrong = push_split_image(message->icon, faults->arena, &media_type, &message->icon_base64);
	if (!wrong && message->icon_base64.length == 0)
		wrong = "is empty: leave it out";
	if (wrong)
		faults_add(faults, STR("icon"), "%s", wrong);
}

/* Whether the body names an installation by this field: an empty ID names none, and a faulty ID has
 * no data. */
static bool names_installation(uint64_t seen, unsigned field, struct str id)
{
	return seen >> field & 1 && (id.length || !id.data);
}

/* Reads the two names of the ID in a body of /v0, and whether it is shown at once. Background is
 * also checked without an ID, so that clients learn of a meaningless value. */
static void check_v0_entry(struct push_body *body, uint64_t seen, struct faults *faults)
{
	struct str again = body->installation_id_again;
	bool has_id = names_installation(seen, FIELD_INSTALLATION_ID, body->installation_id);
	bool has_again = names_installation(seen, FIELD_INSTALLATION_ID_AGAIN, again);
	unsigned used = has_id ? FIELD_INSTALLATION_ID : FIELD_INSTALLATION_ID_AGAIN;

	body->duration_s = PUSH_DURATION_DEFAULT_S;
	body->is_installation = has_id || has_again;
	body->id_member = push_v0_fields[used].body;
	if (body->installation_id.length && again.length &&
	    !str_equal(body->installation_id, again))
		faults_add(faults, str_from(push_v0_fields[FIELD_INSTALLATION_ID_AGAIN].body),
			   "is not the same ID as %s: leave one of them out", body->id_member);
	if (!has_id)
		body->installation_id = again;
	check_background(body, faults);
	body->in_background &= body->is_installation;
}

static void push_v0_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct push_body *body = memory;

	check_image(body, faults);
	check_v0_entry(body, seen, faults);
}

/* ---- push_app ---- */

static const char *publish_check(struct str text)
{
	return str_equal(text, STR("foreground")) || str_equal(text, STR("background"))
		   ? NULL
		   : "must be foreground or background";
}

enum { APP_LENGTH_MAX = 64 };

static void push_app_body_check(void *memory, uint64_t seen, struct faults *faults);

/* The fields that check_v0_entry() reads have the same indices as in push_v0_fields. */
static const struct record_field push_app_fields[] = {
    [FIELD_IMAGE] =
	RECORD_STR(struct push_app_body, app, .body = "app_id", .maximum = APP_LENGTH_MAX),
    [FIELD_INSTALLATION_ID] =
	RECORD_STR(struct push_app_body, push.installation_id, .body = "installationID", ID_RULES),
    [FIELD_BACKGROUND] = RECORD_ANY(struct push_app_body, push.background, .body = "background"),
    [FIELD_INSTALLATION_ID_AGAIN] =
	RECORD_STR(struct push_app_body, push.installation_id_again, .body = "installationId",
		   .is_alias = true, ID_RULES),
    RECORD_ANY(struct push_app_body, push.device_id, .body = "deviceID"),
    RECORD_STR(struct push_app_body, publish, .body = "publish", .check = publish_check),
    RECORD_STR(struct push_app_body, push.coalesce_id, COALESCE_ID),
    RECORD_ANY(struct push_app_body, settings_value, .body = "config"),
};
const struct record push_app_body_record = RECORD(
    struct push_app_body, push_app_fields, .empty_is_absent = true, .check = push_app_body_check);

static void push_app_body_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct push_app_body *body = memory;

	check_v0_entry(&body->push, seen, faults);
	if (str_equal(body->publish, STR("background")))
		body->push.in_background = body->push.is_installation;
	settings_read_any(body->settings_value, STR("config"), faults, &body->settings);
	if (!body->app.length && !body->push.is_installation &&
	    !faults_has(faults, str_from(push_app_fields[FIELD_IMAGE].body)))
		faults_add(faults, str_from(push_app_fields[FIELD_IMAGE].body),
			   "is required without the installationID of an entry of the rotation");
}
