#include "bridge.h"

#include "connection.h"
#include "link.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FIXED_FDS = 2 };

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

bool bridge_wait(struct bridge *bridge, int control)
{
	unsigned count = FIXED_FDS;

	bridge->fds[0] = (struct pollfd){.fd = control, .events = POLLIN};
	bridge->fds[1] = (struct pollfd){.fd = bridge->bell, .events = POLLIN};
	for (const struct link *link = bridge->links; link; link = link->next)
		bridge->fds[count++] =
		    (struct pollfd){.fd = link->socket,
				    .events = (short)(POLLIN | (link->out.length ? POLLOUT : 0))};
	if (poll(bridge->fds, count, -1) < 0)
		return false;
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
	struct held *held;

	held = has_room(bridge) ? memory_take(sizeof(*held)) : NULL;
	if (!held) {
		bridge_refuse(link, account ? account : "", why);
		yyjson_doc_free(doc);
		return;
	}
	snprintf(name, sizeof(name), "%s", account ? account : "");
	held->link = link;
	held->connection =
	    connection_start(doc, bridge->allowed, bridge->certificates, bridge->bell, &why);
	if (!held->connection) {
		bridge_refuse(link, name, why);
		free(held);
		return;
	}
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

/* A thread that looks up a name is not waited for: the process ends. */
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
