#include "base/limits.h"
#include "domain/device.h"
#include "domain/entry_change.h"
#include "domain/plan_change.h"
#include "domain/push.h"

#include <stdlib.h>
#include <text/utf8.h>

/* The window that is read. */
struct reading {
	struct faults *faults;
	unsigned index;
	bool says_something;
	struct plan_window *window;
};

static void fault(const struct reading *reading, const char *member, const char *detail)
{
	struct str pointer = arena_printf(reading->faults->arena, "/windows/%u%s%s", reading->index,
					  member[0] ? "/" : "", member);

	faults_add_at(reading->faults, pointer, str_from(detail));
}

#define TIME_FAULT                                                                                 \
	"must be a time of day as HH:mm, or sunrise or sunset, with up to 240 minutes after or "   \
	"before it, such as sunset-30"

static bool read_offset(struct str text, int64_t *ret_minute)
{
	int64_t minute = 0;

	if (text.length == 0)
		return true;
	if (text.length < 2 || text.length > 4 || (text.data[0] != '+' && text.data[0] != '-'))
		return false;
	for (size_t i = 1; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		minute = minute * 10 + text.data[i] - '0';
	}
	*ret_minute = text.data[0] == '-' ? -minute : minute;
	return minute <= PLAN_OFFSET_MAX_MIN;
}

static bool read_time(const struct json_value *value, struct plan_time *ret_time)
{
	static const char *const names[] = {[PLAN_SUNRISE] = "sunrise", [PLAN_SUNSET] = "sunset"};
	int64_t minute = 0;
	struct str text;

	if (!json_get_str(value, &text))
		return false;
	for (unsigned kind = PLAN_SUNRISE; kind <= PLAN_SUNSET; kind++) {
		struct str name = str_from(names[kind]);

		if (!str_starts_with(text, name))
			continue;
		if (!read_offset(str_from_offset(text, name.length), &minute))
			return false;
		*ret_time = (struct plan_time){(uint8_t)kind, (int16_t)minute};
		return true;
	}
	if (!clock_parse(text, &minute))
		return false;
	*ret_time = (struct plan_time){PLAN_CLOCK, (int16_t)minute};
	return true;
}

static void read_from(struct reading *reading, const struct json_value *value)
{
	if (!read_time(value, &reading->window->from))
		fault(reading, "from", TIME_FAULT);
}

static void read_to(struct reading *reading, const struct json_value *value)
{
	if (!read_time(value, &reading->window->to))
		fault(reading, "to", TIME_FAULT);
}

static void read_weekdays(struct reading *reading, const struct json_value *value)
{
	int64_t weekdays = 0;

	if (!weekdays_read(value, &weekdays))
		fault(reading, "weekdays",
		      "must be an array of at least one weekday, monday to sunday, none of them "
		      "twice");
	reading->window->days_off = (uint8_t)(WEEKDAYS_ALL & ~weekdays);
}

static void read_dark(struct reading *reading, const struct json_value *value)
{
	reading->says_something = reading->window->says_dark = true;
	if (!json_get_bool(value, &reading->window->is_dark))
		fault(reading, "dark", "must be true or false");
}

static void read_brightness(struct reading *reading, const struct json_value *value)
{
	int64_t percent = 0;

	reading->says_something = true;
	if (!json_get_integer(value, &percent) || percent < 1 || percent > 100)
		fault(reading, "brightness", "must be an integer from 1 to 100");
	reading->window->brightness_rule = PLAN_BRIGHTNESS_SET;
	reading->window->brightness = (int16_t)percent;
}

static void read_filter(struct reading *reading, const struct json_value *value)
{
	const char *why = "must be the name of a colour filter";
	enum color_filter filter;
	struct str name;

	reading->says_something = true;
	if (json_get_str(value, &name))
		why = color_filter_check(name);
	if (why)
		fault(reading, "colorFilter", why);
	else if (color_filter_find(name, &filter))
		reading->window->color_filter = (uint8_t)filter;
}

static void read_entry(struct reading *reading, const struct json_value *value)
{
	struct str id = {0};

	reading->says_something = true;
	if (!json_get_str(value, &id) || id.length == 0 ||
	    utf8_length(id) > LIMIT_INSTALLATION_ID || push_id_check(id))
		fault(reading, "installationId", "must be the ID of an entry, 1 to 64 characters");
	reading->window->entry_id = id;
}

static void read_interval(struct reading *reading, const struct json_value *value)
{
	int64_t interval_s = 0;

	reading->says_something = true;
	if (!json_get_integer(value, &interval_s) || interval_s < SCHEDULE_INTERVAL_MIN_S ||
	    interval_s > SCHEDULE_INTERVAL_MAX_S)
		fault(reading, "interval", "must be an integer from 15 to 86400");
	reading->window->interval_s = (int32_t)interval_s;
}

static const struct member {
	const char *name;
	void (*read)(struct reading *reading, const struct json_value *value);
	bool is_required;
} members[] = {
    {"weekdays", read_weekdays, false},
    {"from", read_from, true},
    {"to", read_to, true},
    {"dark", read_dark, false},
    {"brightness", read_brightness, false},
    {"colorFilter", read_filter, false},
    {"installationId", read_entry, false},
    {"interval", read_interval, false},
};

static const struct member *find_member(struct str name)
{
	for (size_t i = 0; i < array_length(members); i++) {
		if (str_equal(name, str_from(members[i].name)))
			return &members[i];
	}
	return NULL;
}

static void read_window(struct reading *reading, const struct json_value *object)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct str name;

	*reading->window = (struct plan_window){.color_filter = COLOR_FILTER_INHERIT};
	if (!json_is_object(object)) {
		fault(reading, "", "must be an object");
		return;
	}
	while (json_next_member(&walk, &name, &value)) {
		const struct member *member = find_member(name);

		if (member)
			member->read(reading, value);
		else
			fault(reading, "",
			      "must have no other members than weekdays, from, to, dark, "
			      "brightness, colorFilter, installationId and interval");
	}
	for (size_t i = 0; i < array_length(members); i++) {
		if (members[i].is_required && !json_member(object, members[i].name))
			fault(reading, members[i].name, "is required");
	}
	if (!reading->says_something)
		fault(reading, "",
		      "must have at least one of dark, brightness, colorFilter, installationId "
		      "and interval");
}

bool plan_read(const struct json_value *windows, struct faults *faults, struct plan *ret_plan)
{
	unsigned before = faults->count + faults->dropped;
	struct json_walk walk = json_walk(windows);
	const struct json_value *item;
	unsigned count;

	*ret_plan = (struct plan){0};
	if (!json_get_array(windows, &count) || count > PLAN_WINDOWS_MAX) {
		faults_add(faults, STR("windows"), "must be an array of at most %d windows",
			   PLAN_WINDOWS_MAX);
		return false;
	}
	while (json_next_item(&walk, &item)) {
		struct plan_window *window = &ret_plan->windows[ret_plan->count];
		struct reading reading = {faults, ret_plan->count, false, window};

		read_window(&reading, item);
		ret_plan->has_sun |=
		    window->from.kind != PLAN_CLOCK || window->to.kind != PLAN_CLOCK;
		ret_plan->count++;
	}
	return faults->count + faults->dropped == before;
}

/* Check of struct plan_change: reads its windows, and writes their text as it is stored. */
void plan_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct plan_change *change = body;
	struct plan plan;

	(void)seen;
	/* Without windows the member's own fault is enough. */
	if (change->windows && plan_read(change->windows, faults, &plan))
		change->text = plan_text(&plan, faults->arena);
}

static bool read_degrees(const struct json_value *object, const char *name, double *ret_degrees)
{
	struct str text;
	char digits[32], *end;

	if (!json_get_str(json_member(object, name), &text) || text.length == 0 ||
	    text.length >= sizeof(digits))
		return false;
	memcpy(digits, text.data, text.length);
	digits[text.length] = '\0';
	*ret_degrees = strtod(digits, &end);
	return *end == '\0';
}

/* place: as stored, checked before. */
static void read_place(struct str place, struct arena *arena, struct plan *plan)
{
	struct json_document document = {0};
	struct str reason;

	if (place.length && json_parse(place, arena, &document, &reason))
		plan->has_place = read_degrees(document.root, "lat", &plan->place.lat) &&
				  read_degrees(document.root, "lng", &plan->place.lng);
	json_document_finish(&document);
}

void plan_parse(struct str text, struct str place, struct arena *arena, struct plan *ret_plan)
{
	struct json_document document = {0};
	struct faults faults;
	struct str reason;

	*ret_plan = (struct plan){0};
	faults_init(&faults, arena);
	/* A plan that another version stored, and this one cannot read, says nothing. */
	if (text.length && (!json_parse(text, arena, &document, &reason) ||
			    !plan_read(document.root, &faults, ret_plan)))
		*ret_plan = (struct plan){0};
	json_document_finish(&document);
	read_place(place, arena, ret_plan);
}

const char *plan_text_check(struct str text)
{
	struct json_document document = {0};
	struct arena arena = {0};
	struct faults faults;
	struct plan plan;
	struct str reason;
	bool is_good = text.length == 0;

	if (text.length > PLAN_TEXT_MAX)
		return "must have at most 16384 bytes";
	faults_init(&faults, &arena);
	if (!is_good && json_parse(text, &arena, &document, &reason))
		is_good = plan_read(document.root, &faults, &plan);
	json_document_finish(&document);
	arena_finish(&arena);
	return is_good ? NULL : "must be JSON: the windows of a plan, as the API has them";
}

static void write_time(struct plan_time time, struct buffer *json)
{
	if (time.kind == PLAN_CLOCK) {
		buffer_printf(json, "\"%02d:%02d\"", time.minute / 60, time.minute % 60);
		return;
	}
	buffer_printf(json, "\"%s", time.kind == PLAN_SUNRISE ? "sunrise" : "sunset");
	if (time.minute)
		buffer_printf(json, "%+d", time.minute);
	buffer_append_str(json, STR("\""));
}

static void write_window(const struct plan_window *window, struct buffer *json)
{
	static const char *const names[WEEKDAYS] = {"monday", "tuesday",  "wednesday", "thursday",
						    "friday", "saturday", "sunday"};
	const char *separator = "";

	buffer_append_str(json, STR("{\"weekdays\":["));
	for (int i = 0; i < WEEKDAYS; i++) {
		if (window->days_off >> i & 1)
			continue;
		buffer_printf(json, "%s\"%s\"", separator, names[i]);
		separator = ",";
	}
	buffer_append_str(json, STR("],\"from\":"));
	write_time(window->from, json);
	buffer_append_str(json, STR(",\"to\":"));
	write_time(window->to, json);
	if (window->says_dark)
		buffer_printf(json, ",\"dark\":%s", window->is_dark ? "true" : "false");
	if (window->brightness_rule == PLAN_BRIGHTNESS_SET)
		buffer_printf(json, ",\"brightness\":%d", window->brightness);
	if (window->color_filter != COLOR_FILTER_INHERIT)
		buffer_printf(json, ",\"colorFilter\":\"%.*s\"",
			      STR_ARG(color_filter_name(window->color_filter)));
	if (window->entry_id.length) {
		buffer_append_str(json, STR(",\"installationId\":"));
		json_write_str(json, window->entry_id);
	}
	if (window->interval_s)
		buffer_printf(json, ",\"interval\":%d", window->interval_s);
	buffer_append_str(json, STR("}"));
}

void plan_write(const struct plan *plan, struct buffer *json)
{
	buffer_append_str(json, STR("["));
	for (unsigned i = 0; i < plan->count; i++) {
		if (i)
			buffer_append_str(json, STR(","));
		write_window(&plan->windows[i], json);
	}
	buffer_append_str(json, STR("]"));
}

struct str plan_text(const struct plan *plan, struct arena *arena)
{
	struct buffer json = {0};
	struct str text;

	if (plan->count == 0)
		return STR("");
	plan_write(plan, &json);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}
