/* The bridge to MQTT: the one process that connects accounts to their brokers. Whoever starts it
 * holds the other end of the socket at descriptor 3, and sends sockets over it, one a message
 * (SCM_RIGHTS): the links of workers (bridge.h). It ends with the socket at descriptor 3.
 *
 *   mqtt [--allow CIDR]... [--certificates FILE] */
#include "account.h"
#include "bridge.h"

#include <curl/curl.h>
#include <malloc.h>
#include <mosquitto.h>
#include <sandboxed/budget.h>
#include <sandboxed/inside.h>
#include <sandboxed/tls_once.h>
#include <stdio.h>
#include <string.h>

enum { HANGS_S = 4 };

static void main_run(struct bridge *bridge)
{
	bool has_control = true;
	int link;

	while (has_control) {
		bool is_called;

		inside_watch(0);
		is_called = bridge_wait(bridge, INSIDE_LINK);
		inside_watch(HANGS_S); /* nothing of this thread waits */
		bridge_run(bridge);
		if (!is_called)
			continue;
		has_control = inside_receive_socket(&link);
		if (link >= 0)
			bridge_add(bridge, link);
	}
}

int main(int argc, char **argv)
{
	static struct network_list allowed;
	const char *certificates = NULL;
	char library[64], hello[INSIDE_HELLO_BYTES];
	int status = inside_begin("mqtt", argc, argv, &allowed, &certificates);
	int major, minor, revision;
	struct bridge *bridge;

	if (status != 0)
		return status;
	mallopt(M_ARENA_MAX, 2);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || mosquitto_lib_init() != 0 ||
	    !tls_once())
		return inside_fail("mqtt", "cannot start libcurl, libmosquitto or OpenSSL", NULL);
	budget_set_spare(CONNECTION_BYTES_SPARE);
	mosquitto_lib_version(&major, &minor, &revision);
	snprintf(library, sizeof(library), "libmosquitto %d.%d.%d", major, minor, revision);
	status = inside_restrict(SANDBOX_NETWORK, "MQTT", library, hello);
	if (status < 0)
		return inside_fail("mqtt", "cannot enter its sandbox", strerror(-status));
	bridge = bridge_create(&allowed, certificates, hello);
	if (!bridge)
		return inside_fail("mqtt", "has no memory", NULL);
	main_run(bridge);
	bridge_destroy(bridge);
	/* Threads may still disconnect from their brokers; the process does not wait for them. */
	return 0;
}
