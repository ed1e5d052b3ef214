#include "domain/v0.h"
#include "record/json.h"

#include <string.h>

/* Members that only show: programs send back what GET returned. A value that differs is a fault,
 * since it would have no effect. Those that change by themselves may have changed since. */

static const char *const device_names[V0_DEVICE_SHOWN] = {
    "id", "type", "nightMode", "dimMode", "interstitial", "lastSeen", "info",
};
static const char *const installation_names[V0_INSTALLATION_SHOWN] = {
    "id",
    "appID",
    "pushed",
    "lastRenderAt",
    "isInactive",
    "useCustomRecurrence",
    "recurrenceType",
    "recurrenceInterval",
    "recurrencePattern",
    "recurrenceStartDate",
    "recurrenceEndDate",
};
enum { INTERVAL = 7 };

static bool changes_itself(struct str name)
{
	static const char *const names[] = {"active", "overrideUntil", "lastSeen",
					    "info",   "lastRenderAt",  "isInactive"};

	for (size_t i = 0; i < array_length(names); i++)
		if (str_equal(name, str_from(names[i])))
			return true;
	return false;
}

static bool is_same(const struct json_value *one, const struct json_value *other)
{
	struct buffer first = {0}, second = {0};
	int64_t number, again;
	bool is;

	if (json_get_integer(one, &number) && json_get_integer(other, &again))
		return number == again;
	json_write_value(&first, one);
	json_write_value(&second, other);
	is = str_equal(buffer_view(&first), buffer_view(&second));
	buffer_finish(&first);
	buffer_finish(&second);
	return is;
}

/* Whether both have one type. If the present value is null: whether the other is a text or a
 * number. */
static bool is_alike(const struct json_value *value, const struct json_value *now)
{
	struct str text;
	double number;
	bool is_true;

	if (json_get_str(value, &text))
		return json_is_null(now) || json_get_str(now, &text);
	if (json_get_number(value, &number))
		return json_is_null(now) || json_get_number(now, &number);
	return json_get_bool(value, &is_true) && json_get_bool(now, &is_true);
}

static const struct json_value *v0_shown_find(const struct json_value *object, struct str name)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value;
	struct str other;

	while (json_next_member(&walk, &other, &value))
		if (str_equal(other, name))
			return value;
	return NULL;
}

/* A value below a member of the body. */
struct shown_value {
	struct str pointer;
	struct str member; /* of the body */
	bool changes;	   /* by itself */
};

static void add_fault(const struct shown_value *at, bool is_known, struct faults *faults)
{
	const char *more = "";

	if (str_equal(at->member, STR("nightMode")))
		more = "; members such as nightModeEnabled change it";
	else if (str_equal(at->member, STR("dimMode")))
		more = "; members such as dimModeStartTime change it";
	faults_add_at(
	    faults, at->pointer,
	    is_known ? arena_printf(faults->arena, "must be as GET returns it, or left out%s", more)
		     : STR("is not a known field"));
}

static void check_object(const struct shown_value *at, const struct json_value *object,
			 const struct json_value *now, struct faults *faults)
{
	struct json_walk walk = json_walk(object);
	const struct json_value *value, *shown;
	struct str name;

	while (json_next_member(&walk, &name, &value)) {
		struct str below = faults_pointer(faults->arena, name);
		struct shown_value member = {
		    .pointer = arena_printf(faults->arena, "%.*s%.*s", STR_ARG(at->pointer),
					    STR_ARG(below)),
		    .member = at->member,
		    .changes = at->changes || changes_itself(name),
		};

		shown = v0_shown_find(now, name);
		if (!shown)
			add_fault(&member, false, faults);
		else if (!json_is_null(value) &&
			 !(member.changes ? is_alike(value, shown) : is_same(value, shown)))
			add_fault(&member, true, faults);
	}
}

static void check_value(struct str name, const struct json_value *value,
			const struct json_value *now, struct faults *faults)
{
	struct shown_value at = {faults_pointer(faults->arena, name), name, changes_itself(name)};

	if (json_is_object(value) && json_is_object(now))
		check_object(&at, value, now, faults);
	else if (!(at.changes ? is_alike(value, now) : is_same(value, now)))
		add_fault(&at, true, faults);
}

static void v0_shown_check(const struct json_value *const *values, const char *const *names,
			   unsigned count, const struct record *record, const void *shown,
			   struct faults *faults)
{
	struct json_document document = {0};
	struct buffer json = {0};
	struct str reason;

	record_write_json(record, shown, &json);
	if (json_parse(buffer_view(&json), faults->arena, &document, &reason))
		for (unsigned i = 0; i < count; i++)
			if (values[i])
				check_value(str_from(names[i]), values[i],
					    json_member(document.root, names[i]), faults);
	json_document_finish(&document);
	buffer_finish(&json);
}

void v0_device_change_check_shown(const struct v0_device_change *change,
				  const struct v0_device *device, struct faults *faults)
{
	v0_shown_check(change->shown, device_names, V0_DEVICE_SHOWN, &device_v0_record, device,
		       faults);
}

void v0_installation_change_check_shown(const struct v0_installation_change *change,
					const struct v0_installation *installation,
					struct faults *faults)
{
	const struct json_value *shown[V0_INSTALLATION_SHOWN];
	int64_t interval = 0;

	memcpy(shown, change->shown, sizeof(shown));
	/* The other server has 1, too, if there is no recurrence. */
	if (!installation->use_custom_recurrence && shown[INTERVAL] &&
	    json_get_integer(shown[INTERVAL], &interval) && interval == 1)
		shown[INTERVAL] = NULL;
	v0_shown_check(shown, installation_names, V0_INSTALLATION_SHOWN, &installation_v0_record,
		       installation, faults);
}
