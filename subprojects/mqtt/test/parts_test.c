/* Topics, events, commands and the discovery of a device. */
#include "discovery.h"
#include "event_reader.h"
#include "order.h"
#include "topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

#define BASE "displayd/a"
#define ID "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa"

/* ---- topics ---- */

TEST(test_topics)
{
	static const struct {
		const char *text;
		int command; /* -1: none */
	} topics[] = {
	    {BASE "/" ID "/push", COMMAND_PUSH},
	    {BASE "/" ID "/message", COMMAND_MESSAGE},
	    {BASE "/" ID "/light/set", COMMAND_LIGHT},
	    {BASE "/" ID "/reboot/set", COMMAND_REBOOT},
	    {BASE "/" ID "/update/set", COMMAND_UPDATE},
	    {BASE "/" ID "/entries/clock/set", COMMAND_ENTRY},
	    {BASE "/" ID "/entries/a%20b/set", COMMAND_ENTRY},
	    {BASE "/" ID "/entries/../set", -1},
	    {BASE "/" ID "/entries/./set", -1},
	    {BASE "/" ID "/entries/a%2/set", -1},
	    {BASE "/" ID "/entries/a b/set", -1},
	    {BASE "/" ID "/entries/a?b/set", -1},
	    {BASE "/" ID "/entries//set", -1},
	    {BASE "/" ID "/entries/a/b/set", -1},
	    {BASE "/" ID "/push/set", -1},
	    {BASE "/" ID "/light", -1},
	    {BASE "/" ID "/", -1},
	    {BASE "/" ID, -1},
	    {BASE "/../" ID "/push", -1},
	    {BASE "/0198F6A2-7c1e-7d3a-9b54-2f60c1d8e4aa/push", -1},
	    {BASE "/0198f6a2_7c1e-7d3a-9b54-2f60c1d8e4aa/push", -1},
	    {BASE "b/" ID "/push", -1},
	    {"", -1},
	};
	struct topic topic;

	for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
		bool is_command = topic_read(topics[i].text, BASE, &topic);

		if (is_command != (topics[i].command >= 0))
			fail_msg("%s", topics[i].text);
		if (is_command)
			assert_int_equal(topic.command, topics[i].command);
	}
}

TEST(test_a_long_topic_is_none)
{
	char *text = malloc(70000);
	struct topic topic;

	memset(text, 'a', 69999);
	text[69999] = '\0';
	memcpy(text, BASE "/" ID "/entries/", strlen(BASE "/" ID "/entries/"));
	assert_false(topic_read(text, BASE, &topic));
	free(text);
}

TEST(test_encoded_ids)
{
	char text[TOPIC_PART_BYTES];

	assert_true(topic_encode("a+b#/\xc3\xbc.-_", text, sizeof(text)));
	assert_string_equal(text, "a%2Bb%23%2F%C3%BC.-_");
	assert_false(topic_encode("", text, sizeof(text)));
	assert_false(topic_encode("aaaaaaaa", text, 8));
}

/* ---- events ---- */

static char heard[256];

static void on_event(void *context, const char *name, const char *data, size_t length)
{
	(void)context;
	snprintf(heard + strlen(heard), sizeof(heard) - strlen(heard), "%s=%.*s;", name,
		 (int)length, data);
}

TEST(test_events_in_pieces)
{
	static const char text[] = ": hello\nid: 1\nevent: shown\ndata: {}\n\ndata:x\n\n";
	struct event_reader reader = {.on_event = on_event};

	for (size_t size = 1; size < sizeof(text); size++) {
		heard[0] = '\0';
		for (size_t at = 0; at < sizeof(text) - 1; at += size) {
			size_t left = sizeof(text) - 1 - at;

			assert_true(
			    event_reader_take(&reader, text + at, left < size ? left : size));
		}
		assert_string_equal(heard, "shown={};=x;");
		event_reader_reset(&reader);
	}
}

TEST(test_an_endless_line)
{
	struct event_reader reader = {.on_event = on_event};
	char piece[4096];
	bool is_taken = true;

	memset(piece, 'a', sizeof(piece));
	for (int i = 0; i < 17; i++)
		is_taken = event_reader_take(&reader, piece, sizeof(piece));
	assert_false(is_taken);
	event_reader_reset(&reader);
}

/* ---- commands ---- */

static struct device *make_device(void)
{
	static const char about[] =
	    "{\"name\":\"Kitchen\",\"brightness\":0,\"panel\":{\"firmwareVersion\":\"1.6\"}}";
	static const char rotation[] =
	    "{\"entries\":[{\"installationId\":\"a b\",\"name\":\"Clock\",\"isPinned\":true},"
	    "{\"installationId\":\"c\",\"name\":null,\"appName\":\"Clock\",\"isPinned\":false},"
	    "{\"installationId\":\"Rotation\",\"isPinned\":false}]}";
	struct device *device = device_create(ID);

	device->about = yyjson_read(about, sizeof(about) - 1, 0);
	device->rotation = yyjson_read(rotation, sizeof(rotation) - 1, 0);
	return device;
}

static void check_order(const char *last, const char *payload, const char *wanted)
{
	struct device *device = make_device();
	char text[200], found[1000] = "";
	const char *problem;
	struct topic topic;
	struct order *order;

	snprintf(text, sizeof(text), "%s/%s/%s", BASE, ID, last);
	assert_true(topic_read(text, BASE, &topic));
	order = order_read(&topic, device, payload, strlen(payload), &problem);
	while (order) {
		struct order *next = order->next;
		size_t length = strlen(found);

		snprintf(found + length, sizeof(found) - length, "%s %s %.*s;", order->method,
			 order->path + strlen("/v1/devices/" ID), (int)order->body.length,
			 order->body.data ? order->body.data : "");
		order_destroy(order);
		order = next;
	}
	if (problem)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "!");
	assert_string_equal(found, wanted);
	device_destroy(device);
}

TEST(test_commands)
{
	check_order("push", "\x89PNG", "POST /push {\"image\":\"iVBORw==\"};");
	check_order("push", "{\"image\":1}", "POST /push {\"image\":1};");
	check_order("push", "", "!");
	check_order("message", "Hi \"you\"", "POST /message {\"text\":\"Hi \\\"you\\\"\"};");
	check_order("message", "{oh", "POST /message {\"text\":\"{oh\"};");
	check_order("message", "{\"text\":\"x\"}", "POST /message {\"text\":\"x\"};");
	check_order("message", "\xff", "!");
	check_order("message", "", "DELETE /temporary ;");
	check_order("light/set", "{\"state\":\"OFF\"}", "POST /sleep ;");
	check_order("light/set", "{\"state\":\"ON\"}", "PATCH  {\"brightness\":50};POST /wake ;");
	check_order("light/set", "{\"state\":\"ON\",\"brightness\":7}",
		    "PATCH  {\"brightness\":7};POST /wake ;");
	check_order("light/set", "{\"state\":\"ON\",\"brightness\":101}", "!");
	check_order("light/set", "{\"state\":\"ON\",\"brightness\":1.5}", "!");
	check_order("light/set", "ON", "!");
	check_order("light/set", "[]", "!");
	check_order("plan/set", "ON", "PATCH  {\"sleepEnabled\":true};");
	check_order("plan/set", "on", "!");
	check_order("interval/set", "30.0", "PATCH  {\"scheduleInterval\":30};");
	check_order("interval/set", "nan", "!");
	check_order("interval/set", "1e99", "!");
	check_order("next/set", "PRESS", "POST /next ;");
	check_order("reboot/set", "PRESS", "POST /reboot ;");
	check_order("update/set", "INSTALL", "POST /firmware/update {};");
	check_order("update/set", "install", "!");
	check_order("entries/a%20b/set", "OFF",
		    "PATCH /installations/a%20b {\"isEnabled\":false};");
	check_order("pinned/set", "Clock (2)", "PATCH /installations/c {\"isPinned\":true};");
	check_order("pinned/set", "Rotation (2)",
		    "PATCH /installations/Rotation {\"isPinned\":true};");
	check_order("pinned/set", "Rotation", "PATCH /installations/a%20b {\"isPinned\":false};");
	check_order("pinned/set", "Nothing", "!");
}

static void check_text(const char *payload, const char *wanted)
{
	static const struct topic topic = {.command = COMMAND_MESSAGE, .device = ID};
	const char *problem;
	struct order *order = order_read(&topic, NULL, payload, strlen(payload), &problem);

	assert_true(order && order->has_text);
	assert_int_equal(order->text.length, strlen(wanted));
	assert_memory_equal(order->text.length ? order->text.data : "", wanted, strlen(wanted));
	order_destroy(order);
}

TEST(test_texts_of_messages)
{
	char payload[2 * 300 + 1], wanted[2 * DEVICE_TEXT_MAX + 1];

	check_text("Hi", "Hi");
	check_text("{\"text\":\"Hi\",\"color\":\"red\"}", "Hi");
	check_text("{\"text\":7}", "");
	check_text("{\"text\":[1]}", "");
	check_text("{\"text\":{\"a\":1}}", "");
	check_text("{}", "");
	check_text("", "");
	for (size_t i = 0; i < 300; i++)
		memcpy(payload + 2 * i, "\xc3\xbc", 3);
	memcpy(wanted, payload, sizeof(wanted) - 1);
	wanted[sizeof(wanted) - 1] = '\0';
	check_text(payload, wanted);
}

/* ---- discovery ---- */

TEST(test_discovery)
{
	struct device *device = make_device();
	const char *const gone[] = {"old", NULL};
	size_t length;
	char *text = discovery_write(device, BASE, gone, &length);
	yyjson_doc *doc = yyjson_read(text, length, 0);
	yyjson_val *root = yyjson_doc_get_root(doc), *components, *one;

	components = yyjson_obj_get(root, "components");
	one = yyjson_obj_get(components, "entry_a%20b");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(one, "command_topic")),
			    BASE "/" ID "/entries/a%20b/set");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(one, "name")), "Clock");
	assert_false(yyjson_get_bool(yyjson_obj_get(one, "enabled_by_default")));
	one = yyjson_obj_get(components, "entry_old");
	assert_int_equal(yyjson_obj_size(one), 1);
	assert_string_equal(yyjson_get_str(yyjson_obj_get(one, "platform")), "switch");
	one = yyjson_obj_get(yyjson_obj_get(components, "pinned"), "options");
	assert_int_equal(yyjson_arr_size(one), 4);
	assert_string_equal(yyjson_get_str(yyjson_arr_get(one, 2)), "Clock (2)");
	one = yyjson_obj_get(yyjson_obj_get(root, "device"), "sw_version");
	assert_string_equal(yyjson_get_str(one), "1.6");
	yyjson_doc_free(doc);
	free(text);
	device_destroy(device);
}

RUN_TESTS(NULL, NULL)
