/* A whole server in the process, fed through a Unix socket. The first byte of an input decides
 * how the rest is cut into writes; the end is sometimes a half-close, sometimes a close. */
#include "base/require.h"
#include "fed_server.h"
#include "http/proxies.h"
#include "http/response.h"
#include "http/router.h"
#include "http/websocket.h"

#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

struct fuzz {
	struct fed_server fed;
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
		http_respond_problem(request, &(const struct problem_kind){"a_test", status},
				     request->path, STR(""), NULL);
	else
		respond(request, 200, request->body);
}

static void on_text(struct websocket *websocket, struct str text)
{
	websocket_batch_begin(websocket);
	websocket_send_text(websocket, text);
	if (text.length == 3)
		websocket_drop(websocket);
	websocket_batch_send(websocket);
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
static struct router router;

static void on_request(struct http_request *request, void *context)
{
	struct route_match match;

	(void)context;
	require(request->request_id.length && request->remote_address.length);
	if (router_find(&router, request, &match) != ROUTE_FOUND) {
		http_respond_problem(request, &(const struct problem_kind){"a_test", 404},
				     request->path, STR(""), NULL);
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
		loop_later(&fuzz.fed.loop, &fuzz.later);
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

/* Every client counts as a proxy, so that its fields are read. */
static const struct http_proxies proxies = {.networks = {{.is_unix = true}}, .count = 1};

static void feed(int fd, const uint8_t *data, size_t size)
{
	bool is_cut = data[0] < 128;

	fed_server_feed(&fuzz.fed, fd, data + 1, size - 1, is_cut ? 1u + data[0] % 64 : size);
	if (data[0] & 64) {
		shutdown(fd, SHUT_WR);
		for (int i = 0; i < 4; i++)
			fed_server_turn(&fuzz.fed);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	fuzz = (struct fuzz){0};
	router_init(&router, tables, NULL);
	loop_later_init(&fuzz.later, on_later);
	fed_server_begin(&fuzz.fed, &(struct http_server_settings){.proxies = &proxies},
			 &(struct http_listener_settings){.on_request = on_request});
	fd = fed_server_connect(&fuzz.fed);
	if (size)
		feed(fd, data, size);
	fed_server_turn(&fuzz.fed);
	close(fd);
	fed_server_turn(&fuzz.fed);
	fed_server_close(&fuzz.fed);
	while (fuzz.waiting)
		fed_server_turn(&fuzz.fed);
	fed_server_finish(&fuzz.fed);
	return 0;
}
