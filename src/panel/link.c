#include "link.h"

#include "base/memory.h"
#include "base/require.h"
#include "transport.h"
#include "upgrade.h"

#include <sodium.h>
#include <stdio.h>
#include <wslay/wslay.h>

/* Binaries beyond this are not even collected. */
enum { BINARY_MAX = 460 * 1000 };

enum link_state { LINK_WAITING, LINK_CONNECTING, LINK_UPGRADING, LINK_OPEN };

struct link {
	struct loop *loop;
	struct link_config config;
	const struct link_events *events;
	void *context;
	enum link_state state;
	struct transport *transport;	/* NULL while waiting */
	struct upgrade upgrade;		/* in LINK_UPGRADING */
	wslay_event_context_ptr frames; /* in LINK_OPEN */
	struct str input;		/* what wslay has not read yet */
	struct buffer output;		/* what wslay wants to be sent */
	struct buffer message;		/* the data message that is coming in */
	uint8_t opcode;			/* of that message */
	bool in_control;		/* the frame that is coming in is a control frame */
	bool fragmented;
	bool oversize;
	uint16_t close_code;
	bool close_received;
	struct deadline retry;
	struct deadline ping;
	struct deadline silence; /* no answer to the handshake, later no pong */
};

static void leave(struct link *link, int status, const char *reason);

static ssize_t on_wslay_recv(wslay_event_context_ptr frames, uint8_t *data, size_t room, int flags,
			     void *context)
{
	struct link *link = context;
	size_t size = link->input.length < room ? link->input.length : room;

	(void)flags;
	if (size == 0) {
		wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(data, link->input.data, size);
	link->input = str_from_offset(link->input, size);
	return (ssize_t)size;
}

static ssize_t on_wslay_send(wslay_event_context_ptr frames, const uint8_t *data, size_t size,
			     int flags, void *context)
{
	struct link *link = context;

	(void)frames;
	(void)flags;
	buffer_append(&link->output, data, size);
	return (ssize_t)size;
}

/* wslay gives a frame in pieces; they leave as one. */
static void send_frames(struct link *link)
{
	struct str view;

	wslay_event_send(link->frames);
	view = buffer_view(&link->output);
	if (view.length > 0)
		transport_write(link->transport, view.data, view.length);
	buffer_clear(&link->output);
}

static int on_wslay_mask(wslay_event_context_ptr frames, uint8_t *data, size_t size, void *context)
{
	(void)frames;
	(void)context;
	randombytes_buf(data, size);
	return 0;
}

static void on_frame_start(wslay_event_context_ptr frames,
			   const struct wslay_event_on_frame_recv_start_arg *frame, void *context)
{
	struct link *link = context;

	(void)frames;
	link->in_control = wslay_is_ctrl_frame(frame->opcode);
	if (link->in_control)
		return;
	if (frame->opcode != WSLAY_CONTINUATION_FRAME) {
		buffer_clear(&link->message);
		link->opcode = frame->opcode;
		link->oversize = false;
		link->fragmented = !frame->fin;
	}
}

static void on_frame_chunk(wslay_event_context_ptr frames,
			   const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *context)
{
	struct link *link = context;
	size_t max = link->opcode == WSLAY_TEXT_FRAME ? LINK_TEXT_MAX : BINARY_MAX;

	(void)frames;
	if (link->in_control)
		return;
	if (buffer_length(&link->message) + chunk->data_length > max)
		link->oversize = true;
	if (!link->oversize)
		buffer_append(&link->message, chunk->data, chunk->data_length);
}

static void on_text(struct link *link)
{
	/* The firmware reads each frame of a text for itself. */
	if (link->fragmented)
		link->events->on_violation(link->context, "a text in fragments");
	else if (link->oversize)
		link->events->on_violation(link->context, "a text of more than 8 KiB");
	else
		link->events->on_text(link->context, buffer_view(&link->message));
}

static void on_binary(struct link *link)
{
	struct str view = buffer_view(&link->message);

	if (link->oversize)
		link->events->on_violation(link->context, "a picture of more than 460,000 bytes");
	else
		link->events->on_binary(link->context, (const uint8_t *)view.data, view.length);
}

static void on_message(wslay_event_context_ptr frames,
		       const struct wslay_event_on_msg_recv_arg *message, void *context)
{
	struct link *link = context;

	(void)frames;
	switch (message->opcode) {
	case WSLAY_TEXT_FRAME:
		on_text(link);
		break;
	case WSLAY_BINARY_FRAME:
		on_binary(link);
		break;
	case WSLAY_PONG:
		deadline_set(link->loop, &link->silence, link->config.pong_timeout_ms);
		link->events->on_pong(link->context);
		break;
	case WSLAY_CONNECTION_CLOSE:
		link->close_received = true;
		link->close_code = message->status_code;
		break;
	default: /* wslay answers a ping by itself */
		break;
	}
}

static const struct wslay_event_callbacks frame_callbacks = {
    .recv_callback = on_wslay_recv,
    .send_callback = on_wslay_send,
    .genmask_callback = on_wslay_mask,
    .on_frame_recv_start_callback = on_frame_start,
    .on_frame_recv_chunk_callback = on_frame_chunk,
    .on_msg_recv_callback = on_message,
};

/* Sends what waits; ends the connection where nothing can be read any more. */
static void flush_frames(struct link *link)
{
	send_frames(link);
	if (link->close_received)
		leave(link, 0, "the server sent a CLOSE frame");
	else if (!wslay_event_want_read(link->frames))
		leave(link, 0, "the server broke the WebSocket protocol");
}

static void on_frame_bytes(struct link *link, const uint8_t *data, size_t size)
{
	int error;

	link->input = (struct str){(const char *)data, size};
	error = wslay_event_recv(link->frames);
	if (error)
		leave(link, 0, "the server broke the WebSocket protocol");
	else
		flush_frames(link);
}

static void open_frames(struct link *link)
{
	require(wslay_event_context_client_init(&link->frames, &frame_callbacks, link) == 0);
	wslay_event_config_set_no_buffering(link->frames, 1);
	link->state = LINK_OPEN;
	deadline_set(link->loop, &link->ping, link->config.ping_ms);
	deadline_set(link->loop, &link->silence, link->config.pong_timeout_ms);
}

static void on_upgrade_bytes(struct link *link, const uint8_t *data, size_t size)
{
	struct response *response = &link->upgrade.response;
	size_t used;
	enum response_state state = response_feed(response, data, size, &used);
	int status = response_status(response);
	char reason[64];
	const char *fault;

	if (state == RESPONSE_FAILED && !response->head_complete) {
		leave(link, 0, response->fault);
	} else if (state == RESPONSE_UPGRADED) {
		fault = upgrade_check(&link->upgrade);
		if (fault) {
			leave(link, 0, fault);
			return;
		}
		open_frames(link);
		link->events->on_open(link->context, response->head_bytes);
		on_frame_bytes(link, data + used, size - used);
	} else if (response->head_complete) {
		snprintf(reason, sizeof(reason), "the server answered %d", status);
		leave(link, status, reason);
	}
}

static void on_transport_data(void *context, const uint8_t *data, size_t size)
{
	struct link *link = context;

	if (link->state == LINK_UPGRADING)
		on_upgrade_bytes(link, data, size);
	else
		on_frame_bytes(link, data, size);
}

static void on_transport_connected(void *context)
{
	struct link *link = context;
	struct buffer request = {0};

	link->state = LINK_UPGRADING;
	upgrade_start(&link->upgrade, &link->config.url, &request);
	transport_write(link->transport, buffer_view(&request).data, buffer_length(&request));
	buffer_finish(&request);
	deadline_set(link->loop, &link->silence, LINK_CONNECT_MS);
}

static void on_transport_closed(void *context, bool clean, const char *reason)
{
	(void)clean;
	leave(context, 0, reason);
}

static const struct transport_events transport_events = {
    .on_connected = on_transport_connected,
    .on_data = on_transport_data,
    .on_closed = on_transport_closed,
};

static void connect_now(struct link *link)
{
	link->state = LINK_CONNECTING;
	link->close_received = false;
	link->close_code = 0;
	link->events->on_connecting(link->context);
	link->transport = transport_open(link->loop, &link->config.url, link->config.tls,
					 LINK_CONNECT_MS, &transport_events, link);
}

static void on_retry(struct deadline *deadline)
{
	connect_now(container_of(deadline, struct link, retry));
}

static void on_ping(struct deadline *deadline)
{
	struct link *link = container_of(deadline, struct link, ping);
	struct wslay_event_msg ping = {.opcode = WSLAY_PING};

	deadline_set(link->loop, &link->ping, link->config.ping_ms);
	if (wslay_event_queue_msg(link->frames, &ping) == 0)
		flush_frames(link);
}

static void on_silence(struct deadline *deadline)
{
	struct link *link = container_of(deadline, struct link, silence);

	leave(link, 0,
	      link->state == LINK_OPEN ? "no pong came in time" : "the handshake was not answered");
}

/* Frees all that belongs to a connection. */
static void drop_connection(struct link *link)
{
	deadline_clear(link->loop, &link->retry);
	deadline_clear(link->loop, &link->ping);
	deadline_clear(link->loop, &link->silence);
	if (link->transport)
		transport_close(link->transport);
	link->transport = NULL;
	upgrade_finish(&link->upgrade);
	if (link->frames)
		wslay_event_context_free(link->frames);
	link->frames = NULL;
	buffer_finish(&link->message);
	buffer_finish(&link->output);
	link->state = LINK_WAITING;
}

static uint64_t retry_after(const struct link *link, int status)
{
	if (link->config.retry_ms >= 0)
		return (uint64_t)link->config.retry_ms;
	if (status == 404)
		return LINK_RETRY_NOT_FOUND_MS;
	return link->close_received ? LINK_RETRY_CLOSE_FRAME_MS : LINK_RETRY_MS;
}

static void leave(struct link *link, int status, const char *reason)
{
	struct link_closed closed = {
	    .status = status,
	    .close_code = link->close_received ? link->close_code : 0,
	    .was_open = link->state == LINK_OPEN,
	    .reason = reason,
	    .retry_ms = retry_after(link, status),
	};

	drop_connection(link);
	deadline_set(link->loop, &link->retry, closed.retry_ms);
	link->events->on_closed(link->context, &closed);
}

struct link *link_start(struct loop *loop, const struct link_config *config,
			const struct link_events *events, void *context)
{
	struct link *link = memory_zalloc(sizeof(*link));

	link->loop = loop;
	link->config = *config;
	link->events = events;
	link->context = context;
	deadline_init(&link->retry, on_retry);
	deadline_init(&link->ping, on_ping);
	deadline_init(&link->silence, on_silence);
	deadline_set(loop, &link->retry, 0);
	return link;
}

void link_stop(struct link *link)
{
	if (!link)
		return;
	drop_connection(link);
	free(link);
}

void link_reconnect(struct link *link)
{
	leave(link, 0, "rebooting");
}

bool link_send_text(struct link *link, struct str text)
{
	struct wslay_event_msg message = {
	    .opcode = WSLAY_TEXT_FRAME,
	    .msg = (const uint8_t *)text.data,
	    .msg_length = text.length,
	};

	if (link->state != LINK_OPEN || wslay_event_queue_msg(link->frames, &message) != 0)
		return false;
	/* Not flush_frames(): this may be called from inside wslay_event_recv(). */
	send_frames(link);
	return true;
}
