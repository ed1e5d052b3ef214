/* A whole server in the process, fed through a unix socket. The first byte of an input says how
 * the rest is cut into writes; the end is sometimes a half-close, sometimes a close. */
#include "base/memory.h"
#include "base/require.h"
#include "http/proxies.h"
#include "http/response.h"
#include "http/router.h"
#include "http/server.h"
#include "http/websocket.h"

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct fuzz {
	struct loop loop;
	struct http_server *server;
	struct later later;
	struct http_request *waiting;
};

static struct fuzz fuzz;

static void respond(struct http_request *request, int status, struct str body)
{
	http_respond(request, &(struct http_response){.status = status,
						      .content_type = STR("text/plain"),
						      .body = body});
}

static void on_body(struct http_request *request, int status)
{
	if (status)
		http_respond_problem(request, status, request->path, STR(""), NULL);
	else
		respond(request, 200, request->body);
}

static void on_text(struct websocket *websocket, struct str text)
{
	websocket_cork(websocket);
	websocket_send_text(websocket, text);
	if (text.length == 3)
		websocket_drop(websocket);
	websocket_uncork(websocket);
}

static void on_binary(struct websocket *websocket, struct str data)
{
	websocket_send_binary(websocket, data);
}

static void on_closed(struct websocket *websocket)
{
	require(websocket_owner(websocket) == &fuzz);
}

static const struct websocket_events events = {
    .on_text = on_text,
    .on_binary = on_binary,
    .on_closed = on_closed,
};

static void on_later(struct later *later)
{
	struct http_request *request = fuzz.waiting;

	(void)later;
	fuzz.waiting = NULL;
	if (request)
		http_request_read_body(request, 100, on_body);
}

static const struct route routes[] = {
    {HTTP_GET, "/", "r"},   {HTTP_POST, "/e", "e"}, {HTTP_POST, "/r", "r"},
    {HTTP_POST, "/l", "l"}, {HTTP_GET, "/w", "w"},  {HTTP_GET, "/p/{a}/{b}", "p"},
};
static const struct route_table table = {routes, array_length(routes)};
static const struct route_table *const tables[] = {&table, NULL};

static void on_request(struct http_request *request, void *context)
{
	struct route_match match;

	(void)context;
	require(request->request_id.length && request->remote_address.length);
	if (router_find(tables, request, &match) != ROUTE_FOUND) {
		http_respond_problem(request, 404, request->path, STR(""), NULL);
		return;
	}
	switch (*(const char *)match.route->data) {
	case 'e':
		respond(request, 200, STR("early"));
		break;
	case 'l':
		if (fuzz.waiting) {
			http_request_read_body(request, 100, on_body);
			break;
		}
		fuzz.waiting = request;
		loop_later(&fuzz.loop, &fuzz.later);
		break;
	case 'w':
		if (websocket_is_handshake(request))
			websocket_accept(request, &events, &fuzz);
		else
			respond(request, 400, STR(""));
		break;
	case 'p':
		respond(request, 200, match.parameters[1]);
		break;
	default:
		http_request_read_body(request, 1000, on_body);
		break;
	}
}

/* Every client is one, so that its fields are read. */
static const struct http_proxies proxies = {.networks = {{.is_unix = true}}, .count = 1};

static int listen_somewhere(struct sockaddr_un *ret_address, socklen_t *ret_length)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	*ret_length = sizeof(sa_family_t);
	require(bind(fd, (struct sockaddr *)ret_address, *ret_length) ==
		0); /* the kernel names it */
	*ret_length = sizeof(*ret_address);
	require(getsockname(fd, (struct sockaddr *)ret_address, ret_length) == 0);
	return fd;
}

static void turn(void)
{
	uv_run(&fuzz.loop.uv, UV_RUN_NOWAIT);
}

static void feed(int fd, const uint8_t *data, size_t size)
{
	size_t piece = size ? 1 + data[0] % 64 : 1;
	char answer[4096];
	size_t sent = 1;

	if (size && data[0] >= 128)
		piece = size;
	while (sent < size) {
		size_t length = size - sent < piece ? size - sent : piece;
		ssize_t result = send(fd, data + sent, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (result <= 0)
			break;
		sent += (size_t)result;
		turn();
		while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
	if (size && data[0] & 64) {
		shutdown(fd, SHUT_WR);
		for (int i = 0; i < 4; i++)
			turn();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd;

	fuzz = (struct fuzz){0};
	require(loop_init(&fuzz.loop) == 0);
	loop_later_init(&fuzz.later, on_later);
	fuzz.server =
	    http_server_create(&fuzz.loop, &(struct http_server_settings){.proxies = &proxies});
	require(http_server_listen(fuzz.server, listen_somewhere(&address, &length),
				   &(struct http_listener_settings){.on_request = on_request}) ==
		0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	require(connect(fd, (struct sockaddr *)&address, length) == 0);
	turn();
	feed(fd, data, size);
	turn();
	close(fd);
	turn();
	http_server_close(fuzz.server);
	while (!http_server_is_empty(fuzz.server) || fuzz.waiting)
		turn();
	turn(); /* what was abandoned last is answered and freed */
	turn();
	http_server_destroy(fuzz.server);
	loop_finish(&fuzz.loop);
	arena_drop_cache();
	return 0;
}
