#include "commands.h"

#include "panels.h"

#include <sandboxed/clock.h>
#include <string.h>

enum { AGAIN_MS = 1000 };

static void drop(struct connection *connection, const char *device)
{
	int64_t now = clock_ms();

	connection->dropped++;
	if (now - connection->dropped_told_ms < AGAIN_MS)
		return;
	connection->dropped_told_ms = now;
	publish_error(&connection->publisher, device, "any", 0, "requests_too_many",
		      "too many commands are waiting: this one was dropped, and perhaps others");
}

static void add_orders(struct connection *connection, struct order *order)
{
	while (order) {
		struct order *next = order->next;

		order->next = NULL;
		*connection->orders_end = order;
		connection->orders_end = &order->next;
		connection->order_count++;
		connection->order_bytes += order->body.length;
		order = next;
	}
}

void commands_take(void *context, const char *text, const char *payload, size_t length)
{
	struct connection *connection = context;
	const struct device *device;
	const char *problem;
	struct topic topic;
	struct order *first;

	if (!topic_read(text, connection->base, &topic))
		return;
	device = panels_find(connection, topic.device);
	if (!device)
		return;
	if (connection->order_count >= CONNECTION_ORDERS_MAX ||
	    connection->order_bytes + length > CONNECTION_ORDERS_BYTES) {
		drop(connection, topic.device);
		return;
	}
	first = order_read(&topic, device, payload, length, &problem);
	if (problem)
		publish_error(&connection->publisher, topic.device, order_name(topic.command), 400,
			      "body_invalid", problem);
	add_orders(connection, first);
}

void commands_end_first(struct connection *connection)
{
	struct order *order = connection->orders;

	connection->orders = order->next;
	if (!connection->orders)
		connection->orders_end = &connection->orders;
	connection->order_count--;
	connection->order_bytes -= order->body.length;
	order_destroy(order);
}

void commands_done(struct connection *connection)
{
	const struct api *api = &connection->api;
	const struct order *order = connection->orders;
	struct device *device = panels_find(connection, order->device);
	yyjson_doc *doc = NULL;
	const char *code, *detail;

	if (api->status < 200 || api->status > 299) {
		doc = yyjson_read(api->reply.data, api->reply.length, 0);
		code = yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "code"));
		detail = yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "detail"));
		publish_error(&connection->publisher, order->device, order->command, api->status,
			      code ? code : "server_stopping",
			      detail ? detail
			      : api->status
				  ? "displayd rejected it"
				  : "no answer: the command may have been carried out or not");
	} else if (device && order->has_text) {
		device_set_text(device, &order->text);
	}
	yyjson_doc_free(doc);
	commands_end_first(connection);
}
