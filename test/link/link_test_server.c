/* Runs one worker without a supervisor, whose limits are arguments: name=value. Prints its port
 * once it listens; SIGTERM drains it as it does a worker. */
#include "api/api.h"
#include "api/still_cache.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/db.h"
#include "delivery/delivery.h"
#include "http/server.h"
#include "loop/lanes.h"
#include "task/dispatch.h"
#include "task/key_cache.h"
#include "task/key_uses.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { DATABASE_CLOSE_MS = 2000, LOOK_AGAIN_MS = 5 };

static struct loop loop;
static struct api_service api = {.service = {.public_url = "http://127.0.0.1"}};
static struct service *const service = &api.service;
static struct http_server *http;
static uv_signal_t stop_signal;
static struct deadline look_again;

static unsigned number_of(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 2; i < argc; i++) {
		if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
			return (unsigned)strtoul(argv[i] + length + 1, NULL, 10);
	}
	return 0;
}

static void on_database_closed(void *context)
{
	(void)context;
	uv_close((uv_handle_t *)&stop_signal, NULL);
	loop_stop(&loop);
}

static void on_look_again(struct deadline *deadline)
{
	if (http_server_is_empty(http))
		db_close(service->db, DATABASE_CLOSE_MS, on_database_closed, NULL);
	else
		deadline_set(&loop, deadline, LOOK_AGAIN_MS);
}

static void on_drained(void *context)
{
	(void)context;
	http_server_close(http);
	deadline_set(&loop, &look_again, 0);
}

static void on_stop(uv_signal_t *handle, int number)
{
	(void)handle;
	(void)number;
	if (service->is_draining)
		return;
	service->is_draining = true;
	delivery_drain(api.delivery);
	key_uses_drain(service->key_uses);
	http_server_drain(http, on_drained, NULL);
}

static unsigned listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static const struct route_table *const tables[] = {&api_link_routes, &api_routes,
							   &api_health_routes, NULL};
	static struct dispatch dispatch;
	const struct http_listener_settings listener = {.on_request = task_dispatch,
							.context = &dispatch};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	dispatch_init(&dispatch, &api.service, tables, tables, HTTP_ROLE_PUBLIC);
	if (bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 1024) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) != 0 ||
	    http_server_listen(http, fd, &listener) != 0)
		return 0;
	return ntohs(address.sin_port);
}

static const _Atomic bool is_ready = true;

static bool start(int argc, char **argv, struct region_map *shared)
{
	struct db_settings db = {.url = argv[1], .read_connections = 1, .write_connections = 2};
	struct http_server_settings settings = {
	    .ping_ms = number_of(argc, argv, "ping_ms"),
	    .silence_ms = number_of(argc, argv, "silence_ms"),
	};
	struct delivery_limits limits = {
	    .picture_bytes = number_of(argc, argv, "picture_bytes"),
	    .panels = number_of(argc, argv, "panels"),
	    .reconciliation_ms = number_of(argc, argv, "reconciliation_ms"),
	    .seen_ms = number_of(argc, argv, "seen_ms"),
	    .unused_ms = number_of(argc, argv, "unused_ms"),
	};

	lanes_start(&loop, 2);
	uv_signal_init(&loop.uv, &stop_signal);
	uv_signal_start(&stop_signal, on_stop, SIGTERM);
	deadline_init(&look_again, on_look_again);
	service->loop = &loop;
	service->is_instance_ready = &is_ready;
	service->db = db_create(&loop, &db);
	if (!service->db)
		return false;
	service->keys = key_cache_create(&loop);
	service->key_uses = key_uses_create(&loop, service->db);
	db_subscribe(service->db, key_cache_subscription(service->keys));
	service->rates = region_common(shared, &rate_region);
	service->key_rate.name = service->push_rate.name = "none";
	api.stills = still_cache_create();
	api.delivery = delivery_create(&loop, service->db, shared, 0);
	delivery_set_limits(api.delivery, &limits);
	http = http_server_create(&loop, &settings);
	return true;
}

int main(int argc, char **argv)
{
	const struct region *const regions[] = {&rate_region,  &cursor_region,	&change_region,
						&watch_region, &balance_region, &instance_region};
	struct region_map *shared;
	unsigned port;

	if (argc < 2 || sodium_init() < 0 || loop_init(&loop) != 0)
		return 2;
	shared = region_map_create(regions, array_length(regions), 1);
	if (!shared || !start(argc, argv, shared) || (port = listen_somewhere()) == 0)
		return 2;
	printf("%u\n", port);
	fflush(stdout);
	loop_run(&loop);
	http_server_destroy(http);
	delivery_destroy(api.delivery);
	still_cache_destroy(api.stills);
	key_cache_destroy(service->keys);
	key_uses_destroy(service->key_uses);
	db_destroy(service->db);
	lanes_stop(&loop);
	loop_finish(&loop);
	region_map_destroy(shared);
	return 0;
}
