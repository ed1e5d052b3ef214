#include "domain/api_key.h"
#include "base/clock.h"
#include "domain/device.h"
#include "domain/person.h"

static const char *const level_names[] = {
    [KEY_LEVEL_PUSH] = "push",
    [KEY_LEVEL_DEVICES] = "devices",
    [KEY_LEVEL_ALL] = "all",
};

bool key_level_parse(struct str name, enum key_level *ret_level)
{
	for (unsigned i = 0; i < array_length(level_names); i++) {
		if (str_equal(name, str_from(level_names[i]))) {
			*ret_level = (enum key_level)i;
			return true;
		}
	}
	return false;
}

struct str key_level_name(enum key_level level)
{
	return str_from(level_names[level]);
}

bool key_scope_has_device(const struct key_scope *scope, struct id device_id)
{
	size_t from = 0, to = scope->devices.length / ID_BYTES;

	if (to == 0)
		return true;
	while (from < to) {
		size_t middle = (from + to) / 2;
		int order =
		    memcmp(scope->devices.data + middle * ID_BYTES, device_id.bytes, ID_BYTES);

		if (order == 0)
			return true;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

bool key_scope_has_ended(const struct key_scope *scope, int64_t wall_us)
{
	return scope->ends_at_us && wall_us >= scope->ends_at_us;
}

/* ---- what the owner sets ---- */

const char *key_scope_check(struct str name)
{
	enum key_level level;

	return key_level_parse(name, &level) ? NULL : "must be push, devices or all";
}

static bool add_device(struct key_creation *creation, const struct json_value *value)
{
	struct id *id = &creation->device_ids[creation->device_count];
	struct str text;

	if (!json_get_str(value, &text) || !id_parse(text, id))
		return false;
	for (unsigned i = 0; i < creation->device_count; i++) {
		if (id_equal(creation->device_ids[i], *id))
			return false;
	}
	creation->device_count++;
	return true;
}

static void read_devices(struct key_creation *creation, struct faults *faults)
{
	struct str name = STR("deviceIds");
	unsigned count;

	if (!json_get_array(creation->device_list, &count) || count == 0 ||
	    count > LIMIT_KEY_DEVICES) {
		faults_add(faults, name,
			   "must be an array of 1 to %d device IDs; leave it out for all devices",
			   LIMIT_KEY_DEVICES);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		if (!add_device(creation, json_array_item(creation->device_list, i))) {
			faults_add(faults, name, "has an ID twice, or the ID of no device");
			return;
		}
	}
}

void api_key_creation_check(void *body, uint64_t seen, struct faults *faults)
{
	struct key_creation *creation = body;

	(void)seen;
	if (creation->scope.length == 0)
		creation->scope = key_level_name(KEY_LEVEL_ALL);
	if (creation->device_list)
		read_devices(creation, faults);
	if (creation->end.length == 0)
		return;
	if (!timestamp_read(creation->end, &creation->ends_at_us))
		faults_add(faults, STR("endsAt"), "must be a time such as 2027-01-31T12:00:00Z");
	else if (creation->ends_at_us <= clock_wall_us())
		faults_add(faults, STR("endsAt"), "must be in the future");
}
