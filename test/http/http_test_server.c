/* A server with handlers that do what tests need. Prints "port N" (or "unix") on stdout when it
 * listens. SIGTERM drains and ends; SIGINT closes at once and ends.
 *
 * http_test_server [--unix PATH] [--tls CERTIFICATE-AND-KEY] [--log] [--connections N] ... */
#include "http_test_server.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "http/response.h"
#include "http/router.h"
#include "http/server.h"
#include "http/websocket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct loop loop;
static struct http_server *server;
static bool has_admin; /* a second listener, for the operator */
static uv_signal_t on_term, on_int;
static const char *tls_file;
static const struct websocket *says_when_drained; /* sends a message once all its output is taken */
char *big;
struct test_counts counts;

/* Handler that waits: "?ms=N" for this time, otherwise until GET /release. */
struct wait {
	struct deadline deadline;
	struct list node; /* of parked */
	struct http_request *request;
	void (*run)(struct http_request *request);
};

static struct list parked;

void respond_text(struct http_request *request, int status, struct str text)
{
	http_respond(request, &(struct http_response){.status = status,
						      .content_type = STR("text/plain"),
						      .body = text});
}

unsigned long long query_number(struct http_request *request, struct str name)
{
	unsigned long long number = 0;

	return str_to_uint64(http_request_query(request, name), BIG_BYTES_MAX, &number) ? number
											: 0;
}

static void handle_hello(struct http_request *request)
{
	respond_text(request, 200, STR("hello\n"));
}

static void on_echo_body(struct http_request *request, int status)
{
	if (status)
		http_respond_problem(request, &(const struct problem_kind){"a_test", status},
				     STR("no body"), STR(""), NULL);
	else
		respond_text(request, 200, request->body);
}

static void handle_echo(struct http_request *request)
{
	unsigned long long max = query_number(request, STR("max"));

	request->caller = http_request_field(request, STR("x-caller"));
	http_request_read_body(request, max ? max : 4 * 1024 * 1024, on_echo_body);
}

static void handle_early(struct http_request *request)
{
	respond_text(request, 200, STR("early\n"));
}

static void handle_big(struct http_request *request)
{
	respond_text(request, 200, (struct str){big, query_number(request, STR("bytes"))});
}

/* Answers from the request's own memory. */
static void handle_copy(struct http_request *request)
{
	struct str body = {big, query_number(request, STR("bytes"))};

	respond_text(request, 200, arena_copy(&request->arena, body));
}

static void end_wait(struct wait *wait)
{
	struct http_request *request = wait->request;
	void (*run)(struct http_request *) = wait->run;

	list_remove(&wait->node);
	free(wait);
	if (http_request_is_abandoned(request))
		counts.abandoned++;
	run(request);
}

static void on_wait_deadline(struct deadline *deadline)
{
	end_wait(container_of(deadline, struct wait, deadline));
}

static void wait_for(struct http_request *request, void (*run)(struct http_request *request))
{
	struct wait *wait = memory_zalloc(sizeof(*wait));

	wait->request = request;
	wait->run = run;
	list_init(&wait->node);
	deadline_init(&wait->deadline, on_wait_deadline);
	if (http_request_query(request, STR("ms")).data)
		deadline_set(&loop, &wait->deadline, query_number(request, STR("ms")));
	else
		list_append(&parked, &wait->node);
}

static void handle_release(struct http_request *request)
{
	struct list *node;

	while (!list_is_empty(&parked)) {
		node = parked.next;
		end_wait(container_of(node, struct wait, node));
	}
	respond_text(request, 200, STR("released\n"));
}

static void answer_slow(struct http_request *request)
{
	respond_text(request, 200, STR("slow\n"));
}

static void handle_slow(struct http_request *request)
{
	wait_for(request, answer_slow);
}

/* Asks for the body only after a while. */
static void handle_late(struct http_request *request)
{
	wait_for(request, handle_echo);
}

static void on_unwanted_body(struct http_request *request, int status)
{
	/* Never called after the answer; before it, only because the client left. */
	require(status && http_request_is_abandoned(request));
}

/* Asks for the body, and answers before it arrives. */
static void handle_impatient(struct http_request *request)
{
	wait_for(request, answer_slow);
	http_request_read_body(request, 1024 * 1024, on_unwanted_body);
}

static void handle_close(struct http_request *request)
{
	http_respond(request, &(struct http_response){.status = 200, .close = true});
}

static void handle_no_content(struct http_request *request)
{
	respond_text(request, 204, STR("never sent"));
}

static void handle_not_modified(struct http_request *request)
{
	respond_text(request, 304, STR("never sent"));
}

static void handle_fields(struct http_request *request)
{
	struct http_response response = {.status = 200};

	http_response_add(&response, STR("X-One"), STR("1"));
	http_response_add(&response, STR("X-Two"), STR("2"));
	http_respond(request, &response);
}

static void handle_inspect(struct http_request *request)
{
	struct arena *arena = &request->arena;
	struct str text = arena_printf(
	    arena, "method=%.*s\npath=%.*s\nquery=%.*s\nremote=%.*s\nid=%.*s\nbody=%d\n",
	    STR_ARG(request->method_text), STR_ARG(request->path), STR_ARG(request->query),
	    STR_ARG(request->remote_address), STR_ARG(request->request_id), request->has_body);

	for (unsigned i = 0; i < request->field_count; i++)
		text = arena_printf(arena, "%.*s%.*s=[%.*s]\n", STR_ARG(text),
				    STR_ARG(request->fields[i].name),
				    STR_ARG(request->fields[i].value));
	request->log_account = STR("ada");
	request->log_device = STR("kitchen");
	respond_text(request, 200, text);
}

static void handle_stats(struct http_request *request)
{
	size_t resident = 0;
	struct str text;

	uv_resident_set_memory(&resident);
	text =
	    arena_printf(&request->arena,
			 "{\"connections\":%u,\"requests\":%u,\"abandoned\":%u,\"websockets\":%u,"
			 "\"websockets_closed\":%u,\"frames\":%u,\"streams\":%u,"
			 "\"streams_stopped\":%u,\"pieces\":%u,\"resident\":%zu}",
			 http_server_connections(server), counts.requests, counts.abandoned,
			 counts.websockets, counts.websockets_closed, counts.frames, counts.streams,
			 counts.streams_stopped, counts.pieces, resident);
	respond_text(request, 200, text);
}

static void handle_stream_late(struct http_request *request)
{
	wait_for(request, handle_stream);
}

static void handle_events_late(struct http_request *request)
{
	wait_for(request, handle_events);
}

/* Echoes every message; some texts are commands. */
static void on_text(struct websocket *websocket, struct str text)
{
	unsigned long long bytes;

	if (str_equal(text, STR("drop"))) {
		websocket_drop(websocket);
	} else if (str_equal(text, STR("say when drained"))) {
		says_when_drained = websocket;
	} else if (str_starts_with(text, STR("big ")) &&
		   str_to_uint64(str_from_offset(text, 4), BIG_BYTES_MAX, &bytes)) {
		websocket_send_binary(websocket, (struct str){big, bytes});
	} else if (str_equal(text, STR("batch"))) {
		websocket_batch_begin(websocket);
		websocket_send_text(websocket, STR("one"));
		websocket_send_binary(websocket, STR("two"));
		websocket_send_text(websocket, STR("three"));
		websocket_batch_send(websocket);
	} else if (str_equal(text, STR("batch many"))) {
		websocket_batch_begin(websocket);
		for (size_t i = 0; i < 40; i++) {
			websocket_send_text(websocket, (struct str){big, i});
			websocket_send_binary(websocket, (struct str){big, i * 50});
		}
		websocket_batch_send(websocket);
	} else if (str_equal(text, STR("batch and drop"))) {
		websocket_batch_begin(websocket);
		websocket_send_text(websocket, STR("never sent"));
		websocket_drop(websocket);
		websocket_batch_send(websocket);
	} else {
		websocket_send_text(websocket, text);
	}
}

static void on_drained(struct websocket *websocket)
{
	if (says_when_drained != websocket)
		return; /* it belongs to another test, and has just been read */
	websocket_send_text(websocket, STR("drained"));
	says_when_drained = NULL;
}

static void on_binary(struct websocket *websocket, struct str data)
{
	websocket_send_binary(websocket, data);
}

static void on_alive(struct websocket *websocket)
{
	(void)websocket;
	counts.frames++;
}

static void on_websocket_closed(struct websocket *websocket)
{
	require(websocket_owner(websocket) == &counts);
	counts.websockets--;
	counts.websockets_closed++;
}

static const struct websocket_events websocket_events = {
    .on_text = on_text,
    .on_binary = on_binary,
    .on_alive = on_alive,
    .on_drained = on_drained,
    .on_closed = on_websocket_closed,
};

static void handle_websocket(struct http_request *request)
{
	if (!websocket_is_handshake(request))
		http_respond_problem(request, &(const struct problem_kind){"a_test", 400},
				     STR("no handshake"), STR(""), NULL);
	else if (websocket_accept(request, &websocket_events, &counts))
		counts.websockets++;
}

static void handle_websocket_late(struct http_request *request)
{
	wait_for(request, handle_websocket);
}

static void handle_drain(struct http_request *request);

static const struct route routes[] = {
    {HTTP_GET, "/", handle_hello},
    {HTTP_GET, "/hello", handle_hello},
    {HTTP_GET, "/big", handle_big},
    {HTTP_GET, "/copy", handle_copy},
    {HTTP_GET, "/close", handle_close},
    {HTTP_GET, "/drain", handle_drain},
    {HTTP_GET, "/events", handle_events},
    {HTTP_GET, "/events-late", handle_events_late},
    {HTTP_GET, "/fields", handle_fields},
    {HTTP_GET, "/inspect", handle_inspect},
    {HTTP_GET, "/inspect/{name}", handle_inspect},
    {HTTP_GET, "/no-content", handle_no_content},
    {HTTP_GET, "/not-modified", handle_not_modified},
    {HTTP_GET, "/publish", handle_publish},
    {HTTP_GET, "/release", handle_release},
    {HTTP_GET, "/slow", handle_slow},
    {HTTP_GET, "/stats", handle_stats},
    {HTTP_GET, "/stream", handle_stream},
    {HTTP_GET, "/stream-late", handle_stream_late},
    {HTTP_GET, "/ws", handle_websocket},
    {HTTP_GET, "/ws-late", handle_websocket_late},
    {HTTP_POST, "/early", handle_early},
    {HTTP_POST, "/echo", handle_echo},
    {HTTP_POST, "/impatient", handle_impatient},
    {HTTP_POST, "/inspect", handle_inspect},
    {HTTP_POST, "/late", handle_late},
    {HTTP_POST, "/stream", handle_stream},
    {HTTP_PUT, "/echo", handle_echo},
};
static const struct route_table table = {routes, array_length(routes)};
static const struct route_table *const tables[] = {&table, NULL};
static struct router router;

static void on_request(struct http_request *request, void *context)
{
	void (*handle)(struct http_request * request);
	struct http_response base = {0};
	struct route_match match;

	(void)context;
	counts.requests++;
	switch (router_find(&router, request, &match)) {
	case ROUTE_FOUND:
		handle = match.route->data;
		request->log_route = match.route->path;
		handle(request);
		break;
	case ROUTE_METHOD:
		http_response_add(&base, STR("Allow"), match.allow);
		http_respond_problem(request, &(const struct problem_kind){"a_test", 405}, STR(""),
				     STR(""), &base);
		break;
	case ROUTE_UNKNOWN:
		http_respond_problem(request, &(const struct problem_kind){"a_test", 404}, STR(""),
				     STR(""), NULL);
		break;
	}
}

static int open_socket(const char *path)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t length = sizeof(in);
	int fd = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (path) {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
		require(bind(fd, (struct sockaddr *)&un, sizeof(un)) == 0);
		printf("unix\n");
	} else {
		require(bind(fd, (struct sockaddr *)&in, sizeof(in)) == 0);
		require(getsockname(fd, (struct sockaddr *)&in, &length) == 0);
		printf("port %u\n", ntohs(in.sin_port));
	}
	return fd;
}

static void close_all(void *context)
{
	(void)context;
	http_server_close(server); /* closes the remaining WebSockets */
	uv_close((uv_handle_t *)&on_term, NULL);
	uv_close((uv_handle_t *)&on_int, NULL);
}

/* Stops the process before it drains, so that clients can send bytes that the loop has not read. */
static void handle_drain(struct http_request *request)
{
	raise(SIGSTOP);
	http_server_drain(server, close_all, NULL);
	respond_text(request, 200, STR("draining\n"));
}

static void on_signal(uv_signal_t *handle, int number)
{
	(void)handle;
	if (number == SIGTERM)
		http_server_drain(server, close_all, NULL);
	else
		close_all(NULL);
}

static const char *parse_options(int argc, char **argv, struct http_server_settings *settings)
{
	const struct {
		const char *name;
		unsigned *value;
	} numbers[] = {
	    {"--connections", &settings->connections_max},
	    {"--head-ms", &settings->head_ms},
	    {"--body-ms", &settings->body_ms},
	    {"--bodies-bytes", &settings->bodies_bytes},
	    {"--idle-ms", &settings->idle_ms},
	    {"--write-stall-ms", &settings->write_stall_ms},
	    {"--linger-ms", &settings->linger_ms},
	    {"--ping-ms", &settings->ping_ms},
	    {"--silence-ms", &settings->silence_ms},
	    {"--pending-bytes", &settings->pending_bytes},
	};
	const char *path = NULL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--log") == 0)
			settings->access_log = true;
		else if (strcmp(argv[i], "--unix") == 0 && i + 1 < argc)
			path = argv[++i];
		else if (strcmp(argv[i], "--admin") == 0)
			has_admin = true;
		else if (strcmp(argv[i], "--tls") == 0 && i + 1 < argc)
			tls_file = argv[++i];
		for (size_t n = 0; n < array_length(numbers) && i + 1 < argc; n++)
			if (strcmp(argv[i], numbers[n].name) == 0)
				*numbers[n].value = (unsigned)strtoul(argv[i + 1], NULL, 10);
	}
	return path;
}

int main(int argc, char **argv)
{
	const struct http_listener_settings admin = {.role = HTTP_ROLE_ADMIN,
						     .on_request = on_request};
	struct http_listener_settings listener = {.on_request = on_request};
	struct test_tls tls = {0};
	struct http_server_settings settings = {0};
	const char *path = parse_options(argc, argv, &settings);

	list_init(&parked);
	router_init(&router, tables, NULL);
	big = memory_alloc(BIG_BYTES_MAX);
	for (size_t i = 0; i < BIG_BYTES_MAX; i++)
		big[i] = (char)('0' + i % 10);
	require(loop_init(&loop) == 0);
	if (tls_file)
		test_tls_start(&tls, tls_file, &loop, &listener);
	server = http_server_create(&loop, &settings);
	uv_signal_init(&loop.uv, &on_term);
	uv_signal_init(&loop.uv, &on_int);
	uv_signal_start(&on_term, on_signal, SIGTERM);
	uv_signal_start(&on_int, on_signal, SIGINT);
	require(http_server_listen(server, open_socket(path), &listener) == 0);
	if (has_admin)
		require(http_server_listen(server, open_socket(NULL), &admin) == 0);
	fflush(stdout);
	loop_run(&loop);
	http_server_destroy(server);
	test_tls_finish(&tls, &loop);
	loop_finish(&loop);
	arena_drop_cache();
	free(big);
	return 0;
}
