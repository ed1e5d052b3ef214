#include "poll.h"

#include "base/memory.h"
#include "picture.h"
#include "response.h"
#include "transport.h"

#include <stdio.h>
#include <stdlib.h>

struct poll {
	struct loop *loop;
	struct poll_config config;
	const struct poll_events *events;
	void *context;
	struct transport *transport; /* NULL between exchanges */
	struct response response;    /* during an exchange */
	int brightness;
	int dwell_s;
	struct deadline due;	 /* of the next request */
	struct deadline timeout; /* of this one */
};

static void on_header(void *context, struct str name, struct str value)
{
	struct poll *poll = context;
	unsigned long long number;

	if (!str_to_uint64(value, 100000, &number))
		return;
	if (str_equal_ignore_case(name, STR("Tronbyt-Brightness")))
		poll->brightness = (int)number;
	else if (str_equal_ignore_case(name, STR("Tronbyt-Dwell-Secs")))
		poll->dwell_s = (int)number;
}

static void drop_connection(struct poll *poll)
{
	deadline_clear(poll->loop, &poll->timeout);
	if (poll->transport)
		transport_close(poll->transport);
	poll->transport = NULL;
}

static void fail(struct poll *poll, int status, const char *reason)
{
	bool is_long = status == 404 || status == 400 || poll->response.body_too_large;
	struct poll_failure failure = {
	    .status = status,
	    .reason = reason,
	    .retry_ms = is_long ? POLL_RETRY_LONG_MS : POLL_RETRY_MS,
	};

	if (poll->config.retry_ms >= 0)
		failure.retry_ms = (uint64_t)poll->config.retry_ms;
	drop_connection(poll);
	deadline_set(poll->loop, &poll->due, failure.retry_ms);
	poll->events->on_failed(poll->context, &failure);
	response_finish(&poll->response);
}

static void on_answer(struct poll *poll)
{
	int status = response_status(&poll->response);
	struct str body = buffer_view(&poll->response.body);
	struct poll_picture picture = {
	    .data = (const uint8_t *)body.data,
	    .size = body.length,
	    .brightness = poll->brightness,
	    .dwell_s = poll->dwell_s,
	};
	char reason[64];

	if (status != 200) {
		snprintf(reason, sizeof(reason), "the server answered %d", status);
		fail(poll, status, reason);
		return;
	}
	drop_connection(poll);
	poll->events->on_picture(poll->context, &picture);
	response_finish(&poll->response);
}

static void on_state(struct poll *poll, enum response_state state)
{
	/* Nobody asked for another protocol, so a 101 is a fault as any other status is. */
	if (state == RESPONSE_DONE || state == RESPONSE_UPGRADED)
		on_answer(poll);
	else if (state == RESPONSE_FAILED)
		fail(poll, response_status(&poll->response), poll->response.fault);
}

static void on_data(void *context, const uint8_t *data, size_t size)
{
	struct poll *poll = context;
	size_t used;

	on_state(poll, response_feed(&poll->response, data, size, &used));
}

static void on_connected(void *context)
{
	struct poll *poll = context;
	const struct panel_url *url = &poll->config.url;
	struct buffer request = {0};

	buffer_printf(&request,
		      "GET %s HTTP/1.1\r\n"
		      "User-Agent: ESP32 HTTP Client/1.0\r\n"
		      "Host: %s\r\n"
		      "X-Firmware-Version: %s\r\n",
		      url->target, url->authority, poll->config.firmware_version);
	if (url->bearer[0])
		buffer_printf(&request, "Authorization: Bearer %s\r\n", url->bearer);
	buffer_printf(&request, "Content-Length: 0\r\n\r\n");
	transport_write(poll->transport, buffer_view(&request).data, buffer_length(&request));
	buffer_finish(&request);
}

static void on_closed(void *context, bool clean, const char *reason)
{
	struct poll *poll = context;

	poll->transport = NULL;
	if (clean && poll->response.head_complete)
		on_state(poll, response_end(&poll->response));
	else
		fail(poll, 0, reason);
}

static const struct transport_events transport_events = {
    .on_connected = on_connected,
    .on_data = on_data,
    .on_closed = on_closed,
};

static void on_due(struct deadline *deadline)
{
	struct poll *poll = container_of(deadline, struct poll, due);

	poll->brightness = poll->dwell_s = -1;
	response_init(&poll->response, PICTURE_BYTES_MAX);
	poll->response.on_header = on_header;
	poll->response.context = poll;
	poll->events->on_request(poll->context);
	poll->transport = transport_open(poll->loop, &poll->config.url, poll->config.tls,
					 POLL_TIMEOUT_MS, &transport_events, poll);
	deadline_set(poll->loop, &poll->timeout, POLL_TIMEOUT_MS);
}

static void on_timeout(struct deadline *deadline)
{
	fail(container_of(deadline, struct poll, timeout), 0, "no whole answer came in 20 s");
}

struct poll *poll_start(struct loop *loop, const struct poll_config *config,
			const struct poll_events *events, void *context)
{
	struct poll *poll = memory_zalloc(sizeof(*poll));

	poll->loop = loop;
	poll->config = *config;
	poll->events = events;
	poll->context = context;
	deadline_init(&poll->due, on_due);
	deadline_init(&poll->timeout, on_timeout);
	deadline_set(loop, &poll->due, 0);
	return poll;
}

void poll_next(struct poll *poll)
{
	deadline_set(poll->loop, &poll->due, 0);
}

void poll_stop(struct poll *poll)
{
	if (!poll)
		return;
	drop_connection(poll);
	deadline_clear(poll->loop, &poll->due);
	response_finish(&poll->response);
	free(poll);
}
