#include "publish.h"

#include "discovery.h"

#include <sandboxed/bytes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of topics noted for a device: those of all its entries, and as many removed ones. */
enum { PUBLISHED_MAX = 2 * ROTATION_ENTRIES_MAX };

static const char unknown[] = "None"; /* Home Assistant's word for it */

static uint64_t hash_of(const char *data, size_t length)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)data[i]) * 1099511628211u;
	return hash ? hash : 1;
}

/* Finds the topic, or adds it. Returns NULL if there is no memory. */
static struct published *publish_find(struct device *device, const char *topic)
{
	struct published *one = device->published;
	size_t bytes = strlen(topic) + 1;

	while (one && strcmp(one->topic, topic) != 0)
		one = one->next;
	if (one)
		return one;
	one = memory_take(sizeof(*one) + bytes);
	if (!one)
		return NULL;
	memcpy(one->topic, topic, bytes);
	one->next = device->published;
	device->published = one;
	return one;
}

static bool tell(const struct publisher *publisher, struct device *device, const char *topic,
		 const char *payload, size_t length)
{
	struct published *published = publish_find(device, topic);
	uint64_t hash = hash_of(payload, length);

	if (!published)
		return false;
	published->is_wanted = true;
	if (published->hash == hash)
		return true;
	if (!session_publish(publisher->session, topic, payload, length, true))
		return false;
	published->hash = hash;
	return true;
}

static void write_topic(const struct publisher *publisher, const struct device *device,
			const char *last, char topic[static TOPIC_MAX])
{
	snprintf(topic, TOPIC_MAX, "%s/%s/%s", publisher->base, device->id, last);
}

static bool tell_text(const struct publisher *publisher, struct device *device, const char *last,
		      const char *text)
{
	char topic[TOPIC_MAX];

	write_topic(publisher, device, last, topic);
	return tell(publisher, device, topic, text, strlen(text));
}

static bool tell_number(const struct publisher *publisher, struct device *device, const char *last,
			long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	return tell_text(publisher, device, last, text);
}

/* ---- the device ---- */

static bool tell_light(const struct publisher *publisher, struct device *device)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "{\"state\":\"%s\",\"brightness\":%d,\"color_mode\":\"brightness\"}",
		 device_is_awake(device) ? "ON" : "OFF", device_shown_brightness(device));
	return tell_text(publisher, device, "light", text);
}

/* Publishes JSON: an empty payload would remove the topic, and the text would be unknown. */
static bool tell_message(const struct publisher *publisher, struct device *device)
{
	struct bytes json = {0};
	bool is_told;

	bytes_add_text(&json, "{\"text\":");
	bytes_add_json(&json, device->text.data, device->text.length);
	bytes_add_text(&json, "}");
	is_told = !json.failed && tell_text(publisher, device, "text", json.data);
	bytes_finish(&json);
	return is_told;
}

static bool tell_settings(const struct publisher *publisher, struct device *device)
{
	yyjson_val *plan = device_member(device->about, "sleep");
	yyjson_val *panel = device_member(device->about, "panel");
	const char *firmware = yyjson_get_str(yyjson_obj_get(panel, "firmwareVersion"));
	const char *network = yyjson_get_str(yyjson_obj_get(panel, "ssid"));
	const char *seen = *device->last_seen ? device->last_seen
					      : device_text(device->about, "lastOnline", unknown);

	return tell_light(publisher, device) && tell_message(publisher, device) &&
	       tell_text(publisher, device, "plan",
			 yyjson_is_true(yyjson_obj_get(plan, "enabled")) ? "ON" : "OFF") &&
	       tell_number(publisher, device, "interval",
			   yyjson_get_sint(device_member(device->about, "scheduleInterval"))) &&
	       tell_text(publisher, device, "wifi", network ? network : unknown) &&
	       tell_text(publisher, device, "firmware", firmware ? firmware : unknown) &&
	       tell_text(publisher, device, "seen", seen);
}

static bool tell_shown(const struct publisher *publisher, struct device *device)
{
	char label[LABEL_BYTES];
	const char *kind = device_text(device->shown, "kind", unknown);
	const char *id = device_text(device->shown, "installationId", NULL);
	const char *entry = device_label_of(device, id, label);

	if (!entry && device->leader)
		entry = device_label_of(device->leader, id, label);
	return tell_text(publisher, device, "shown", entry ? entry : kind);
}

/* ---- its entries ---- */

static bool tell_entry(const struct publisher *publisher, struct device *device, yyjson_val *entry)
{
	yyjson_val *id = yyjson_obj_get(entry, "installationId");
	char encoded[TOPIC_PART_BYTES], last[TOPIC_PART_BYTES + 16];

	if (!yyjson_is_str(id) || !topic_encode(yyjson_get_str(id), encoded, sizeof(encoded)))
		return true;
	snprintf(last, sizeof(last), "entries/%s", encoded);
	return tell_text(publisher, device, last,
			 yyjson_is_true(yyjson_obj_get(entry, "isEnabled")) ? "ON" : "OFF");
}

static void add_json_member(struct bytes *json, const char *name, const char *text)
{
	bytes_add_format(json, ",\"%s\":", name);
	if (text)
		bytes_add_json(json, text, strlen(text));
	else
		bytes_add_text(json, "null");
}

/* Publishes the firmware that the panel has, the one that it can have, and whether it is being
 * updated. What is not known is left out. */
static bool tell_update(const struct publisher *publisher, struct device *device)
{
	const char *installed = device_text(device->firmware, "version", NULL);
	const char *latest = device_text(device->firmware, "available", NULL);
	struct bytes json = {0};
	bool is_told;

	if (installed && (*installed == 'v' || *installed == 'V'))
		installed++;
	bytes_add_format(&json, "{\"in_progress\":%s",
			 device_is_updating(device) ? "true" : "false");
	if (installed)
		add_json_member(&json, "installed_version", installed);
	if (latest || installed)
		add_json_member(&json, "latest_version", latest ? latest : installed);
	bytes_add_text(&json, "}");
	is_told = !json.failed && tell_text(publisher, device, "update", json.data);
	bytes_finish(&json);
	return is_told;
}

/* Publishes whether an app fails, with the first one and its reason. */
static bool tell_problem(const struct publisher *publisher, struct device *device)
{
	unsigned count = device_entry_count(device), index = 0;
	struct bytes json = {0};
	char label[LABEL_BYTES];
	const char *reason = NULL;
	bool is_told;

	while (index < count && !(reason = device_entry_problem(device, index)))
		index++;
	if (reason)
		device_label(device, index, label);
	bytes_add_format(&json, "{\"state\":\"%s\"", reason ? "ON" : "OFF");
	add_json_member(&json, "entry", reason ? label : NULL);
	add_json_member(&json, "reason", reason);
	bytes_add_text(&json, "}");
	is_told = !json.failed && tell_text(publisher, device, "problem", json.data);
	bytes_finish(&json);
	return is_told;
}

static bool tell_entries(const struct publisher *publisher, struct device *device)
{
	char pinned[LABEL_BYTES];
	unsigned failures = 0;

	if (!device_pinned(device, pinned))
		snprintf(pinned, sizeof(pinned), "%s", unknown);
	for (unsigned i = 0; i < device_entry_count(device); i++) {
		yyjson_val *entry = device_entry(device, i);

		failures += device_entry_problem(device, i) != NULL;
		if (!tell_entry(publisher, device, entry))
			return false;
	}
	return tell_text(publisher, device, "pinned", pinned) &&
	       tell_number(publisher, device, "failures", failures) &&
	       tell_problem(publisher, device) && tell_update(publisher, device);
}

/* ---- discovery ---- */

/* Returns the part of an entry's topic after "entries/"; NULL: it is another topic. */
static const char *entry_of(const struct publisher *publisher, const struct device *device,
			    const char *topic)
{
	char begin[TOPIC_MAX];

	write_topic(publisher, device, "entries/", begin);
	return strncmp(topic, begin, strlen(begin)) == 0 ? topic + strlen(begin) : NULL;
}

/* Marks the entries' topics that the device has still. */
static void mark_entries(const struct publisher *publisher, struct device *device)
{
	char encoded[TOPIC_PART_BYTES];

	for (struct published *one = device->published; one; one = one->next)
		one->is_wanted = !entry_of(publisher, device, one->topic);
	for (unsigned i = 0; i < device_entry_count(device); i++) {
		yyjson_val *id = yyjson_obj_get(device_entry(device, i), "installationId");

		if (!yyjson_is_str(id) ||
		    !topic_encode(yyjson_get_str(id), encoded, sizeof(encoded)))
			continue;
		for (struct published *one = device->published; one; one = one->next) {
			const char *entry = entry_of(publisher, device, one->topic);

			one->is_wanted |= entry && strcmp(entry, encoded) == 0;
		}
	}
}

static void write_config_topic(const struct publisher *publisher, const struct device *device,
			       char topic[static TOPIC_MAX])
{
	snprintf(topic, TOPIC_MAX, "%s/device/displayd_%s/config", publisher->discovery,
		 device->id);
}

static bool tell_discovery(const struct publisher *publisher, struct device *device,
			   const char *const *gone)
{
	char topic[TOPIC_MAX];
	size_t length = 0;
	char *text = discovery_write(device, publisher->base, gone, &length);
	bool is_told = true;

	write_config_topic(publisher, device, topic);
	if (text)
		is_told = tell(publisher, device, topic, text, length);
	free(text);
	return is_told;
}

/* Removes the switches of removed entries by a message that names them. */
static bool tell_gone(const struct publisher *publisher, struct device *device)
{
	const char *gone[ROTATION_ENTRIES_MAX + 1] = {NULL};
	unsigned count = 0;

	mark_entries(publisher, device);
	for (struct published *one = device->published; one; one = one->next)
		if (!one->is_wanted && count < ROTATION_ENTRIES_MAX)
			gone[count++] = entry_of(publisher, device, one->topic);
	if (count == 0)
		return true;
	if (!tell_discovery(publisher, device, gone))
		return false;
	for (struct published **at = &device->published; *at;) {
		struct published *one = *at;

		if (one->is_wanted) {
			at = &one->next;
			continue;
		}
		if (!session_publish(publisher->session, one->topic, "", 0, true))
			return false;
		*at = one->next;
		free(one);
	}
	return true;
}

bool publish_device(const struct publisher *publisher, struct device *device)
{
	return tell_gone(publisher, device) && tell_discovery(publisher, device, NULL) &&
	       tell_settings(publisher, device) && tell_entries(publisher, device) &&
	       tell_shown(publisher, device) &&
	       tell_text(publisher, device, "availability",
			 device->is_online ? "online" : "offline");
}

bool publish_picture(const struct publisher *publisher, struct device *device, const char *png,
		     size_t length)
{
	char topic[TOPIC_MAX];

	write_topic(publisher, device, "picture", topic);
	return tell(publisher, device, topic, png, length);
}

/* The availability is noted first, and so removed last: a later session finds the rest by it. */
void publish_note_device(const struct publisher *publisher, struct device *device)
{
	static const char *const lasts[] = {
	    "availability", "light",  "text",	  "plan",    "interval", "wifi",    "firmware",
	    "seen",	    "pinned", "failures", "problem", "shown",	 "picture", "update"};
	char topic[TOPIC_MAX];

	for (size_t i = 0; i < sizeof(lasts) / sizeof(*lasts); i++) {
		write_topic(publisher, device, lasts[i], topic);
		(void)publish_find(device, topic);
	}
	write_config_topic(publisher, device, topic);
	(void)publish_find(device, topic);
}

void publish_note_entry(const struct publisher *publisher, struct device *device,
			const char *encoded)
{
	char topic[TOPIC_MAX], last[TOPIC_PART_BYTES + 16];
	unsigned count = 0;

	for (const struct published *one = device->published; one; one = one->next)
		count++;
	if (count >= PUBLISHED_MAX)
		return;
	snprintf(last, sizeof(last), "entries/%s", encoded);
	write_topic(publisher, device, last, topic);
	(void)publish_find(device, topic);
	device->needs_publishing = true;
}

bool publish_removal(const struct publisher *publisher, struct device *device)
{
	while (device->published) {
		struct published *one = device->published;

		if (!session_publish(publisher->session, one->topic, "", 0, true))
			return false;
		device->published = one->next;
		free(one);
	}
	return true;
}

void publish_anew(struct device *device)
{
	for (struct published *one = device->published; one; one = one->next)
		one->hash = 0;
	device->needs_publishing = true;
	device->needs_picture = true;
}

void publish_error(const struct publisher *publisher, const char *device, const char *command,
		   int status, const char *code, const char *detail)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	char topic[TOPIC_MAX];
	size_t length;
	char *text;

	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_str(doc, root, "command", command);
	if (status)
		yyjson_mut_obj_add_int(doc, root, "status", status);
	yyjson_mut_obj_add_str(doc, root, "code", code);
	yyjson_mut_obj_add_str(doc, root, "detail", detail);
	text = yyjson_mut_write(doc, YYJSON_WRITE_NOFLAG, &length);
	snprintf(topic, sizeof(topic), "%s/%s/error", publisher->base, device);
	if (text)
		(void)session_publish(publisher->session, topic, text, length, false);
	free(text);
	yyjson_mut_doc_free(doc);
}
