#include "transport.h"

#include "memory.h"

#include <stdio.h>
#include <string.h>

enum { READ_BYTES = 64 * 1024, REASON_MAX = 700 };

struct transport {
	const struct transport_events *events; /* NULL: no callback may be called any more */
	void *context;
	struct wire_tls_session *tls; /* NULL: plain */
	uv_tcp_t tcp;
	uv_getaddrinfo_t resolve;
	uv_connect_t connect;
	struct addrinfo *addresses; /* owned */
	struct addrinfo *address;   /* the one that is tried or in use */
	bool is_resolving;
	bool has_tcp;	/* libuv still uses the socket */
	int last_error; /* of the last address that was tried */
	uint8_t read_buffer[READ_BYTES];
};

struct write {
	uv_write_t request;
	void *data;
};

static void try_address(struct transport *transport);

static void free_when_done(struct transport *transport)
{
	if (transport->events || transport->is_resolving || transport->has_tcp)
		return;
	wire_tls_session_destroy(transport->tls);
	uv_freeaddrinfo(transport->addresses);
	free(transport);
}

static void on_tcp_closed(uv_handle_t *handle)
{
	struct transport *transport = handle->data;

	transport->has_tcp = false;
	if (transport->events)
		try_address(transport); /* try the next address */
	else
		free_when_done(transport);
}

static void close_tcp(struct transport *transport)
{
	if (transport->has_tcp && !uv_is_closing((uv_handle_t *)&transport->tcp))
		uv_close((uv_handle_t *)&transport->tcp, on_tcp_closed);
}

static void end(struct transport *transport, bool is_clean, const char *reason)
{
	const struct transport_events *events = transport->events;

	if (!events)
		return;
	transport->events = NULL;
	events->on_closed(transport->context, is_clean, reason);
	close_tcp(transport);
	free_when_done(transport);
}

static void end_with_error(struct transport *transport, const char *what, int error)
{
	char text[REASON_MAX];

	snprintf(text, sizeof(text), "%s: %s", what, uv_strerror(error));
	end(transport, false, text);
}

static void on_written(uv_write_t *request, int status)
{
	struct write *write = (struct write *)request;
	struct transport *transport = request->data;

	free(write->data);
	free(write);
	/* Reading finds the end of the connection, but if only writing fails, this does. */
	if (status < 0 && status != UV_ECANCELED)
		end_with_error(transport, "sending failed", status);
}

/* Writes malloc()ed data and takes ownership of it. */
static void write_raw(struct transport *transport, void *data, size_t size)
{
	struct write *write = memory_zalloc(sizeof(*write));
	uv_buf_t view = uv_buf_init(data, (unsigned)size);

	write->request.data = transport;
	write->data = data;
	if (uv_write(&write->request, (uv_stream_t *)&transport->tcp, &view, 1, on_written)) {
		free(data); /* not connected any more: reading reports it */
		free(write);
	}
}

static void flush_tls(struct transport *transport)
{
	size_t size;
	void *data = wire_tls_output(transport->tls, &size);

	if (data)
		write_raw(transport, data, size);
}

static void read_tls(struct transport *transport)
{
	uint8_t data[16 * 1024];
	size_t size;
	enum wire_tls_event event = WIRE_TLS_DATA;

	while (transport->events && (event == WIRE_TLS_DATA || event == WIRE_TLS_OPEN)) {
		event = wire_tls_read(transport->tls, data, sizeof(data), &size);
		if (event == WIRE_TLS_OPEN)
			transport->events->on_connected(transport->context);
		else if (event == WIRE_TLS_DATA)
			transport->events->on_data(transport->context, data, size);
	}
	flush_tls(transport);
	if (event == WIRE_TLS_CLOSED)
		end(transport, true, "closed by the server");
	else if (event == WIRE_TLS_AGAIN)
		close_tcp(transport); /* then the same address is tried again */
	else if (event == WIRE_TLS_FAILED)
		end(transport, false, wire_tls_fault(transport->tls));
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_view)
{
	struct transport *transport = handle->data;

	(void)suggested;
	*ret_view = uv_buf_init((char *)transport->read_buffer, READ_BYTES);
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
		wire_tls_feed(transport->tls, view->base, (size_t)size);
		read_tls(transport);
	} else {
		transport->events->on_data(transport->context, transport->read_buffer,
					   (size_t)size);
	}
}

static void fail_address(struct transport *transport, int error)
{
	transport->last_error = error;
	transport->address = transport->address->ai_next;
	close_tcp(transport); /* then the next one is tried */
}

static void on_connect(uv_connect_t *request, int status)
{
	struct transport *transport = request->data;

	if (!transport->events)
		return; /* closed meanwhile */
	if (status < 0) {
		fail_address(transport, status);
		return;
	}
	uv_tcp_nodelay(&transport->tcp, 1);
	uv_read_start((uv_stream_t *)&transport->tcp, on_alloc, on_read);
	if (transport->tls)
		read_tls(transport);
	else
		transport->events->on_connected(transport->context);
}

static void try_address(struct transport *transport)
{
	int error;

	if (!transport->address) {
		end_with_error(transport, "cannot connect", transport->last_error);
		return;
	}
	uv_tcp_init(transport->resolve.loop, &transport->tcp);
	transport->tcp.data = transport->connect.data = transport;
	transport->has_tcp = true;
	error = uv_tcp_connect(&transport->connect, &transport->tcp, transport->address->ai_addr,
			       on_connect);
	if (error)
		fail_address(transport, error);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	struct transport *transport = request->data;

	transport->is_resolving = false;
	transport->addresses = transport->address = addresses;
	if (transport->events && status < 0)
		end_with_error(transport, "host not found", status);
	else if (transport->events)
		try_address(transport);
	else
		free_when_done(transport);
}

struct transport *transport_open(uv_loop_t *loop, const struct wire_url *url,
				 struct wire_tls_config *tls, const struct transport_events *events,
				 void *context, const char **ret_fault)
{
	struct transport *transport = memory_zalloc(sizeof(*transport));
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
	char port[6];

	snprintf(port, sizeof(port), "%u", url->port);
	transport->resolve.data = transport;
	*ret_fault = "host not found";
	if (tls) {
		transport->tls = wire_tls_connect(tls, url->host);
		if (!transport->tls)
			*ret_fault = "cannot set up TLS for this host name";
	}
	if ((tls && !transport->tls) ||
	    uv_getaddrinfo(loop, &transport->resolve, on_resolved, url->host, port, &hints)) {
		free_when_done(transport);
		return NULL;
	}
	transport->is_resolving = true;
	transport->events = events;
	transport->context = context;
	return transport;
}

void transport_write(struct transport *transport, const void *data, size_t size)
{
	if (!transport->tls)
		write_raw(transport, memcpy(memory_zalloc(size), data, size), size);
	/* It fails only if the session is broken: then reading ends the connection. */
	else if (wire_tls_write(transport->tls, data, size) == 0)
		flush_tls(transport);
}

void transport_close(struct transport *transport)
{
	if (!transport)
		return;
	transport->events = NULL;
	if (transport->is_resolving)
		uv_cancel((uv_req_t *)&transport->resolve);
	close_tcp(transport);
	free_when_done(transport);
}
