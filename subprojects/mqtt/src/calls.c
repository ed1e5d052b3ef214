#include "calls.h"

#include "commands.h"
#include "panels.h"

#include <sandboxed/clock.h>
#include <stdio.h>

enum { AGAIN_MS = 1000, ASK_MS = 5000, REFUSALS_MAX = 6 };

static void call_done(struct connection *connection)
{
	int status = connection->api.status;

	if (connection->call == CALL_LIST && status != 200)
		connection->needs_list = true;
	if (connection->api.call_lacked_socket)
		connection->calls_from_ms = 0; /* it continues with the next socket */
	else if (connection->call == CALL_ORDER)
		commands_done(connection);
	else if (status == 200 || connection->call == CALL_PICTURE)
		panels_take_answer(connection);
	else if (status == 404 && connection->called)
		panels_forget_called(connection);
	else
		connection->calls_from_ms = clock_ms() + AGAIN_MS;
	connection->was_order = connection->call == CALL_ORDER;
	connection->call = CALL_NONE;
	connection->called = NULL;
}

static void calls_begin(struct connection *connection, enum call call, struct device *device,
			const char *last)
{
	char path[TOPIC_MAX];

	connection->call = call;
	connection->called = device;
	if (call == CALL_ORDER) {
		const struct order *order = connection->orders;

		api_begin(&connection->api, order->method, order->path, &order->body);
		return;
	}
	if (!device)
		snprintf(path, sizeof(path), "/v1/devices");
	else
		snprintf(path, sizeof(path), "%s/%s%s",
			 call == CALL_PICTURE || call == CALL_FIRMWARE ? "/v1/devices"
								       : "/web/devices",
			 device->id, last);
	api_begin(&connection->api, "GET", path, NULL);
}

static bool begin_device(struct connection *connection, struct device *device)
{
	if (device->needs_about)
		calls_begin(connection, CALL_ABOUT, device, "");
	else if (device->needs_rotation)
		calls_begin(connection, CALL_ROTATION, device, "/rotation");
	else if (device->needs_firmware)
		calls_begin(connection, CALL_FIRMWARE, device, "/firmware");
	else if (device->needs_picture && device->is_online &&
		 device->picture_from_ms <= clock_ms() && session_has_room(&connection->session))
		calls_begin(connection, CALL_PICTURE, device, "/picture.png?scale=4");
	else
		return false;
	return true;
}

/* Begins the next call: commands and reads of the panels' state alternate. */
static void begin_call(struct connection *connection)
{
	bool has_order = connection->orders && clock_ms() >= connection->calls_from_ms;

	if (connection->api.is_calling || clock_ms() < connection->calls_from_ms)
		return;
	if (has_order && !connection->was_order) {
		calls_begin(connection, CALL_ORDER, NULL, NULL);
		return;
	}
	connection->was_order = false;
	if (connection->needs_list || clock_ms() >= connection->list_ms) {
		panels_begin_list(connection);
		calls_begin(connection, CALL_LIST, NULL, NULL);
		return;
	}
	for (struct device *device = connection->devices; device; device = device->next)
		if (begin_device(connection, device))
			return;
	if (has_order)
		calls_begin(connection, CALL_ORDER, NULL, NULL);
}

/* Doubles while the stream is refused, as that of an account of too many devices is. */
static int64_t stream_pause_ms(struct connection *connection)
{
	int status = connection->api.stream_status;
	int64_t pause_ms = (int64_t)AGAIN_MS << connection->stream_refusals;

	if (status == 0 || status == 200)
		connection->stream_refusals = 0;
	else if (connection->stream_refusals < REFUSALS_MAX)
		connection->stream_refusals++;
	return pause_ms;
}

void calls_drive(struct connection *connection)
{
	int64_t now = clock_ms();
	bool was_streaming = connection->api.is_streaming;

	if (api_drive(&connection->api))
		call_done(connection);
	if (was_streaming && !connection->api.is_streaming)
		connection->stream_from_ms = now + stream_pause_ms(connection);
	if (connection->has_asked && now - connection->asked_ms < ASK_MS)
		return; /* waits for a socket, which was requested */
	connection->has_asked = false;
	begin_call(connection);
	if (!connection->api.is_streaming && now >= connection->stream_from_ms)
		api_listen(&connection->api);
	if (api_needs_socket(&connection->api)) {
		connection->has_asked = true;
		connection->asked_ms = now;
		connection->stream_from_ms = now;
		account_say(connection, "{\"needs\":\"%s\"}\n", connection->account);
	}
}

void calls_drop(struct connection *connection)
{
	api_cancel(&connection->api);
	connection->call = CALL_NONE;
	connection->called = NULL;
	while (connection->orders)
		commands_end_first(connection);
}
