#include "http/transport_plain.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/address_share.h"
#include "http/listener.h"
#include "http/proxies.h"
#include "http/proxy_header.h"
#include "loop/loop.h"
#include "metric/metric.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BUFFER_BYTES = 64 * 1024 };

/* Every read goes here and is processed before the next one: a process has one loop, so one buffer.
 */
static char read_buffer[READ_BUFFER_BYTES];

/* Socket. No other code has uv handles of connections. Bytes that the kernel does not take at once
 * wait in libuv's queue. */
struct plain {
	struct http_transport transport;
	uint64_t queued_bytes; /* all bytes that ever had to wait */
	uint64_t taken_at_ms;  /* when taken_bytes last changed */
	uint32_t taken_bytes;  /* how many of them were taken at the last check; lower half of the
				  number */
	uint32_t full_turn;    /* the loop's turn in which a read last filled the buffer */
	struct address_share *share; /* share of its address, or its header's; NULL: none */
	struct proxy_header *header; /* NULL: the connection begins without one */
	/* Last member, so that the memory of TCP connections, which may be many, ends with
	 * uv.tcp. */
	union stream_handle uv;
};

struct plain_write {
	uv_write_t request;
	char copy[];
};

static struct plain *plain_of(const struct http_transport *transport)
{
	return container_of(transport, struct plain, transport);
}

static uint64_t now_ms(const struct plain *plain)
{
	return loop_now_ms(plain->transport.host->loop);
}

static void on_close(uv_handle_t *handle)
{
	struct plain *plain = handle->data;
	struct http_transport_host *host = plain->transport.host;

	if (plain->transport.events)
		plain->transport.events->on_closed(&plain->transport);
	address_share_leave(plain->share);
	if (plain->header)
		proxy_header_finish(plain->header);
	free(plain->header);
	free(plain);
	host->count--;
	host->on_gone(host);
}

static size_t write_queue(const struct plain *plain)
{
	return uv_stream_get_write_queue_size(&plain->uv.stream);
}

/* A peer that does not get everything gets a reset: a plain end could look like that of the
 * message, and the kernel would keep the bytes that the peer does not read. */
static bool close_by_reset(struct plain *plain)
{
	return plain->uv.handle.type == UV_TCP &&
	       (write_queue(plain) > 0 || plain->transport.is_broken_off) &&
	       uv_tcp_close_reset(&plain->uv.tcp, on_close) == 0;
}

static void plain_close(struct http_transport *transport)
{
	struct plain *plain = plain_of(transport);

	if (transport->is_closing)
		return;
	transport->is_closing = true;
	transport->is_reading = false;
	if (!close_by_reset(plain))
		uv_close(&plain->uv.handle, on_close);
}

static size_t plain_address(const struct http_transport *transport, char *ret_text)
{
	const struct plain *plain = plain_of(transport);
	struct sockaddr_storage address;
	int length = sizeof(address);
	const char *text = "unix";

	if (plain->uv.handle.type == UV_TCP) {
		text = "unknown";
		if (uv_tcp_getpeername(&plain->uv.tcp, (struct sockaddr *)&address, &length) == 0 &&
		    uv_ip_name((struct sockaddr *)&address, ret_text,
			       HTTP_TRANSPORT_ADDRESS_BYTES) == 0)
			text = str_starts_with(str_from(ret_text), STR("::ffff:")) ? ret_text + 7
										   : ret_text;
	}
	memmove(ret_text, text, strlen(text) + 1);
	return strlen(ret_text);
}

/* At most one line a second. */
static void log_refusal(struct http_transport_host *host, enum metric_refused_connection metric,
			const char *why, const char *address)
{
	uint64_t now_s = loop_now_ms(host->loop) / 1000;

	metric_add(METRIC_HTTP_REFUSED, metric, 1);
	if (now_s != host->refused_s)
		log_warn("http", "connection refused", LOG_TEXT("reason", why),
			 LOG_TEXT("remote", address));
	host->refused_s = now_s;
}

/* Joins the share of the client's address. Returns false if the address has its share. Connections
 * of a proxy count for its clients; those of a unix socket have no address and no share. */
static bool join_share(struct plain *plain, const char *from)
{
	struct http_transport_host *host = plain->transport.host;
	struct address address;

	if (host->connections_max == 0 || host->has_no_shares ||
	    !address_read(str_from(from), &address) ||
	    (host->proxies && http_proxies_have(host->proxies, &address)))
		return true;
	plain->share = address_share_join(&address, host->connections_max + 1 - host->count);
	if (!plain->share)
		log_refusal(host, METRIC_REFUSED_ADDRESS, "too many connections from this address",
			    from);
	return plain->share;
}

static struct plain *create(const struct http_transport_kind *kind,
			    struct http_transport_host *host, bool is_tcp)
{
	struct plain *plain = memory_zalloc(
	    is_tcp ? offsetof(struct plain, uv) + sizeof(plain->uv.tcp) : sizeof(*plain));

	if (is_tcp)
		uv_tcp_init(&host->loop->uv, &plain->uv.tcp);
	else
		uv_pipe_init(&host->loop->uv, &plain->uv.pipe, 0);
	plain->uv.handle.data = plain;
	plain->transport.kind = kind;
	plain->transport.host = host;
	host->count++;
	return plain;
}

struct http_transport *http_transport_adopt(struct http_transport_host *host, int fd)
{
	struct plain *plain = create(&http_transport_plain, host, /* is_tcp= */ false);

	if (uv_pipe_open(&plain->uv.pipe, fd) == 0)
		return &plain->transport;
	close(fd);
	plain_close(&plain->transport);
	return NULL;
}

static struct http_transport *plain_accept(const struct http_transport_kind *kind,
					   struct http_transport_host *host, uv_stream_t *listener)
{
	bool is_tcp = listener->type == UV_TCP;
	struct plain *plain = create(kind, host, is_tcp);
	char peer[HTTP_TRANSPORT_ADDRESS_BYTES];

	if (uv_accept(listener, &plain->uv.stream) != 0) {
		plain_close(&plain->transport);
		return NULL;
	}
	plain_address(&plain->transport, peer);
	if (!join_share(plain, peer)) {
		plain_close(&plain->transport);
		return NULL;
	}
	if (is_tcp)
		uv_tcp_nodelay(&plain->uv.tcp, 1);
	return &plain->transport;
}

static struct http_transport *proxied_accept(const struct http_transport_kind *kind,
					     struct http_transport_host *host,
					     uv_stream_t *listener)
{
	struct http_transport *transport = plain_accept(kind, host, listener);
	char peer[HTTP_TRANSPORT_ADDRESS_BYTES];

	if (!transport)
		return NULL;
	plain_address(transport, peer);
	if (!host->proxies || !http_proxies_have_peer(host->proxies, str_from(peer))) {
		log_refusal(host, METRIC_REFUSED_PROXY, "the peer is not a trusted proxy", peer);
		plain_close(transport);
		return NULL;
	}
	plain_of(transport)->header = memory_zalloc(sizeof(struct proxy_header));
	return transport;
}

static size_t proxied_address(const struct http_transport *transport, char *ret_text)
{
	const struct proxy_header *header = plain_of(transport)->header;
	size_t length = strlen(header->address);

	if (header->is_complete && header->is_local)
		return plain_address(transport, ret_text);
	memcpy(ret_text, header->address, length + 1);
	return length;
}

/* libuv repeats reads of a socket while they fill the buffer. A peer that sends fast would delay
 * all others, so it gets one such read a turn: without a buffer libuv continues with the next
 * socket, and finds this one readable in the next turn. */
static void on_alloc(uv_handle_t *handle, size_t suggested_size, uv_buf_t *ret_buffer)
{
	const struct plain *plain = handle->data;
	bool has_had_its_turn = plain->full_turn == plain->transport.host->loop->turn;

	(void)suggested_size;
	*ret_buffer = uv_buf_init(read_buffer, has_had_its_turn ? 0 : READ_BUFFER_BYTES);
}

static enum http_transport_peer plain_peer(const struct http_transport *transport)
{
	struct pollfd poll_fd = {.events = POLLRDHUP};

	if (uv_fileno(&plain_of(transport)->uv.handle, &poll_fd.fd) != 0 ||
	    poll(&poll_fd, 1, 0) != 1)
		return HTTP_PEER_THERE;
	if (poll_fd.revents & (POLLHUP | POLLERR))
		return HTTP_PEER_GONE;
	return http_transport_has_input(transport) ? HTTP_PEER_THERE : HTTP_PEER_ENDED;
}

static void transport_plain_end(struct plain *plain, int error)
{
	if (plain->transport.is_closing || (plain->transport.is_ended && error == 0))
		return;
	/* libuv reports a reset that follows data as a plain end. */
	if (error == 0 && plain_peer(&plain->transport) == HTTP_PEER_GONE)
		error = -ECONNRESET;
	http_transport_set_reading(&plain->transport, false);
	plain->transport.is_ended = true;
	plain->transport.events->on_end(&plain->transport, error);
}

/* Takes bytes until header->is_complete. */
static void take_header(struct plain *plain, struct str data)
{
	struct proxy_header *header = plain->header;
	char peer[HTTP_TRANSPORT_ADDRESS_BYTES];
	struct str rest;
	int error = proxy_header_take(header, data, &rest);

	if (error == -EAGAIN)
		return;
	if (error < 0) {
		plain_address(&plain->transport, peer);
		log_refusal(plain->transport.host, METRIC_REFUSED_PROXY,
			    "the PROXY header is missing or invalid", peer);
		transport_plain_end(plain, error);
		return;
	}
	if (!header->is_local && !join_share(plain, header->address)) {
		transport_plain_end(plain, -ECONNREFUSED);
		return;
	}
	if (rest.length)
		plain->transport.events->on_data(&plain->transport, rest);
	proxy_header_finish(header);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
	struct plain *plain = stream->data;

	if (plain->transport.is_closing || size == 0 || size == UV_ENOBUFS)
		return;
	if (size == READ_BUFFER_BYTES)
		plain->full_turn = plain->transport.host->loop->turn;
	if (size < 0)
		transport_plain_end(plain, size == UV_EOF ? 0 : (int)size);
	else if (plain->header && !plain->header->is_complete)
		take_header(plain, (struct str){buffer->base, (size_t)size});
	else
		plain->transport.events->on_data(&plain->transport,
						 (struct str){buffer->base, (size_t)size});
}

static void plain_set_reading(struct http_transport *transport, bool on)
{
	struct plain *plain = plain_of(transport);

	if (on)
		require(uv_read_start(&plain->uv.stream, on_alloc, on_read) == 0);
	else
		uv_read_stop(&plain->uv.stream);
}

static size_t plain_pending(const struct http_transport *transport)
{
	return write_queue(plain_of(transport));
}

static void on_write(uv_write_t *request, int status)
{
	struct plain *plain = request->handle->data;

	free(container_of(request, struct plain_write, request));
	if (plain->transport.is_closing)
		return;
	if (status < 0)
		transport_plain_end(plain, status);
	else if (write_queue(plain) == 0)
		plain->transport.events->on_flushed(&plain->transport);
}

static int queue(struct plain *plain, uv_buf_t *buffers, unsigned count, size_t size, bool copy)
{
	struct plain_write *write = memory_alloc(sizeof(*write) + (copy ? size : 0));
	size_t offset = 0;
	int error;

	for (unsigned i = 0; copy && i < count; i++) {
		if (buffers[i].len == 0)
			continue;
		memcpy(write->copy + offset, buffers[i].base, buffers[i].len);
		offset += buffers[i].len;
	}
	if (copy) {
		buffers[0] = uv_buf_init(write->copy, (unsigned)size);
		count = 1;
	}
	if (write_queue(plain) == 0) {
		plain->taken_bytes = (uint32_t)plain->queued_bytes;
		plain->taken_at_ms = now_ms(plain);
	}
	error = uv_write(&write->request, &plain->uv.stream, buffers, count, on_write);
	if (error)
		free(write);
	else
		plain->queued_bytes += size;
	return error;
}

static int plain_send(struct http_transport *transport, const struct str *parts, unsigned count,
		      bool copy)
{
	struct plain *plain = plain_of(transport);
	uv_buf_t buffers[HTTP_TRANSPORT_PARTS_MAX];
	size_t size = 0;
	unsigned first = 0;
	int written = 0;

	require(count <= HTTP_TRANSPORT_PARTS_MAX);
	if (plain->transport.is_closing)
		return -ECONNRESET;
	for (unsigned i = 0; i < count; i++) {
		buffers[i].base = (char *)parts[i].data;
		buffers[i].len = parts[i].length;
		size += parts[i].length;
	}
	if (write_queue(plain) == 0) {
		written = uv_try_write(&plain->uv.stream, buffers, count);
		if (written == UV_EAGAIN)
			written = 0;
		if (written < 0)
			return written;
	}
	size -= (size_t)written;
	if (size == 0)
		return 0;
	while ((size_t)written >= buffers[first].len)
		written -= (int)buffers[first++].len;
	buffers[first].base += written;
	buffers[first].len -= (size_t)written;
	return queue(plain, buffers + first, count - first, size, copy);
}

static bool plain_is_stalled(struct http_transport *transport, uint64_t limit_ms)
{
	struct plain *plain = plain_of(transport);
	uint64_t now = now_ms(plain);
	uint32_t taken = (uint32_t)(plain->queued_bytes - write_queue(plain));

	if (taken != plain->taken_bytes || write_queue(plain) == 0) {
		plain->taken_bytes = taken;
		plain->taken_at_ms = now;
	}
	return now - plain->taken_at_ms >= limit_ms;
}

static void plain_shutdown(struct http_transport *transport)
{
	const struct plain *plain = plain_of(transport);
	uv_os_fd_t fd;

	if (!plain->transport.is_closing && uv_fileno(&plain->uv.handle, &fd) == 0)
		shutdown(fd, SHUT_WR);
}

static bool plain_has_input(const struct http_transport *transport)
{
	const struct plain *plain = plain_of(transport);
	uv_os_fd_t fd;
	char byte;

	return uv_fileno(&plain->uv.handle, &fd) == 0 &&
	       recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static struct http_unsent_share *plain_share(const struct http_transport *transport)
{
	return address_share_unsent(plain_of(transport)->share);
}

const struct http_transport_kind http_transport_plain = {
    .accept = plain_accept,
    .address = plain_address,
    .set_reading = plain_set_reading,
    .send = plain_send,
    .pending = plain_pending,
    .is_stalled = plain_is_stalled,
    .shutdown = plain_shutdown,
    .has_input = plain_has_input,
    .peer = plain_peer,
    .share = plain_share,
    .close = plain_close,
};

const struct http_transport_kind http_transport_proxied = {
    .accept = proxied_accept,
    .address = proxied_address,
    .set_reading = plain_set_reading,
    .send = plain_send,
    .pending = plain_pending,
    .is_stalled = plain_is_stalled,
    .shutdown = plain_shutdown,
    .has_input = plain_has_input,
    .peer = plain_peer,
    .share = plain_share,
    .close = plain_close,
};
