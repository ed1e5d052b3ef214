/* The egress: the one process through which apps reach the internet. Whoever starts it holds the
 * other end of the socket at descriptor 3, and sends sockets over it, one a message (SCM_RIGHTS).
 * On each of them a client sends requests and gets answers (client.h). It ends with the socket at
 * descriptor 3.
 *
 *   egress [--allow CIDR]... [--certificates FILE] */
#include "desk.h"

#include <curl/curl.h>
#include <sandboxed/inside.h>
#include <sandboxed/tls_once.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HANGS_S = 4, CLIENTS_MAX = 256 };

struct egress {
	struct desk *desk;
	struct client *clients;
	unsigned client_count;
	size_t out_total; /* bytes that wait to be sent to all clients */
	bool has_control;
	char hello[INSIDE_HELLO_BYTES];
};

static void accept_client(struct egress *egress)
{
	struct client *client;
	int link;

	egress->has_control = inside_receive_socket(&link);
	if (link < 0)
		return;
	if (egress->client_count == CLIENTS_MAX) {
		close(link);
		return;
	}
	client = client_create(link, egress->hello, &egress->out_total);
	if (!client)
		return;
	client->next = egress->clients;
	egress->clients = client;
	egress->client_count++;
}

static void drop_gone(struct egress *egress)
{
	for (struct client **at = &egress->clients; *at;) {
		struct client *client = *at;

		if (client->is_gone) {
			*at = client->next;
			egress->client_count--;
			desk_forget(egress->desk, client);
			client_destroy(client);
		} else {
			at = &client->next;
		}
	}
}

static unsigned list_sockets(const struct egress *egress, struct pollfd *fds)
{
	unsigned count = 0;

	fds[count++] = (struct pollfd){.fd = INSIDE_LINK, .events = POLLIN};
	for (const struct client *client = egress->clients; client; client = client->next)
		fds[count++] =
		    (struct pollfd){.fd = client->link,
				    .events = (short)((client_wants_input(client) ? POLLIN : 0) |
						      (client->out.length > 0 ? POLLOUT : 0))};
	return count;
}

static void run(struct egress *egress)
{
	struct pollfd fds[CLIENTS_MAX + 1 + DESK_FDS_MAX];

	while (egress->has_control) {
		unsigned count = list_sockets(egress, fds), i = 1;

		inside_watch(0);
		desk_wait(egress->desk, fds, count, egress->clients);
		inside_watch(HANGS_S); /* nothing here waits; the parent starts another egress */
		for (struct client *client = egress->clients; client; client = client->next, i++) {
			/* Read for any reported event: reading finds out that the client is gone.
			 * poll() reports that even if it was not asked for. */
			if (fds[i].revents && client_wants_input(client))
				client_read(client);
			else if (fds[i].revents & ~fds[i].events)
				client->is_gone = true;
			desk_take(egress->desk, client);
		}
		desk_run(egress->desk);
		for (struct client *client = egress->clients; client; client = client->next)
			client_write(client);
		drop_gone(egress);
		if (fds[0].revents)
			accept_client(egress);
	}
}

int main(int argc, char **argv)
{
	static struct network_list allowed;
	const char *certificates = NULL;
	struct egress egress = {.has_control = true};
	char library[64];
	int status = inside_begin("egress", argc, argv, &allowed, &certificates);

	if (status != 0)
		return status;
	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !tls_once())
		return inside_fail("egress", "cannot start libcurl or OpenSSL", NULL);
	egress.desk = desk_create(&allowed, certificates);
	if (!egress.desk)
		return inside_fail("egress", "has no memory", NULL);
	snprintf(library, sizeof(library), "libcurl %s",
		 curl_version_info(CURLVERSION_NOW)->version);
	status = inside_restrict(SANDBOX_NETWORK, "EGRESS", library, egress.hello);
	if (status < 0)
		return inside_fail("egress", "cannot enter its sandbox", strerror(-status));
	run(&egress);
	while (egress.clients) {
		egress.clients->is_gone = true;
		drop_gone(&egress);
	}
	desk_destroy(egress.desk);
	curl_global_cleanup();
	return 0;
}
