/* open_loop - sends requests to a server at a fixed rate, as many independent callers do.
 *
 * A load generator that sends its next request when the last one was answered (wrk, ab) sends less
 * while the server is slow: requests that were not sent are not slow, and the percentiles look
 * better than the latency that callers see. This is known as coordinated omission. Here request
 * number i is due at start + i / rate, whatever the server does, and its latency is counted from
 * that moment. If all connections are busy, it waits for one, and the waiting counts. A request
 * without an answer counts with the time until it was given up. */
#include "open_loop.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/require.h"

#include <errno.h>
#include <fcntl.h>
#include <llhttp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	DRAIN_US = 10 * 1000 * 1000, /* how long to wait for answers at the end */
	CONNECTS_FAILED_MAX = 1000,  /* without a success in between: the server is gone */
	EVENTS = 256,
	OPEN_LOOP_STATUS_MAX = 600,
};

/* Results of the requests that count: those after the warm-up. */
struct outcome {
	uint64_t first;	      /* number of the first request after the warm-up */
	uint64_t total;	      /* numbers go up to here, exclusive */
	uint32_t *latency_us; /* of each request: from its due time to the end of its answer */
	uint64_t count;	      /* number of latencies */
	uint64_t statuses[OPEN_LOOP_STATUS_MAX];
	uint64_t broken;     /* the connection ended before the answer did, or the answer was no
				HTTP */
	uint64_t unanswered; /* without an answer even some seconds after the end */
	double seconds;	     /* from the first counted request to the last answer */
};

struct client;

struct connection {
	struct list node; /* in client.free while it is connected and idle */
	struct client *client;
	int fd;
	bool is_connected;
	bool is_asking;
	uint64_t number; /* number of the request */
	size_t sent;	 /* sent bytes of the request */
	llhttp_t parser;
};

struct client {
	const struct plan *plan;
	struct outcome outcome;
	struct connection *connections;
	struct list free;
	llhttp_settings_t callbacks;
	int epoll;
	uint64_t start_us;
	uint64_t now_us;
	uint64_t next;	   /* number of the next request to send */
	uint64_t finished; /* number of requests that are answered or given up */
	unsigned connects_failed;
};

static uint64_t due_us(const struct client *client, uint64_t number)
{
	return client->start_us + (uint64_t)((double)number * 1e6 / client->plan->rate);
}

static void note(struct client *client, uint64_t number)
{
	struct outcome *outcome = &client->outcome;

	if (number >= outcome->first)
		outcome->latency_us[number - outcome->first] =
		    (uint32_t)(client->now_us - due_us(client, number));
}

static void open_socket(struct connection *connection);

static void finish_request(struct connection *connection, uint64_t *counter)
{
	struct client *client = connection->client;

	connection->is_asking = false;
	client->finished++;
	note(client, connection->number);
	if (connection->number >= client->outcome.first)
		(*counter)++;
}

static void break_off(struct connection *connection)
{
	struct client *client = connection->client;

	if (!connection->is_connected && ++client->connects_failed > CONNECTS_FAILED_MAX) {
		fprintf(stderr, "open_loop: no connection to the server\n");
		exit(1);
	}
	if (connection->is_asking)
		finish_request(connection, &client->outcome.broken);
	list_remove(&connection->node);
	close(connection->fd);
	open_socket(connection);
}

static void send_request(struct connection *connection)
{
	const struct plan *plan = connection->client->plan;
	struct str request = plan->requests[connection->number % plan->request_count];
	ssize_t sent;

	if (connection->sent == request.length)
		return;
	sent = write(connection->fd, request.data + connection->sent,
		     request.length - connection->sent);
	if (sent >= 0)
		connection->sent += (size_t)sent;
	else if (errno != EAGAIN)
		break_off(connection);
}

static void begin_request(struct connection *connection, uint64_t number)
{
	connection->is_asking = true;
	connection->number = number;
	connection->sent = 0;
	send_request(connection);
}

static int on_message_complete(llhttp_t *parser)
{
	struct connection *connection = parser->data;
	unsigned status = (unsigned)llhttp_get_status_code(parser);

	if (!connection->is_asking || status < 200 || status >= OPEN_LOOP_STATUS_MAX)
		return HPE_USER;
	finish_request(connection, &connection->client->outcome.statuses[status]);
	if (llhttp_should_keep_alive(parser))
		list_append(&connection->client->free, &connection->node);
	return 0;
}

static void receive(struct connection *connection)
{
	static char data[256 * 1024];
	ssize_t size;

	do {
		size = read(connection->fd, data, sizeof(data));
		if (size < 0 && errno == EAGAIN)
			return;
		if (size <= 0 ||
		    llhttp_execute(&connection->parser, data, (size_t)size) != HPE_OK ||
		    (!connection->is_asking && !list_is_linked(&connection->node))) {
			break_off(connection);
			return;
		}
	} while (size == sizeof(data));
}

static void on_event(struct connection *connection, uint32_t events)
{
	struct client *client = connection->client;

	if (!connection->is_connected) {
		int error = 0;
		socklen_t size = sizeof(error);

		getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error || events & (EPOLLERR | EPOLLHUP)) {
			break_off(connection);
			return;
		}
		connection->is_connected = true;
		client->connects_failed = 0;
		list_append(&client->free, &connection->node);
		return;
	}
	if (events & EPOLLOUT && connection->is_asking)
		send_request(connection);
	if (events & ~(uint32_t)EPOLLOUT && connection->is_connected)
		receive(connection);
}

static void open_socket(struct connection *connection)
{
	struct client *client = connection->client;
	const struct addrinfo *address = client->plan->address;
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
				    .data.ptr = connection};
	int one = 1;

	connection->is_connected = false;
	llhttp_init(&connection->parser, HTTP_RESPONSE, &client->callbacks);
	connection->parser.data = connection;
	connection->fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (connection->fd < 0) {
		perror("open_loop: socket");
		exit(1);
	}
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	/* The first event reports a failure. */
	(void)connect(connection->fd, address->ai_addr, address->ai_addrlen);
	require(epoll_ctl(client->epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0);
}

static void send_what_is_due(struct client *client)
{
	struct list *node;

	while (client->next < client->outcome.total &&
	       due_us(client, client->next) <= client->now_us &&
	       (node = list_take_first(&client->free)))
		begin_request(container_of(node, struct connection, node), client->next++);
}

/* Returns the time until the next request is due; if none can be sent, waits for events. */
static struct timespec pause_of(const struct client *client)
{
	uint64_t until_us = client->now_us + 100 * 1000;

	if (client->next < client->outcome.total && !list_is_empty(&client->free) &&
	    due_us(client, client->next) < until_us)
		until_us = due_us(client, client->next);
	if (until_us <= client->now_us)
		return (struct timespec){0};
	until_us -= client->now_us;
	return (struct timespec){(time_t)(until_us / 1000000), (long)(until_us % 1000000) * 1000};
}

static void turn(struct client *client)
{
	struct epoll_event events[EVENTS];
	struct timespec pause = pause_of(client);
	int count = epoll_pwait2(client->epoll, events, EVENTS, &pause, NULL);

	client->now_us = clock_monotonic_us();
	for (int i = 0; i < count; i++)
		on_event(events[i].data.ptr, events[i].events);
	send_what_is_due(client);
}

static void give_up_the_rest(struct client *client)
{
	for (unsigned i = 0; i < client->plan->connections; i++) {
		struct connection *connection = &client->connections[i];

		if (connection->is_asking)
			finish_request(connection, &client->outcome.unanswered);
	}
	for (; client->next < client->outcome.total; client->next++) {
		note(client, client->next);
		client->outcome.unanswered += client->next >= client->outcome.first;
	}
}

static void connect_all(struct client *client)
{
	for (unsigned i = 0; i < client->plan->connections; i++) {
		struct connection *connection = &client->connections[i];

		connection->client = client;
		list_init(&connection->node);
		open_socket(connection);
	}
	client->start_us = UINT64_MAX / 2; /* nothing is due yet */
	for (unsigned waited = 0; waited < 50; waited++) {
		unsigned connected = 0;

		turn(client);
		for (unsigned i = 0; i < client->plan->connections; i++)
			connected += client->connections[i].is_connected;
		if (connected == client->plan->connections)
			break;
	}
}

static void prepare(struct client *client, const struct plan *plan)
{
	struct outcome *outcome = &client->outcome;

	client->plan = plan;
	outcome->first = (uint64_t)(plan->warm_up_seconds * plan->rate);
	outcome->total = outcome->first + (uint64_t)(plan->seconds * plan->rate);
	outcome->count = outcome->total - outcome->first;
	outcome->latency_us = memory_zalloc((outcome->count + 1) * sizeof(uint32_t));
	client->connections = memory_zalloc(plan->connections * sizeof(*client->connections));
	list_init(&client->free);
	llhttp_settings_init(&client->callbacks);
	client->callbacks.on_message_complete = on_message_complete;
	client->epoll = epoll_create1(EPOLL_CLOEXEC);
	require(client->epoll >= 0);
	/* Sleep no longer than requested. */
	prctl(PR_SET_TIMERSLACK, 1);
}

static struct outcome open_loop_run(const struct plan *plan)
{
	struct client client = {0};

	prepare(&client, plan);
	connect_all(&client);
	client.now_us = clock_monotonic_us();
	client.start_us = client.now_us + 1000;
	while (client.finished < client.outcome.total &&
	       client.now_us < due_us(&client, client.outcome.total) + DRAIN_US) {
		turn(&client);
	}
	client.outcome.seconds =
	    (double)(client.now_us - due_us(&client, client.outcome.first)) / 1e6;
	give_up_the_rest(&client);
	return client.outcome;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* Returns a percentile; values must be sorted. */
static unsigned at(const uint32_t *values, uint64_t count, double share)
{
	uint64_t index = (uint64_t)(share * (double)count);

	if (count == 0)
		return 0;
	return values[index < count ? index : count - 1];
}

/* Prints the results as a line of JSON. */
static void report(const struct outcome *o)
{
	uint64_t answered = o->count - o->broken - o->unanswered;
	const char *separator = "";

	qsort(o->latency_us, o->count, sizeof(uint32_t), compare);
	printf("{\"requests\": %llu, \"seconds\": %.3f, \"rate\": %.1f, \"statuses\": {",
	       (unsigned long long)o->count, o->seconds,
	       o->seconds > 0 ? (double)answered / o->seconds : 0);
	for (unsigned status = 0; status < OPEN_LOOP_STATUS_MAX; status++) {
		if (!o->statuses[status])
			continue;
		printf("%s\"%u\": %llu", separator, status,
		       (unsigned long long)o->statuses[status]);
		separator = ", ";
	}
	printf("}, \"broken\": %llu, \"unanswered\": %llu, \"p50_us\": %u, \"p99_us\": %u, "
	       "\"p999_us\": %u, \"max_us\": %u}\n",
	       (unsigned long long)o->broken, (unsigned long long)o->unanswered,
	       at(o->latency_us, o->count, 0.5), at(o->latency_us, o->count, 0.99),
	       at(o->latency_us, o->count, 0.999), at(o->latency_us, o->count, 1));
}

int main(int argc, char **argv)
{
	struct plan plan = plan_read(argc, argv);
	struct outcome outcome = open_loop_run(&plan);

	report(&outcome);
	return outcome.broken || outcome.unanswered ? 1 : 0;
}
