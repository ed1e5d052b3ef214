#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <yyjson.h>

enum { WORD_MAX = LABEL_BYTES, USUAL_BRIGHTNESS = 50 };

static const char no_switch[] = "must be ON or OFF";
static const char no_memory[] = "finds no memory";

struct reading {
	const struct topic *topic;
	const struct device *device;
	struct order *first, **end;
	const char *problem;
};

static const char *const names[] = {
    [COMMAND_PUSH] = "push",	 [COMMAND_MESSAGE] = "message", [COMMAND_LIGHT] = "light",
    [COMMAND_PINNED] = "pinned", [COMMAND_PLAN] = "plan",	[COMMAND_INTERVAL] = "interval",
    [COMMAND_NEXT] = "next",	 [COMMAND_REBOOT] = "reboot",	[COMMAND_ENTRY] = "entries",
    [COMMAND_UPDATE] = "update",
};

const char *order_name(enum topic_command command)
{
	return names[command];
}

void order_destroy(struct order *order)
{
	bytes_finish(&order->body);
	bytes_finish(&order->text);
	free(order);
}

/* Returns NULL, with the problem noted, if there is no memory. */
static struct order *order_add(struct reading *reading, const char *method, const char *last)
{
	struct order *order = memory_take(sizeof(*order));

	if (!order) {
		reading->problem = no_memory;
		return NULL;
	}
	order->method = method;
	order->command = names[reading->topic->command];
	memcpy(order->device, reading->topic->device, sizeof(order->device));
	snprintf(order->path, sizeof(order->path), "/v1/devices/%s%s", order->device, last);
	*reading->end = order;
	reading->end = &order->next;
	return order;
}

static void add_text(struct reading *reading, const char *method, const char *last,
		     const char *body)
{
	struct order *order = order_add(reading, method, last);

	if (order)
		bytes_add_text(&order->body, body);
}

/* ---- pictures and texts ---- */

/* Whether the payload is a JSON object: a picture's bytes never begin like one. The API checks the
 * object. */
static bool is_object(const char *payload, size_t length)
{
	return length > 0 && payload[0] == '{';
}

static void read_push(struct reading *reading, const char *payload, size_t length)
{
	struct order *order;

	if (length == 0) {
		reading->problem = "is empty";
		return;
	}
	order = order_add(reading, "POST", "/push");
	if (!order)
		return;
	if (is_object(payload, length)) {
		bytes_add(&order->body, payload, length);
		return;
	}
	bytes_add_text(&order->body, "{\"image\":\"");
	bytes_add_base64(&order->body, payload, length);
	bytes_add_text(&order->body, "\"}");
}

static struct str cut(struct str text)
{
	struct str rest = text;

	for (unsigned i = 0; i < DEVICE_TEXT_MAX && rest.length; i++)
		(void)utf8_next(&rest);
	return (struct str){text.data, text.length - rest.length};
}

static void add_message(struct reading *reading, const char *method, const char *last,
			struct str body, struct str text)
{
	struct order *order = order_add(reading, method, last);

	if (!order)
		return;
	order->has_text = true;
	bytes_add(&order->body, body.data, body.length);
	text = cut(text);
	bytes_add(&order->text, text.data, text.length);
}

static void add_plain_message(struct reading *reading, struct str text)
{
	struct bytes body = {0};

	bytes_add_text(&body, "{\"text\":");
	bytes_add_json(&body, text.data, text.length);
	bytes_add_text(&body, "}");
	if (body.failed)
		reading->problem = no_memory;
	else
		add_message(reading, "POST", "/message", (struct str){body.data, body.length},
			    text);
	bytes_finish(&body);
}

/* A text may begin as an object does. */
static void read_message(struct reading *reading, const char *payload, size_t length)
{
	yyjson_doc *doc = is_object(payload, length) ? yyjson_read(payload, length, 0) : NULL;
	yyjson_val *root = yyjson_doc_get_root(doc), *text = yyjson_obj_get(root, "text");
	struct str whole = {payload, length};

	if (length == 0)
		add_message(reading, "DELETE", "/temporary", whole, whole);
	else if (yyjson_is_obj(root))
		add_message(reading, "POST", "/message", whole,
			    yyjson_is_str(text)
				? (struct str){yyjson_get_str(text), yyjson_get_len(text)}
				: (struct str){0});
	else if (utf8_is_valid(whole))
		add_plain_message(reading, whole);
	else
		reading->problem = "must be UTF-8";
	yyjson_doc_free(doc);
}

/* ---- controls ---- */

static bool read_switch(struct reading *reading, const char *word, bool *ret_on)
{
	*ret_on = strcmp(word, "ON") == 0;
	if (!*ret_on && strcmp(word, "OFF") != 0)
		reading->problem = no_switch;
	return !reading->problem;
}

static void set_light(struct reading *reading, bool is_on, yyjson_val *brightness)
{
	char body[64];
	int64_t value = yyjson_get_sint(brightness);

	if (!is_on) {
		add_text(reading, "POST", "/sleep", "");
		return;
	}
	if (brightness && (!yyjson_is_int(brightness) || value < 0 || value > 100)) {
		reading->problem = "brightness must be a whole number from 0 to 100";
		return;
	}
	/* Awake with a brightness of 0, the panel would stay dark. */
	if (!brightness && reading->device && reading->device->about &&
	    device_brightness(reading->device) == 0)
		value = USUAL_BRIGHTNESS;
	if (brightness || value) {
		snprintf(body, sizeof(body), "{\"brightness\":%lld}", (long long)value);
		add_text(reading, "PATCH", "", body);
	}
	if (!brightness || !reading->device || !device_is_awake(reading->device))
		add_text(reading, "POST", "/wake", "");
}

static void read_light(struct reading *reading, const char *payload, size_t length)
{
	yyjson_doc *doc = yyjson_read(payload, length, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *word = yyjson_get_str(yyjson_obj_get(root, "state"));
	bool is_on;

	if (!word)
		reading->problem = "must be an object with the member state, which is ON or OFF";
	else if (read_switch(reading, word, &is_on))
		set_light(reading, is_on, yyjson_obj_get(root, "brightness"));
	yyjson_doc_free(doc);
}

static void add_pin(struct reading *reading, unsigned index, bool is_pinned)
{
	yyjson_val *id = yyjson_obj_get(device_entry(reading->device, index), "installationId");
	char encoded[TOPIC_PART_BYTES], last[TOPIC_PART_BYTES + 32];

	if (!yyjson_is_str(id) || !topic_encode(yyjson_get_str(id), encoded, sizeof(encoded)))
		return;
	snprintf(last, sizeof(last), "/installations/%s", encoded);
	add_text(reading, "PATCH", last,
		 is_pinned ? "{\"isPinned\":true}" : "{\"isPinned\":false}");
}

static void read_pinned(struct reading *reading, const char *word)
{
	int index;

	if (!reading->device || !reading->device->rotation) {
		reading->problem = "arrived too early, try again";
		return;
	}
	index = device_find_label(reading->device, word);
	if (index >= 0) {
		add_pin(reading, (unsigned)index, true);
		return;
	}
	if (strcmp(word, device_no_pin) != 0) {
		reading->problem = "is not an entry of the device";
		return;
	}
	for (unsigned i = 0; i < device_entry_count(reading->device); i++)
		if (yyjson_is_true(yyjson_obj_get(device_entry(reading->device, i), "isPinned")))
			add_pin(reading, i, false);
}

static void read_interval(struct reading *reading, const char *word)
{
	char body[64], *end;
	double value = strtod(word, &end);

	if (end == word || *end || !(value >= 0 && value <= 1e6)) {
		reading->problem = "must be a number of seconds";
		return;
	}
	snprintf(body, sizeof(body), "{\"scheduleInterval\":%.0f}", value);
	add_text(reading, "PATCH", "", body);
}

static void read_word(struct reading *reading, const char *word)
{
	char last[TOPIC_PART_BYTES + 32];
	bool is_on;

	switch (reading->topic->command) {
	case COMMAND_PINNED:
		read_pinned(reading, word);
		break;
	case COMMAND_PLAN:
		if (read_switch(reading, word, &is_on))
			add_text(reading, "PATCH", "",
				 is_on ? "{\"sleepEnabled\":true}" : "{\"sleepEnabled\":false}");
		break;
	case COMMAND_INTERVAL:
		read_interval(reading, word);
		break;
	case COMMAND_NEXT:
		add_text(reading, "POST", "/next", "");
		break;
	case COMMAND_REBOOT:
		add_text(reading, "POST", "/reboot", "");
		break;
	case COMMAND_UPDATE:
		if (strcmp(word, "INSTALL") == 0)
			add_text(reading, "POST", "/firmware/update", "{}");
		else
			reading->problem = "must be INSTALL";
		break;
	default:
		snprintf(last, sizeof(last), "/installations/%s", reading->topic->entry);
		if (read_switch(reading, word, &is_on))
			add_text(reading, "PATCH", last,
				 is_on ? "{\"isEnabled\":true}" : "{\"isEnabled\":false}");
	}
}

static void read_controls(struct reading *reading, const char *payload, size_t length)
{
	char word[WORD_MAX];

	if (length >= sizeof(word) || memchr(payload, '\0', length)) {
		reading->problem = "is too long";
		return;
	}
	memcpy(word, payload, length);
	word[length] = '\0';
	read_word(reading, word);
}

/* Drops all orders if one is incomplete: a part of a body may mean something else. */
static void check_memory(struct reading *reading)
{
	for (const struct order *order = reading->first; order; order = order->next)
		if (order->body.failed || order->text.failed)
			reading->problem = no_memory;
	while (reading->problem == no_memory && reading->first) {
		struct order *order = reading->first;

		reading->first = order->next;
		order_destroy(order);
	}
}

struct order *order_read(const struct topic *topic, const struct device *device,
			 const char *payload, size_t length, const char **ret_problem)
{
	struct reading reading = {.topic = topic, .device = device};

	reading.end = &reading.first;
	if (!payload)
		payload = "";
	if (length > ORDER_BODY_MAX)
		reading.problem = "is too large";
	else if (topic->command == COMMAND_PUSH)
		read_push(&reading, payload, length);
	else if (topic->command == COMMAND_MESSAGE)
		read_message(&reading, payload, length);
	else if (topic->command == COMMAND_LIGHT)
		read_light(&reading, payload, length);
	else
		read_controls(&reading, payload, length);
	check_memory(&reading);
	*ret_problem = reading.problem;
	return reading.first;
}
