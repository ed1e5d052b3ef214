#include "discovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISCOVERY_MAX = 512 << 10 };

struct writing {
	yyjson_mut_doc *doc;
	yyjson_mut_val *components;
	const struct device *device;
	const char *base;
};

static void add_text(struct writing *writing, yyjson_mut_val *to, const char *name,
		     const char *text)
{
	yyjson_mut_obj_add_strcpy(writing->doc, to, name, text);
}

/* BASE/DEVICE/LAST[/set] */
static void add_topic(struct writing *writing, yyjson_mut_val *to, const char *name,
		      const char *last, bool is_command)
{
	char topic[TOPIC_MAX];

	snprintf(topic, sizeof(topic), "%s/%s/%s%s", writing->base, writing->device->id, last,
		 is_command ? "/set" : "");
	add_text(writing, to, name, topic);
}

static yyjson_mut_val *add_component(struct writing *writing, const char *id, const char *platform,
				     const char *name)
{
	yyjson_mut_val *component = yyjson_mut_obj(writing->doc);
	char unique[TOPIC_MAX];

	snprintf(unique, sizeof(unique), "displayd_%s_%s", writing->device->id, id);
	add_text(writing, component, "platform", platform);
	add_text(writing, component, "unique_id", unique);
	if (name)
		add_text(writing, component, "name", name);
	else
		yyjson_mut_obj_add_null(writing->doc, component, "name");
	yyjson_mut_obj_add(writing->components, yyjson_mut_strcpy(writing->doc, id), component);
	return component;
}

static void add_light(struct writing *writing)
{
	yyjson_mut_val *light = add_component(writing, "light", "light", NULL);
	yyjson_mut_val *modes = yyjson_mut_arr(writing->doc);

	add_text(writing, light, "schema", "json");
	add_topic(writing, light, "state_topic", "light", false);
	add_topic(writing, light, "command_topic", "light", true);
	yyjson_mut_obj_add_bool(writing->doc, light, "brightness", true);
	yyjson_mut_obj_add_int(writing->doc, light, "brightness_scale", 100);
	yyjson_mut_arr_add_str(writing->doc, modes, "brightness");
	yyjson_mut_obj_add_val(writing->doc, light, "supported_color_modes", modes);
}

static void add_message(struct writing *writing)
{
	yyjson_mut_val *text = add_component(writing, "message", "text", "Message");

	add_topic(writing, text, "state_topic", "text", false);
	add_text(writing, text, "value_template", "{{ value_json.text }}");
	add_topic(writing, text, "command_topic", "message", false);
	add_text(writing, text, "icon", "mdi:message-text");
	yyjson_mut_obj_add_int(writing->doc, text, "min", 0);
	yyjson_mut_obj_add_int(writing->doc, text, "max", DEVICE_TEXT_MAX);
}

/* The entity for notify.send_message, which automations use for people and panels alike. */
static void add_notify(struct writing *writing)
{
	yyjson_mut_val *notify = add_component(writing, "notify", "notify", "Message");

	add_topic(writing, notify, "command_topic", "message", false);
	add_text(writing, notify, "icon", "mdi:message-text");
}

static void add_pinned(struct writing *writing)
{
	yyjson_mut_val *select = add_component(writing, "pinned", "select", "Pinned entry");
	yyjson_mut_val *options = yyjson_mut_arr(writing->doc);
	char label[LABEL_BYTES];

	add_text(writing, select, "icon", "mdi:pin");
	add_topic(writing, select, "state_topic", "pinned", false);
	add_topic(writing, select, "command_topic", "pinned", true);
	yyjson_mut_arr_add_str(writing->doc, options, device_no_pin);
	for (unsigned i = 0; i < device_entry_count(writing->device); i++) {
		device_label(writing->device, i, label);
		yyjson_mut_arr_add_strcpy(writing->doc, options, label);
	}
	yyjson_mut_obj_add_val(writing->doc, select, "options", options);
}

static void add_settings(struct writing *writing)
{
	yyjson_mut_val *plan = add_component(writing, "plan", "switch", "Sleep plan");
	yyjson_mut_val *interval = add_component(writing, "interval", "number", "Interval");

	add_topic(writing, plan, "state_topic", "plan", false);
	add_topic(writing, plan, "command_topic", "plan", true);
	add_text(writing, plan, "entity_category", "config");
	add_text(writing, plan, "icon", "mdi:weather-night");
	add_topic(writing, interval, "state_topic", "interval", false);
	add_topic(writing, interval, "command_topic", "interval", true);
	add_text(writing, interval, "entity_category", "config");
	add_text(writing, interval, "icon", "mdi:timer-outline");
	add_text(writing, interval, "mode", "box");
	add_text(writing, interval, "unit_of_measurement", "s");
	yyjson_mut_obj_add_int(writing->doc, interval, "min", 15);
	yyjson_mut_obj_add_int(writing->doc, interval, "max", 86400);
	yyjson_mut_obj_add_int(writing->doc, interval, "step", 1);
}

static void add_buttons(struct writing *writing)
{
	yyjson_mut_val *next = add_component(writing, "next", "button", "Next entry");
	yyjson_mut_val *reboot = add_component(writing, "reboot", "button", "Reboot");

	add_topic(writing, next, "command_topic", "next", true);
	add_text(writing, next, "icon", "mdi:skip-next");
	add_topic(writing, reboot, "command_topic", "reboot", true);
	add_text(writing, reboot, "device_class", "restart");
	add_text(writing, reboot, "entity_category", "config");
}

static void add_sensors(struct writing *writing)
{
	static const struct {
		const char *id, *name, *class, *icon;
		bool is_diagnostic;
	} sensors[] = {
	    {"shown", "Shown entry", NULL, "mdi:television-play", false},
	    {"failures", "App failures", NULL, "mdi:alert-circle-outline", true},
	    {"wifi", "Wi-Fi network", NULL, "mdi:wifi", true},
	    {"firmware", "Firmware", NULL, "mdi:chip", true},
	    {"seen", "Last seen", "timestamp", NULL, true},
	};

	for (size_t i = 0; i < sizeof(sensors) / sizeof(*sensors); i++) {
		yyjson_mut_val *sensor =
		    add_component(writing, sensors[i].id, "sensor", sensors[i].name);

		add_topic(writing, sensor, "state_topic", sensors[i].id, false);
		if (sensors[i].class)
			add_text(writing, sensor, "device_class", sensors[i].class);
		if (sensors[i].icon)
			add_text(writing, sensor, "icon", sensors[i].icon);
		if (sensors[i].is_diagnostic)
			add_text(writing, sensor, "entity_category", "diagnostic");
	}
}

static void add_problem(struct writing *writing)
{
	yyjson_mut_val *problem = add_component(writing, "problem", "binary_sensor", "App problem");

	add_topic(writing, problem, "state_topic", "problem", false);
	add_text(writing, problem, "value_template", "{{ value_json.state }}");
	add_topic(writing, problem, "json_attributes_topic", "problem", false);
	add_text(writing, problem, "json_attributes_template",
		 "{{ {'entry': value_json.entry, 'reason': value_json.reason} | tojson }}");
	add_text(writing, problem, "device_class", "problem");
	add_text(writing, problem, "entity_category", "diagnostic");
}

static void add_update(struct writing *writing)
{
	yyjson_mut_val *update = add_component(writing, "update", "update", "Firmware update");

	add_topic(writing, update, "state_topic", "update", false);
	add_topic(writing, update, "command_topic", "update", true);
	add_text(writing, update, "payload_install", "INSTALL");
	add_text(writing, update, "device_class", "firmware");
	add_text(writing, update, "entity_category", "config");
}

static void add_picture(struct writing *writing)
{
	yyjson_mut_val *image = add_component(writing, "picture", "image", "Picture");

	add_topic(writing, image, "image_topic", "picture", false);
	add_text(writing, image, "content_type", "image/png");
}

/* Entities of entries are disabled by default: a device may have a hundred. */
static void add_entry(struct writing *writing, unsigned index)
{
	yyjson_val *id = yyjson_obj_get(device_entry(writing->device, index), "installationId");
	char encoded[TOPIC_PART_BYTES], name[TOPIC_PART_BYTES + 16], label[LABEL_BYTES];
	yyjson_mut_val *entry;

	if (!yyjson_is_str(id) || !topic_encode(yyjson_get_str(id), encoded, sizeof(encoded)))
		return;
	device_label(writing->device, index, label);
	snprintf(name, sizeof(name), "entry_%s", encoded);
	entry = add_component(writing, name, "switch", label);
	snprintf(name, sizeof(name), "entries/%s", encoded);
	add_topic(writing, entry, "state_topic", name, false);
	add_topic(writing, entry, "command_topic", name, true);
	add_text(writing, entry, "entity_category", "config");
	yyjson_mut_obj_add_bool(writing->doc, entry, "enabled_by_default", false);
}

/* Home Assistant removes a component that has only its platform. */
static void add_gone(struct writing *writing, const char *encoded)
{
	yyjson_mut_val *entry = yyjson_mut_obj(writing->doc);
	char name[TOPIC_PART_BYTES + 16];

	snprintf(name, sizeof(name), "entry_%s", encoded);
	add_text(writing, entry, "platform", "switch");
	yyjson_mut_obj_add(writing->components, yyjson_mut_strcpy(writing->doc, name), entry);
}

static yyjson_mut_val *write_device(struct writing *writing)
{
	yyjson_mut_val *about = yyjson_mut_obj(writing->doc), *ids = yyjson_mut_arr(writing->doc);
	yyjson_val *panel = device_member(writing->device->about, "panel");
	const char *firmware = yyjson_get_str(yyjson_obj_get(panel, "firmwareVersion"));
	char id[TOPIC_ID_BYTES + 16], model[32];

	snprintf(id, sizeof(id), "displayd_%s", writing->device->id);
	yyjson_mut_arr_add_strcpy(writing->doc, ids, id);
	yyjson_mut_obj_add_val(writing->doc, about, "identifiers", ids);
	add_text(writing, about, "name", device_text(writing->device->about, "name", "Panel"));
	add_text(writing, about, "manufacturer", "displayd");
	snprintf(model, sizeof(model), "%.16s LED panel",
		 device_text(writing->device->about, "size", "64x32"));
	yyjson_mut_obj_add_strcpy(writing->doc, about, "model", model);
	if (firmware)
		add_text(writing, about, "sw_version", firmware);
	return about;
}

/* The entities are offline if the panel or the server is. */
static yyjson_mut_val *write_availability(struct writing *writing)
{
	yyjson_mut_val *all = yyjson_mut_arr(writing->doc);
	yyjson_mut_val *server = yyjson_mut_arr_add_obj(writing->doc, all);
	yyjson_mut_val *panel = yyjson_mut_arr_add_obj(writing->doc, all);
	char topic[TOPIC_MAX];

	snprintf(topic, sizeof(topic), "%s/availability", writing->base);
	add_text(writing, server, "topic", topic);
	add_topic(writing, panel, "topic", "availability", false);
	return all;
}

char *discovery_write(const struct device *device, const char *base, const char *const *gone,
		      size_t *ret_length)
{
	struct writing writing = {.doc = yyjson_mut_doc_new(NULL), .device = device, .base = base};
	yyjson_mut_val *root = yyjson_mut_obj(writing.doc), *origin = yyjson_mut_obj(writing.doc);
	char *text;

	yyjson_mut_doc_set_root(writing.doc, root);
	yyjson_mut_obj_add_val(writing.doc, root, "device", write_device(&writing));
	add_text(&writing, origin, "name", "displayd");
	yyjson_mut_obj_add_val(writing.doc, root, "origin", origin);
	yyjson_mut_obj_add_val(writing.doc, root, "availability", write_availability(&writing));
	add_text(&writing, root, "availability_mode", "all");
	writing.components = yyjson_mut_obj(writing.doc);
	add_light(&writing);
	add_message(&writing);
	add_notify(&writing);
	add_pinned(&writing);
	add_settings(&writing);
	add_buttons(&writing);
	add_sensors(&writing);
	add_problem(&writing);
	add_update(&writing);
	add_picture(&writing);
	for (unsigned i = 0; i < device_entry_count(device); i++)
		add_entry(&writing, i);
	for (; gone && *gone; gone++)
		add_gone(&writing, *gone);
	yyjson_mut_obj_add_val(writing.doc, root, "components", writing.components);
	text = yyjson_mut_write(writing.doc, YYJSON_WRITE_NOFLAG, ret_length);
	yyjson_mut_doc_free(writing.doc);
	if (text && *ret_length > DISCOVERY_MAX) {
		free(text);
		return NULL;
	}
	return text;
}
