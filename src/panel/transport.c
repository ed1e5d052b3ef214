#include "transport.h"

#include "base/memory.h"
#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINGER_MS = 1000, READ_BYTES = 64 * 1024 };

struct transport {
	struct loop *loop;
	const struct transport_events *events; /* NULL: nobody is to be called any more */
	void *context;
	struct tls_session *tls; /* NULL: plain */
	uv_tcp_t tcp;
	uv_getaddrinfo_t resolve;
	uv_connect_t connect;
	uv_shutdown_t shutdown;
	struct addrinfo *addresses; /* owned */
	struct addrinfo *address;   /* the one that is tried or in use */
	struct deadline timeout;
	struct later start;
	bool resolving;
	bool tcp_open;
	bool connected; /* on_connected was called */
	int last_error; /* of the last address that was tried */
	char host[256];
	char port[6];
	char read_buffer[READ_BYTES];
};

struct write {
	uv_write_t request;
	char data[];
};

static void try_address(struct transport *transport);

static void free_when_done(struct transport *transport)
{
	if (transport->resolving || transport->tcp_open || transport->events)
		return;
	deadline_clear(transport->loop, &transport->timeout);
	loop_later_cancel(&transport->start);
	tls_session_destroy(transport->tls);
	if (transport->addresses)
		uv_freeaddrinfo(transport->addresses);
	free(transport);
}

static void on_tcp_closed(uv_handle_t *handle)
{
	struct transport *transport = handle->data;

	transport->tcp_open = false;
	if (transport->events)
		try_address(transport); /* the next one */
	else
		free_when_done(transport);
}

static void close_tcp(struct transport *transport)
{
	if (transport->tcp_open && !uv_is_closing((uv_handle_t *)&transport->tcp))
		uv_close((uv_handle_t *)&transport->tcp, on_tcp_closed);
}

static void end(struct transport *transport, bool clean, const char *reason)
{
	const struct transport_events *events = transport->events;

	if (!events)
		return;
	deadline_clear(transport->loop, &transport->timeout);
	transport->events = NULL;
	events->on_closed(transport->context, clean, reason);
	close_tcp(transport);
	free_when_done(transport);
}

static void end_with_error(struct transport *transport, const char *what, int error)
{
	char text[TRANSPORT_REASON_MAX];

	snprintf(text, sizeof(text), "%s: %s", what, uv_strerror(error));
	end(transport, false, text);
}

static void on_timeout(struct deadline *deadline)
{
	struct transport *transport = container_of(deadline, struct transport, timeout);

	if (transport->events)
		end(transport, false, "timed out while connecting");
	else
		close_tcp(transport); /* lingered long enough */
}

static void on_written(uv_write_t *request, int status)
{
	struct transport *transport = request->data;

	free(container_of(request, struct write, request));
	/* The end of the connection is seen by reading, but where only writing fails, here. */
	if (status < 0 && status != UV_ECANCELED)
		end_with_error(transport, "sending failed", status);
}

static void write_raw(struct transport *transport, const void *data, size_t size)
{
	struct write *write = memory_alloc(sizeof(*write) + size);
	uv_buf_t view = uv_buf_init(write->data, (unsigned)size);
	int error;

	memcpy(write->data, data, size);
	write->request.data = transport;
	error = uv_write(&write->request, (uv_stream_t *)&transport->tcp, &view, 1, on_written);
	if (error)
		free(write); /* not connected any more: reading tells */
}

static void flush_tls(struct transport *transport)
{
	struct buffer *output = tls_output(transport->tls);
	struct str view = buffer_view(output);

	if (view.length > 0)
		write_raw(transport, view.data, view.length);
	buffer_clear(output);
}

static void announce(struct transport *transport)
{
	deadline_clear(transport->loop, &transport->timeout);
	transport->connected = true;
	transport->events->on_connected(transport->context);
}

/* False when the session is not (or no longer) up. */
static bool go_on_with_handshake(struct transport *transport)
{
	const char *fault;
	enum tls_state state;

	if (transport->connected)
		return true;
	state = tls_handshake(transport->tls, &fault);
	flush_tls(transport);
	if (state == TLS_FAILED)
		end(transport, false, fault);
	else if (state == TLS_CONNECTED)
		announce(transport);
	return state == TLS_CONNECTED && transport->events;
}

static void read_tls(struct transport *transport)
{
	uint8_t data[16 * 1024];
	size_t size;
	const char *fault;
	enum tls_state state = TLS_DATA;

	if (!go_on_with_handshake(transport))
		return;
	while (state == TLS_DATA && transport->events) {
		state = tls_read(transport->tls, data, sizeof(data), &size, &fault);
		if (state == TLS_DATA)
			transport->events->on_data(transport->context, data, size);
	}
	if (!transport->events)
		return;
	flush_tls(transport);
	if (state == TLS_CLOSED)
		end(transport, true, "closed by the server");
	else if (state == TLS_FAILED)
		end(transport, false, fault);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_view)
{
	struct transport *transport = handle->data;

	(void)suggested;
	*ret_view = uv_buf_init(transport->read_buffer, sizeof(transport->read_buffer));
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *view)
{
	struct transport *transport = stream->data;

	if (!transport->events || size == 0)
		return;
	if (size == UV_EOF) {
		end(transport, true, "closed by the server");
	} else if (size < 0) {
		end_with_error(transport, "connection lost", (int)size);
	} else if (transport->tls) {
		tls_feed(transport->tls, view->base, (size_t)size);
		read_tls(transport);
	} else {
		transport->events->on_data(transport->context, (const uint8_t *)view->base,
					   (size_t)size);
	}
}

static void on_connect(uv_connect_t *request, int status)
{
	struct transport *transport = request->data;

	if (!transport->events)
		return; /* closed meanwhile */
	if (status < 0) {
		transport->last_error = status;
		transport->address = transport->address->ai_next;
		close_tcp(transport); /* then the next one is tried */
		return;
	}
	uv_tcp_nodelay(&transport->tcp, 1);
	uv_read_start((uv_stream_t *)&transport->tcp, on_alloc, on_read);
	if (transport->tls)
		go_on_with_handshake(transport);
	else
		announce(transport);
}

static void try_address(struct transport *transport)
{
	int error;

	if (!transport->address) {
		end_with_error(transport, "cannot connect", transport->last_error);
		return;
	}
	require(uv_tcp_init(&transport->loop->uv, &transport->tcp) == 0);
	transport->tcp.data = transport;
	transport->tcp_open = true;
	transport->connect.data = transport;
	error = uv_tcp_connect(&transport->connect, &transport->tcp, transport->address->ai_addr,
			       on_connect);
	if (error) {
		transport->last_error = error;
		transport->address = transport->address->ai_next;
		close_tcp(transport);
	}
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	struct transport *transport = request->data;

	transport->resolving = false;
	transport->addresses = addresses;
	if (!transport->events) {
		free_when_done(transport);
	} else if (status < 0) {
		end_with_error(transport, "host not found", status);
	} else {
		transport->address = addresses;
		try_address(transport);
	}
}

static void start(struct later *later)
{
	struct transport *transport = container_of(later, struct transport, start);
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
	int error;

	transport->resolve.data = transport;
	transport->resolving = true;
	error = uv_getaddrinfo(&transport->loop->uv, &transport->resolve, on_resolved,
			       transport->host, transport->port, &hints);
	if (error) {
		transport->resolving = false;
		end_with_error(transport, "host not found", error);
	}
}

static void start_with_fault(struct later *later)
{
	struct transport *transport = container_of(later, struct transport, start);

	end(transport, false, "TLS cannot be set up for this host name");
}

struct transport *transport_open(struct loop *loop, const struct panel_url *url,
				 struct tls_client *tls, uint64_t timeout_ms,
				 const struct transport_events *events, void *context)
{
	struct transport *transport = memory_zalloc(sizeof(*transport));
	const char *fault;

	transport->loop = loop;
	transport->events = events;
	transport->context = context;
	snprintf(transport->host, sizeof(transport->host), "%s", url->host);
	snprintf(transport->port, sizeof(transport->port), "%s", url->port);
	if (tls)
		transport->tls = tls_session_create(tls, url->host, &fault);
	deadline_init(&transport->timeout, on_timeout);
	deadline_set(loop, &transport->timeout, timeout_ms);
	loop_later_init(&transport->start, tls && !transport->tls ? start_with_fault : start);
	loop_later(loop, &transport->start);
	return transport;
}

void transport_write(struct transport *transport, const void *data, size_t size)
{
	require(transport->connected);
	if (!transport->tls) {
		write_raw(transport, data, size);
		return;
	}
	/* It fails only where the session is broken: then reading ends the connection. */
	if (tls_write(transport->tls, data, size) == 0)
		flush_tls(transport);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	(void)status;
	close_tcp(request->data);
}

void transport_close(struct transport *transport)
{
	if (!transport->events)
		return; /* it is in its on_closed and goes by itself */
	transport->events = NULL;
	loop_later_cancel(&transport->start);
	deadline_clear(transport->loop, &transport->timeout);
	if (transport->resolving)
		uv_cancel((uv_req_t *)&transport->resolve);
	if (transport->connected) {
		uv_read_stop((uv_stream_t *)&transport->tcp);
		transport->shutdown.data = transport;
		deadline_set(transport->loop, &transport->timeout, LINGER_MS);
		if (uv_shutdown(&transport->shutdown, (uv_stream_t *)&transport->tcp, on_shutdown))
			close_tcp(transport);
		return;
	}
	close_tcp(transport);
	free_when_done(transport);
}
