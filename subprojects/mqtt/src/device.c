#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char device_no_pin[] = "Rotation";

void device_need_all(struct device *device, bool needs_all)
{
	device->needs_about = device->needs_rotation = device->needs_firmware = needs_all;
}

bool device_is_updating(const struct device *device)
{
	const char *state =
	    yyjson_get_str(yyjson_obj_get(device_member(device->firmware, "update"), "state"));

	return state && (strcmp(state, "offered") == 0 || strcmp(state, "fetching") == 0);
}

struct device *device_create(const char *id)
{
	struct device *device = memory_take(sizeof(*device));

	if (!device)
		return NULL;
	snprintf(device->id, sizeof(device->id), "%s", id);
	device_need_all(device, true);
	return device;
}

void device_destroy(struct device *device)
{
	yyjson_doc_free(device->about);
	yyjson_doc_free(device->rotation);
	yyjson_doc_free(device->firmware);
	yyjson_doc_free(device->shown);
	bytes_finish(&device->text);
	for (struct published *next, *one = device->published; one; one = next) {
		next = one->next;
		free(one);
	}
	free(device);
}

yyjson_val *device_member(const yyjson_doc *doc, const char *name)
{
	return yyjson_obj_get(yyjson_doc_get_root((yyjson_doc *)doc), name);
}

const char *device_text(const yyjson_doc *doc, const char *name, const char *otherwise)
{
	const char *text = yyjson_get_str(device_member(doc, name));

	return text ? text : otherwise;
}

unsigned device_entry_count(const struct device *device)
{
	size_t count = yyjson_arr_size(device_member(device->rotation, "entries"));

	return count > ROTATION_ENTRIES_MAX ? ROTATION_ENTRIES_MAX : (unsigned)count;
}

yyjson_val *device_entry(const struct device *device, unsigned index)
{
	return yyjson_arr_get(device_member(device->rotation, "entries"), index);
}

const char *device_entry_problem(const struct device *device, unsigned index)
{
	return yyjson_get_str(yyjson_obj_get(device_entry(device, index), "problem"));
}

static const char *plain_label(yyjson_val *entry)
{
	static const char *const names[] = {"name", "appName", "installationId"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = yyjson_get_str(yyjson_obj_get(entry, names[i]));

		if (text && *text)
			return text;
	}
	return "";
}

void device_label(const struct device *device, unsigned index, char ret_label[static LABEL_BYTES])
{
	const char *label = plain_label(device_entry(device, index));
	unsigned same = strcmp(label, device_no_pin) == 0;

	for (unsigned i = 0; i < index; i++)
		same += strcmp(plain_label(device_entry(device, i)), label) == 0;
	if (same)
		snprintf(ret_label, LABEL_BYTES, "%s (%u)", label, same + 1);
	else
		snprintf(ret_label, LABEL_BYTES, "%s", label);
}

int device_find_label(const struct device *device, const char *label)
{
	char own[LABEL_BYTES];

	for (unsigned i = 0; i < device_entry_count(device); i++) {
		device_label(device, i, own);
		if (strcmp(own, label) == 0)
			return (int)i;
	}
	return -1;
}

const char *device_label_of(const struct device *device, const char *entry_id,
			    char ret_label[static LABEL_BYTES])
{
	for (unsigned i = 0; entry_id && i < device_entry_count(device); i++) {
		yyjson_val *id = yyjson_obj_get(device_entry(device, i), "installationId");

		if (!yyjson_equals_str(id, entry_id))
			continue;
		device_label(device, i, ret_label);
		return ret_label;
	}
	return NULL;
}

void device_set_text(struct device *device, const struct bytes *text)
{
	bytes_finish(&device->text);
	bytes_add(&device->text, text->data, text->length);
	device->needs_publishing = true;
}

int device_brightness(const struct device *device)
{
	return yyjson_get_int(device_member(device->about, "brightness"));
}

static bool is_kind(const struct device *device, const char *kind)
{
	return strcmp(device_text(device->shown, "kind", "unknown"), kind) == 0;
}

bool device_is_awake(const struct device *device)
{
	if (!is_kind(device, "unknown"))
		return !is_kind(device, "asleep") && !is_kind(device, "dark");
	/* No panel says what it shows. */
	return !yyjson_get_bool(device_member(device->rotation, "isAsleep")) &&
	       device_brightness(device) > 0;
}

int device_shown_brightness(const struct device *device)
{
	int shown = yyjson_get_int(device_member(device->shown, "brightness"));

	return shown > 0 ? shown : device_brightness(device);
}

const char *device_leader_id(const struct device *device)
{
	return device_text(device->about, "leader", NULL);
}

bool device_pinned(const struct device *device, char ret_label[static LABEL_BYTES])
{
	bool follows = device_leader_id(device) != NULL;
	const struct device *from = follows ? device->leader : device;

	snprintf(ret_label, LABEL_BYTES, "%s", device_no_pin);
	if (!from)
		return false;
	for (unsigned i = 0; i < device_entry_count(from); i++)
		if (yyjson_is_true(yyjson_obj_get(device_entry(from, i), "isPinned")))
			device_label(from, i, ret_label);
	return !follows || strcmp(ret_label, device_no_pin) == 0;
}
