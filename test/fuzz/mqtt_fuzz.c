/* Words of brokers and of the API: the first line is a topic, the second a device as the API shows
 * it, the third its rotation, the rest a payload, or an event stream if the topic is empty. For any
 * input, paths stay below the device, and bodies are JSON, but for those that the API is to judge:
 * payloads that begin as an object are handed on as they are. */
#include "discovery.h"
#include "event_reader.h"
#include "order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BASE "displayd/a"
#define ID "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa"

/* Takes the next line of a text as a string of its own. */
static char *take_line(const char **text, size_t *length)
{
	const char *end = memchr(*text, '\n', *length);
	size_t taken = end ? (size_t)(end - *text) : *length, step = taken + (end != NULL);
	char *line = malloc(taken + 1);

	if (!line)
		abort();
	memcpy(line, *text, taken);
	line[taken] = 0;
	*text += step;
	*length -= step;
	return line;
}

static void check_orders(struct order *order, const char *payload, size_t size)
{
	while (order) {
		struct order *next = order->next;
		yyjson_doc *body = yyjson_read(order->body.data, order->body.length, 0);
		bool is_payload = order->body.length == size && size &&
				  memcmp(order->body.data, payload, size) == 0;

		if (strncmp(order->path, "/v1/devices/" ID, strlen("/v1/devices/" ID)) != 0 ||
		    strstr(order->path, "/../") || (order->body.length && !body && !is_payload))
			abort();
		yyjson_doc_free(body);
		order_destroy(order);
		order = next;
	}
}

static void on_event(void *context, const char *name, const char *data, size_t length)
{
	size_t *count = context;

	*count += strlen(name) + (length ? (size_t)(data[length - 1] != 0) : 0);
}

static void read_events(const char *text, size_t length)
{
	size_t count = 0;
	struct event_reader reader = {.on_event = on_event, .context = &count};

	for (size_t step; length; text += step, length -= step) {
		step = length < 7 ? length : 7;
		if (!event_reader_take(&reader, text, step))
			break;
	}
	event_reader_reset(&reader);
	bytes_finish(&reader.line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *problem = NULL;
	char *topic_text = take_line(&text, &size), *about = take_line(&text, &size),
	     *rotation = take_line(&text, &size), *discovery;
	struct device *device = device_create(ID);
	static const char *const gone[] = {NULL};
	struct topic topic;
	size_t length;

	if (!device)
		abort();
	device->about = yyjson_read(about, strlen(about), 0);
	device->rotation = yyjson_read(rotation, strlen(rotation), 0);
	if (!*topic_text)
		read_events(text, size);
	else if (topic_read(topic_text, BASE, &topic) && strcmp(topic.device, ID) == 0)
		check_orders(order_read(&topic, device, text, size, &problem), text, size);
	if (device->about && device->rotation) {
		discovery = discovery_write(device, BASE, gone, &length);
		if (discovery && strlen(discovery) != length)
			abort();
		free(discovery);
	}
	device_destroy(device);
	free(topic_text);
	free(about);
	free(rotation);
	return 0;
}
