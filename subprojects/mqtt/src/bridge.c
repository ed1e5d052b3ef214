#include "bridge.h"

#include "connection.h"
#include "link.h"
#include "loop.h"

#include <poll.h>
#include <sandboxed/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FIXED_FDS = 2, WATCH_MS = 2000, STILL_MAX = 10 };

struct held {
	struct held *next;
	struct link *link; /* NULL: the link is gone, and the connection ends */
	struct connection *connection;
	bool is_ending;
};

struct bridge {
	const struct network_list *allowed;
	const char *certificates, *hello;
	int bell;
	struct link *links;
	unsigned link_count;
	struct held *held;
	unsigned held_count;
	struct loop *loops[LOOPS_MAX];
	unsigned loop_count;
	int64_t watch_ms;	   /* time of the next watch */
	unsigned turns[LOOPS_MAX]; /* of the loops at the last watch */
	unsigned still_count;	   /* watches in a row that have found a loop without a turn */
	struct pollfd fds[BRIDGE_LINKS_MAX + FIXED_FDS];
};

struct bridge *bridge_create(const struct network_list *allowed, const char *certificates,
			     const char *hello)
{
	struct bridge *bridge = memory_take(sizeof(*bridge));

	if (!bridge)
		return NULL;
	bridge->allowed = allowed;
	bridge->certificates = certificates;
	bridge->hello = hello;
	bridge->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bridge->bell >= 0)
		return bridge;
	free(bridge);
	return NULL;
}

void bridge_add(struct bridge *bridge, int socket)
{
	struct link *link;

	if (bridge->link_count == BRIDGE_LINKS_MAX) {
		close(socket);
		return;
	}
	link = link_create(socket);
	if (!link)
		return;
	link->next = bridge->links;
	bridge->links = link;
	bridge->link_count++;
	link_say(link, bridge->hello, strlen(bridge->hello));
	link_say(link, "\n", 1);
}

/* Counts its own watches, not time: after a pause of the machine loops are not late. */
static void watch_loops(struct bridge *bridge)
{
	int64_t now_ms = clock_ms();
	bool is_still = false;

	if (now_ms < bridge->watch_ms)
		return;
	bridge->watch_ms = now_ms + WATCH_MS;
	for (unsigned i = 0; i < bridge->loop_count; i++) {
		unsigned turns = loop_turn_count(bridge->loops[i]);

		is_still |= turns == bridge->turns[i];
		bridge->turns[i] = turns;
	}
	bridge->still_count = is_still ? bridge->still_count + 1 : 0;
	if (bridge->still_count >= STILL_MAX)
		abort();
}

/* Returns the loop for the next connection, or NULL if there is none. */
static struct loop *choose_loop(struct bridge *bridge)
{
	struct loop *least = NULL;

	for (unsigned i = 0; i < bridge->loop_count; i++)
		if (!least ||
		    loop_connection_count(bridge->loops[i]) < loop_connection_count(least))
			least = bridge->loops[i];
	if (bridge->loop_count < LOOPS_MAX && (!least || loop_connection_count(least))) {
		struct loop *more = loop_start();

		if (!more)
			return least;
		bridge->loops[bridge->loop_count++] = least = more;
	}
	return least;
}

bool bridge_wait(struct bridge *bridge, int control)
{
	unsigned count = FIXED_FDS;

	bridge->fds[0] = (struct pollfd){.fd = control, .events = POLLIN};
	bridge->fds[1] = (struct pollfd){.fd = bridge->bell, .events = POLLIN};
	for (const struct link *link = bridge->links; link; link = link->next)
		bridge->fds[count++] =
		    (struct pollfd){.fd = link->socket,
				    .events = (short)(POLLIN | (link->out.length ? POLLOUT : 0))};
	if (poll(bridge->fds, count, bridge->loop_count ? WATCH_MS : -1) < 0)
		return false;
	watch_loops(bridge);
	return bridge->fds[0].revents != 0;
}

/* ---- words of workers ---- */

static void bridge_refuse(struct link *link, const char *account, const char *why)
{
	char line[256];
	int length = snprintf(line, sizeof(line),
			      "{\"state\":{\"account\":\"%.36s\",\"error\":\"%s\"}}\n"
			      "{\"gone\":\"%.36s\"}\n",
			      account, why, account);

	link_say(link, line, (size_t)length);
}

static bool has_room(const struct bridge *bridge)
{
	unsigned open = 0;

	for (const struct held *held = bridge->held; held; held = held->next)
		open += !held->is_ending;
	return open < BRIDGE_CONNECTIONS_MAX &&
	       bridge->held_count < BRIDGE_CONNECTIONS_MAX + BRIDGE_ENDING_MAX;
}

/* Takes ownership of the document. */
static void open_connection(struct bridge *bridge, struct link *link, yyjson_doc *doc)
{
	yyjson_val *opened = yyjson_obj_get(yyjson_doc_get_root(doc), "open");
	const char *account = yyjson_get_str(yyjson_obj_get(opened, "account"));
	const char *why = "too many connections are open";
	char name[CONNECTION_ACCOUNT_BYTES];
	struct loop *loop = has_room(bridge) ? choose_loop(bridge) : NULL;
	struct held *held = loop ? memory_take(sizeof(*held)) : NULL;

	if (!held) {
		bridge_refuse(link, account ? account : "", why);
		yyjson_doc_free(doc);
		return;
	}
	snprintf(name, sizeof(name), "%s", account ? account : "");
	held->link = link;
	held->connection =
	    connection_create(doc, bridge->allowed, bridge->certificates, bridge->bell, &why);
	if (!held->connection) {
		bridge_refuse(link, name, why);
		free(held);
		return;
	}
	loop_add(loop, held->connection);
	held->next = bridge->held;
	bridge->held = held;
	bridge->held_count++;
}

static struct held *bridge_find(const struct bridge *bridge, const struct link *link,
				const char *account)
{
	struct held *held = bridge->held;

	while (held && (held->link != link || held->is_ending ||
			strcmp(held->connection->account, account) != 0))
		held = held->next;
	return held;
}

static void stop(struct held *held, bool must_forget)
{
	held->is_ending = true;
	connection_stop(held->connection, must_forget);
}

static void close_connection(struct bridge *bridge, struct link *link, const char *account,
			     bool must_forget)
{
	struct held *held = bridge_find(bridge, link, account);

	if (held)
		stop(held, must_forget);
}

static void add_socket(struct bridge *bridge, struct link *link, const char *account)
{
	struct held *held = bridge_find(bridge, link, account);
	int socket = link_take_socket(link);

	if (held && socket >= 0)
		connection_add_socket(held->connection, socket);
	else if (socket >= 0)
		close(socket);
}

static void take_line(struct bridge *bridge, struct link *link, const char *line)
{
	yyjson_doc *doc = yyjson_read(line, strlen(line), 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *closed = yyjson_get_str(yyjson_obj_get(root, "close"));
	const char *account = yyjson_get_str(yyjson_obj_get(root, "socket"));

	if (yyjson_obj_get(root, "open")) {
		open_connection(bridge, link, doc);
		return;
	}
	if (closed)
		close_connection(bridge, link, closed,
				 yyjson_get_bool(yyjson_obj_get(root, "forget")));
	else if (account)
		add_socket(bridge, link, account);
	else
		link->is_gone = true;
	yyjson_doc_free(doc);
}

/* ---- what there is to do ---- */

static void run_links(struct bridge *bridge)
{
	for (struct link *link = bridge->links; link; link = link->next) {
		char *line;

		link_read(link);
		while (!link->is_gone && (line = link_next(link))) {
			take_line(bridge, link, line);
			free(line);
		}
	}
}

static void run_connections(struct bridge *bridge)
{
	uint64_t times;

	(void)!read(bridge->bell, &times, sizeof(times));
	for (struct held **at = &bridge->held; *at;) {
		struct held *held = *at;
		struct bytes told = {0};
		bool is_over = connection_take(held->connection, &told);

		if (held->link && !held->link->is_gone)
			link_say(held->link, told.data, told.length);
		bytes_finish(&told);
		if (!is_over) {
			at = &held->next;
			continue;
		}
		*at = held->next;
		bridge->held_count--;
		connection_destroy(held->connection);
		free(held);
	}
}

static void drop_gone(struct bridge *bridge)
{
	for (struct link **at = &bridge->links; *at;) {
		struct link *link = *at;

		if (!link->is_gone) {
			link_write(link);
			at = &link->next;
			continue;
		}
		*at = link->next;
		bridge->link_count--;
		for (struct held *held = bridge->held; held; held = held->next) {
			if (held->link != link)
				continue;
			stop(held, false);
			held->link = NULL;
		}
		link_destroy(link);
	}
}

void bridge_run(struct bridge *bridge)
{
	run_links(bridge);
	run_connections(bridge);
	drop_gone(bridge);
}

/* Threads are not waited for: the process ends. */
void bridge_destroy(struct bridge *bridge)
{
	for (struct held *held = bridge->held; held; held = held->next)
		stop(held, false);
	while (bridge->links) {
		struct link *link = bridge->links;

		bridge->links = link->next;
		link_destroy(link);
	}
}
