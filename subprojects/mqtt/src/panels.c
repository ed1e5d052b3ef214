#include "panels.h"

#include <sandboxed/clock.h>
#include <stdio.h>
#include <string.h>

enum {
	LIST_MS = 30 * 1000,
	FIRMWARE_MS = 30 * 60 * 1000,
	LEFTOVER_MS = 1000, /* before leftovers are compared with the list */
	PICTURE_MS = 5000,
};

/* ---- devices ---- */

struct device *panels_find(const struct connection *connection, const char *id)
{
	struct device *device = connection->devices;

	while (device && strcmp(device->id, id) != 0)
		device = device->next;
	return device;
}

static void remove_device(struct connection *connection, struct device **at)
{
	struct device *device = *at;

	*at = device->next;
	device->next = connection->gone;
	connection->gone = device;
	connection->device_count--;
	if (connection->called == device)
		connection->called = NULL;
}

static void remove_unlisted(struct connection *connection)
{
	for (struct device **at = &connection->devices; *at;) {
		if ((*at)->is_listed || (*at)->awaits_list)
			at = &(*at)->next;
		else
			remove_device(connection, at);
	}
}

/* Adds a device. Returns NULL if there are too many, or if there is no memory. */
static struct device *add_device(struct connection *connection, const char *id)
{
	struct device *device;

	if (connection->device_count >= CONNECTION_DEVICES_MAX)
		return NULL;
	device = device_create(id);
	if (!device)
		return NULL;
	device->next = connection->devices;
	connection->devices = device;
	connection->device_count++;
	return device;
}

static void take_list(struct connection *connection, yyjson_val *list)
{
	size_t index, max;
	yyjson_val *one;

	for (struct device *device = connection->devices; device; device = device->next)
		device->is_listed = false;
	yyjson_arr_foreach(list, index, max, one)
	{
		const char *id = yyjson_get_str(yyjson_obj_get(one, "id"));
		struct device *device = id ? panels_find(connection, id) : NULL;

		if (id && !device)
			device = add_device(connection, id);
		if (!device)
			continue;
		device->is_listed = true;
		if (device->is_leftover)
			device_need_all(device, true);
		if (device_is_updating(device) || clock_ms() >= device->firmware_until_ms)
			device->needs_firmware = true;
		device->is_leftover = false;
	}
	remove_unlisted(connection);
}

void panels_begin_list(struct connection *connection)
{
	connection->needs_list = false;
	for (struct device *device = connection->devices; device; device = device->next)
		device->awaits_list = false;
}

static void need_all(struct connection *connection)
{
	connection->needs_list = true;
	for (struct device *device = connection->devices; device; device = device->next)
		device_need_all(device, !device->is_leftover);
}

/* ---- leftovers ---- */

static unsigned count_gone(const struct connection *connection)
{
	unsigned count = 0;

	for (const struct device *device = connection->gone; device; device = device->next)
		count++;
	return count;
}

void panels_take_retained(void *context, const char *text)
{
	struct connection *connection = context;
	struct device *device;
	struct topic topic;

	if (!topic_read_told(text, connection->base, &topic))
		return;
	device = panels_find(connection, topic.device);
	if (!device && count_gone(connection) < CONNECTION_DEVICES_MAX) {
		device = add_device(connection, topic.device);
		if (!device)
			return;
		device->is_leftover = true;
		device_need_all(device, false);
		publish_note_device(&connection->publisher, device);
		if (connection->list_ms > clock_ms() + LEFTOVER_MS)
			connection->list_ms = clock_ms() + LEFTOVER_MS;
	}
	if (device && *topic.entry)
		publish_note_entry(&connection->publisher, device, topic.entry);
}

/* ---- events of the API ---- */

static void take_shown(struct device *device, yyjson_doc **doc)
{
	yyjson_doc_free(device->shown);
	device->shown = *doc;
	*doc = NULL;
	device->needs_publishing = true;
	device->needs_picture = true;
}

static void take_online(struct device *device, yyjson_val *root)
{
	const char *seen = yyjson_get_str(yyjson_obj_get(root, "lastOnline"));

	device->is_online = yyjson_is_true(yyjson_obj_get(root, "isOnline"));
	if (seen)
		snprintf(device->last_seen, sizeof(device->last_seen), "%s", seen);
	/* A panel reports its properties when it connects. */
	device->needs_about = true;
	device->needs_publishing = true;
}

/* Keeps the state of the event until the list has the device: the event is not repeated. */
static struct device *add_unlisted(struct connection *connection, const char *id)
{
	struct device *device = add_device(connection, id);

	connection->needs_list = true;
	if (device)
		device->awaits_list = true;
	return device;
}

void panels_take_event(void *context, const char *name, const char *data, size_t length)
{
	struct connection *connection = context;
	yyjson_doc *doc = yyjson_read(data, length, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *id = yyjson_get_str(yyjson_obj_get(root, "deviceId"));
	struct device *device = id ? panels_find(connection, id) : NULL;

	if (id && !device)
		device = add_unlisted(connection, id);
	if (strcmp(name, "reset") == 0)
		need_all(connection);
	else if (!device)
		;
	else if (strcmp(name, "online") == 0)
		take_online(device, root);
	else if (strcmp(name, "shown") == 0)
		take_shown(device, &doc);
	else if (strcmp(name, "changed") == 0)
		device_need_all(device, true);
	else if (strcmp(name, "failed") == 0 || strcmp(name, "pushed") == 0)
		device->needs_rotation = true;
	yyjson_doc_free(doc);
}

/* ---- answers of the API ---- */

/* Their panels show what the leader has pinned, and its entries. */
static void publish_followers(struct connection *connection, const struct device *leader)
{
	for (struct device *device = connection->devices; device; device = device->next) {
		const char *id = device_leader_id(device);

		if (id && strcmp(id, leader->id) == 0)
			device->needs_publishing = true;
	}
}

static void take_document(yyjson_doc **to, bool *needs, struct connection *connection)
{
	const struct api *api = &connection->api;
	yyjson_doc *doc = yyjson_read(api->reply.data, api->reply.length, 0);

	*needs = false;
	/* The rest of the budget is for messages. */
	if (!yyjson_is_obj(yyjson_doc_get_root(doc)) ||
	    budget_bytes(connection->budget) > CONNECTION_DEVICES_BYTES) {
		yyjson_doc_free(doc);
		return;
	}
	yyjson_doc_free(*to);
	*to = doc;
	connection->called->needs_publishing = true;
	publish_followers(connection, connection->called);
}

static void picture_done(struct connection *connection, struct device *device)
{
	const struct api *api = &connection->api;

	device->picture_from_ms = clock_ms() + PICTURE_MS;
	device->needs_picture =
	    api->status == 200 &&
	    !publish_picture(&connection->publisher, device, api->reply.data, api->reply.length);
}

void panels_take_answer(struct connection *connection)
{
	struct device *device = connection->called;
	yyjson_doc *doc;

	switch (connection->call) {
	case CALL_LIST:
		doc = yyjson_read(connection->api.reply.data, connection->api.reply.length, 0);
		if (yyjson_is_arr(yyjson_doc_get_root(doc)))
			take_list(connection, yyjson_doc_get_root(doc));
		yyjson_doc_free(doc);
		connection->list_ms = clock_ms() + LIST_MS;
		break;
	case CALL_ABOUT:
		if (device)
			take_document(&device->about, &device->needs_about, connection);
		break;
	case CALL_ROTATION:
		if (device)
			take_document(&device->rotation, &device->needs_rotation, connection);
		break;
	case CALL_FIRMWARE:
		if (device) {
			take_document(&device->firmware, &device->needs_firmware, connection);
			device->firmware_until_ms = clock_ms() + FIRMWARE_MS;
		}
		break;
	default:
		if (device)
			picture_done(connection, device);
	}
}

void panels_forget_called(struct connection *connection)
{
	for (struct device **at = &connection->devices; *at; at = &(*at)->next) {
		if (*at == connection->called) {
			remove_device(connection, at);
			return;
		}
	}
}

/* ---- publishing ---- */

static bool publish_with_leader(struct connection *connection, struct device *device)
{
	const char *id = device_leader_id(device);
	const struct device *leader = id ? panels_find(connection, id) : NULL;
	bool is_told;

	device->leader = leader && leader->rotation ? leader : NULL;
	is_told = publish_device(&connection->publisher, device);
	device->leader = NULL;
	return is_told;
}

void panels_publish(struct connection *connection)
{
	while (connection->gone && publish_removal(&connection->publisher, connection->gone)) {
		struct device *gone = connection->gone;

		connection->gone = gone->next;
		device_destroy(gone);
	}
	for (struct device *device = connection->devices; device; device = device->next) {
		if (!device->needs_publishing || !device->about || !device->rotation)
			continue;
		if (!publish_with_leader(connection, device))
			return;
		device->needs_publishing = false;
	}
}

static void destroy_all(struct device **list)
{
	while (*list) {
		struct device *device = *list;

		*list = device->next;
		device_destroy(device);
	}
}

void panels_drop(struct connection *connection)
{
	destroy_all(&connection->devices);
	destroy_all(&connection->gone);
	connection->device_count = 0;
	connection->called = NULL;
	connection->needs_list = true;
}

void panels_forget(struct connection *connection)
{
	while (connection->devices)
		remove_device(connection, &connection->devices);
}
