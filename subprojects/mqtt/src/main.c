/* The bridge to MQTT: the one process that connects accounts to their brokers. Whoever starts it
 * holds the other end of the socket at descriptor 3, and sends sockets over it, one a message
 * (SCM_RIGHTS): the links of workers (bridge.h). It ends with the socket at descriptor 3.
 *
 *   mqtt [--allow CIDR]... [--certificates FILE] */
#include "bridge.h"
#include "networked/options.h"
#include "networked/seal.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <mosquitto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { HANGS_S = 4, CONTROL = 3, HELLO_MAX = 512 };

/* Ends the process by SIGALRM after so many seconds; 0: never. */
static void set_alarm(unsigned seconds)
{
	struct itimerval timer = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void run(struct bridge *bridge)
{
	bool has_control = true;
	int link;

	while (has_control) {
		bool is_called;

		set_alarm(0);
		is_called = bridge_wait(bridge, CONTROL);
		set_alarm(HANGS_S); /* nothing of this thread waits */
		bridge_run(bridge);
		if (!is_called)
			continue;
		has_control = networked_receive_socket(CONTROL, &link);
		if (link >= 0)
			bridge_add(bridge, link);
	}
}

int main(int argc, char **argv)
{
	static struct address_list allowed;
	const char *certificates = NULL;
	char layers[200], hello[HELLO_MAX];
	int status = networked_read_options("mqtt", argc, argv, &allowed, &certificates);
	int major, minor, revision;
	struct bridge *bridge;
	struct stat about;

	if (status != 0)
		return status;
	if (fstat(CONTROL, &about) != 0)
		return networked_fail(
		    "mqtt", "is started by displayd, with a socket at descriptor 3", NULL);
	signal(SIGPIPE, SIG_IGN);
	/* A silent name server has its thread for 10 s (resolv.conf(5)). */
	setenv("RES_OPTIONS", "timeout:2 attempts:2", 1);
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	mallopt(M_ARENA_MAX, 2);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || mosquitto_lib_init() != 0)
		return networked_fail("mqtt", "cannot start libcurl or libmosquitto", NULL);
	mosquitto_lib_version(&major, &minor, &revision);
	fcntl(CONTROL, F_SETFL, O_NONBLOCK);
	status = networked_seal(layers, sizeof(layers));
	if (status < 0)
		return networked_fail("mqtt", "cannot be sealed", strerror(-status));
	snprintf(hello, sizeof(hello),
		 "{\"engine\":\"MQTT\",\"library\":\"libmosquitto %d.%d.%d\",\"layers\":\"%s\"}\n",
		 major, minor, revision, layers);
	bridge = bridge_create(&allowed, certificates, hello);
	run(bridge);
	bridge_destroy(bridge);
	/* Threads may still say farewell to their brokers; they are not waited for. */
	return 0;
}
