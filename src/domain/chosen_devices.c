#include "domain/chosen_devices.h"
#include "base/limits.h"

#include <text/utf8.h>

static bool are_names(const struct json_value *devices)
{
	struct json_walk walk = json_walk(devices);
	const struct json_value *item;
	struct str name;
	unsigned count;

	if (!json_get_array(devices, &count) || count == 0 || count > LIMIT_PUSH_DEVICES)
		return false;
	while (json_next_item(&walk, &item)) {
		if (!json_get_str(item, &name) || name.length == 0)
			return false;
	}
	return true;
}

bool chosen_devices_check(const struct json_value *devices, struct faults *faults)
{
	struct str word;

	if (!devices || (json_get_str(devices, &word) && str_equal(word, STR("all"))))
		return devices != NULL;
	if (!are_names(devices))
		faults_add(faults, STR("devices"),
			   "must be \"all\", or an array of 1 to %d IDs, serial numbers or MAC "
			   "addresses",
			   LIMIT_PUSH_DEVICES);
	return false;
}

void brightness_change_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct brightness_change *change = memory;

	(void)seen;
	change->is_for_all = chosen_devices_check(change->devices, faults);
}

void pin_change_check(void *memory, uint64_t seen, struct faults *faults)
{
	struct pin_change *change = memory;
	bool has_entry = seen >> PIN_CHANGE_INSTALLATION_FIELD & 1;
	bool has_app = seen >> PIN_CHANGE_APP_FIELD & 1;
	struct str id;

	change->is_for_all = chosen_devices_check(change->devices, faults);
	if (has_entry == has_app)
		faults_add(faults, STR("installationId"),
			   has_app ? "must be left out if app is there" : "or app is required");
	if (!has_entry || json_is_null(change->installation))
		return;
	if (json_get_str(change->installation, &id) && id.length > 0 &&
	    utf8_length(id) <= LIMIT_INSTALLATION_ID && str_find(id, '\0') == id.length)
		change->installation_id = id;
	else
		faults_add(faults, STR("installationId"),
			   "must be null or the ID of an entry, 1 to %d characters",
			   LIMIT_INSTALLATION_ID);
}
