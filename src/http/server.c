#include "http/server.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/connection.h"
#include "http/server_private.h"
#include "http/websocket_private.h"

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BACKLOG = 1024,
	/* Of the loop, the log, the database, files. */
	OTHER_DESCRIPTORS = 256,
};

struct http_listener {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} uv;
	struct http_server *server;
	struct http_listener_settings
	    settings; /* its connections point here: as long as the server */
	struct list node;
	bool is_open;
	bool has_waiting; /* a connection that waits for room; libuv accepts no further one */
};

static void check_drained(struct http_server *server)
{
	if (server->drained && server->connection_count == 0)
		loop_later(server->loop, &server->drained_later);
}

static void on_drained(struct later *later)
{
	struct http_server *server = container_of(later, struct http_server, drained_later);
	void (*drained)(void *context) = server->drained;

	server->drained = NULL;
	if (drained)
		drained(server->drained_context);
}

static unsigned or_limit(unsigned value, unsigned limit)
{
	return value ? value : limit;
}

/* Linux doubles a process's table of descriptors when it is full; where there are threads, the
 * accept() that needs it then waits for all cores to pass a quiet point: 10 ms and more while they
 * convert pictures. So the table gets its size now, before there are threads. */
static void reserve_descriptors(unsigned connections)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)connections + OTHER_DESCRIPTORS;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC,
		   (int)(wanted < limit.rlim_cur ? wanted : limit.rlim_cur) - 1);
	if (fd >= 0)
		close(fd);
}

struct http_server *http_server_create(struct loop *loop,
				       const struct http_server_settings *settings)
{
	struct http_server *server = memory_zalloc(sizeof(*server));
	struct http_server_settings *filled = &server->settings;

	server->loop = loop;
	*filled = *settings;
	filled->connections_max = or_limit(filled->connections_max, LIMIT_CONNECTIONS);
	filled->head_ms = or_limit(filled->head_ms, LIMIT_HEAD_MS);
	filled->body_ms = or_limit(filled->body_ms, LIMIT_BODY_MS);
	filled->idle_ms = or_limit(filled->idle_ms, LIMIT_IDLE_MS);
	filled->write_stall_ms = or_limit(filled->write_stall_ms, LIMIT_WRITE_STALL_MS);
	filled->linger_ms = or_limit(filled->linger_ms, LIMIT_LINGER_MS);
	filled->ping_ms = or_limit(filled->ping_ms, LIMIT_PING_MS);
	filled->silence_ms = or_limit(filled->silence_ms, LIMIT_SILENCE_MS);
	list_init(&server->listeners);
	list_init(&server->connections);
	list_init(&server->websockets);
	loop_later_init(&server->drained_later, on_drained);
	reserve_descriptors(filled->connections_max);
	/* A write to a peer that has left is an error, not the end of the process. */
	signal(SIGPIPE, SIG_IGN);
	randombytes_buf(&server->id_prefix, sizeof(server->id_prefix));
	randombytes_buf(&server->id_counter, sizeof(server->id_counter));
	return server;
}

static void accept_one(struct http_listener *listener)
{
	struct http_server *server = listener->server;
	struct http_socket *socket;

	/* Left with libuv, which then stops accepting until somebody takes it. */
	if (server->socket_count >= server->settings.connections_max) {
		listener->has_waiting = true;
		return;
	}
	listener->has_waiting = false;
	socket = http_socket_accept(server, &listener->uv.stream);
	if (socket)
		http_connection_create(server, &listener->settings, socket);
}

static void on_connection(uv_stream_t *stream, int error)
{
	struct http_listener *listener = stream->data;
	struct http_server *server = listener->server;
	uint64_t now_s = loop_now_ms(server->loop) / 1000;

	if (!error) {
		accept_one(listener);
		return;
	}
	/* Out of descriptors: libuv has closed the waiting connections with one that it keeps. One
	 * line a second says so. */
	if (now_s != server->refused_s)
		log_warn("http", "connection not accepted", LOG_TEXT("error", uv_strerror(error)));
	server->refused_s = now_s;
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct http_listener *listener = handle->data;

	listener->server->listener_count--;
}

static void close_listeners(struct http_server *server)
{
	list_for_each (node, &server->listeners) {
		struct http_listener *listener = container_of(node, struct http_listener, node);

		if (listener->is_open)
			uv_close(&listener->uv.handle, on_listener_closed);
		listener->is_open = false;
		listener->has_waiting = false;
	}
}

static int open_listener(struct http_listener *listener, int fd)
{
	uv_loop_t *uv = &listener->server->loop->uv;
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
		uv_tcp_init(uv, &listener->uv.tcp);
		return UV_EBADF;
	}
	if (address.ss_family == AF_UNIX) {
		uv_pipe_init(uv, &listener->uv.pipe, 0);
		return uv_pipe_open(&listener->uv.pipe, fd);
	}
	uv_tcp_init(uv, &listener->uv.tcp);
	return uv_tcp_open(&listener->uv.tcp, fd);
}

int http_server_listen(struct http_server *server, int fd,
		       const struct http_listener_settings *settings)
{
	struct http_listener *listener = memory_zalloc(sizeof(*listener));
	int error;

	listener->server = server;
	listener->settings = *settings;
	listener->is_open = true;
	server->listener_count++;
	list_append(&server->listeners, &listener->node);
	error = open_listener(listener, fd);
	listener->uv.handle.data = listener;
	if (!error)
		error = uv_listen(&listener->uv.stream, BACKLOG, on_connection);
	if (error) {
		uv_os_fd_t open_fd;

		if (uv_fileno(&listener->uv.handle, &open_fd) != 0)
			close(fd); /* no handle has it */
		listener->is_open = false;
		uv_close(&listener->uv.handle, on_listener_closed);
	}
	return error;
}

void http_server_on_socket_closed(struct http_server *server)
{
	server->socket_count--;
	list_for_each (node, &server->listeners) {
		struct http_listener *listener = container_of(node, struct http_listener, node);

		if (listener->has_waiting)
			accept_one(listener);
	}
}

void http_server_on_connection_gone(struct http_server *server)
{
	server->connection_count--;
	check_drained(server);
}

void http_server_drain(struct http_server *server, void (*drained)(void *context), void *context)
{
	server->is_draining = true;
	server->drained = drained;
	server->drained_context = context;
	close_listeners(server);
	list_for_each (node, &server->connections)
		http_connection_drain(container_of(node, struct http_connection, node));
	check_drained(server);
}

void http_server_close(struct http_server *server)
{
	server->is_draining = true;
	close_listeners(server);
	list_for_each (node, &server->connections)
		http_connection_close(container_of(node, struct http_connection, node));
	list_for_each (node, &server->websockets)
		websocket_drop(container_of(node, struct websocket, node));
}

bool http_server_is_empty(const struct http_server *server)
{
	return server->listener_count == 0 && server->socket_count == 0;
}

void http_server_destroy(struct http_server *server)
{
	require(http_server_is_empty(server));
	loop_later_cancel(&server->drained_later);
	list_for_each (node, &server->listeners)
		free(container_of(node, struct http_listener, node));
	free(server);
}

unsigned http_server_connections(const struct http_server *server)
{
	return server->connection_count;
}

struct str http_server_date(struct http_server *server)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t now = clock_wall_us() / 1000000;
	time_t seconds = now;
	struct tm tm;

	if (now != server->date_s) {
		server->date_s = now;
		gmtime_r(&seconds, &tm);
		/* Not strftime(): its names follow the locale. */
		snprintf(server->date_text, sizeof(server->date_text),
			 "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT", days + tm.tm_wday * 3,
			 (unsigned)tm.tm_mday % 100, months + tm.tm_mon * 3,
			 (unsigned)(tm.tm_year + 1900) % 10000, (unsigned)tm.tm_hour % 100,
			 (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100);
	}
	return (struct str){server->date_text, HTTP_DATE_LENGTH};
}

static void put_hex(uint64_t number, char *text)
{
	for (int i = 15; i >= 0; i--) {
		text[i] = "0123456789abcdef"[number & 15];
		number >>= 4;
	}
}

void http_server_new_id(struct http_server *server, char ret_text[static REQUEST_ID_LENGTH + 1])
{
	/* The finisher of SplitMix64: one to one, so no number comes twice; it hides the count. */
	uint64_t mixed = server->id_counter++;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	mixed ^= mixed >> 31;
	put_hex(server->id_prefix, ret_text);
	put_hex(mixed, ret_text + 16);
	ret_text[REQUEST_ID_LENGTH] = '\0';
}
