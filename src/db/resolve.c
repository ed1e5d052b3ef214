#include "resolve.h"
#include "base/buffer.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

enum { ADDRESSES_MAX = 4 }; /* of one name */

struct resolution {
	uv_getaddrinfo_t request;
	uv_loop_t *uv;
	bool running; /* uv has the request */
	bool freed;   /* resolve_free() was called: freed when uv gives the request back */
	void (*done)(void *context, const char *error);
	void *context;
	PQconninfoOption *options;
	/* The rest of the connection string's lists, separated by commas. */
	struct str hosts;
	struct str ports;
	struct str port; /* of the current host */
	char name[256];	 /* of the current host */
	/* The same lists with an item for each address. */
	struct buffer ret_hosts;
	struct buffer ret_addresses;
	struct buffer ret_ports;
	char error[300];
};

static const char *option(const PQconninfoOption *options, const char *keyword)
{
	for (; options->keyword; options++) {
		if (strcmp(options->keyword, keyword) == 0)
			return options->val && options->val[0] ? options->val : NULL;
	}
	return NULL;
}

static bool is_name(struct str host)
{
	unsigned char address[sizeof(struct in6_addr)];
	char text[256];

	/* A slash begins a socket's folder, an at sign an abstract socket. */
	if (!host.length || host.length >= sizeof(text) || host.data[0] == '/' ||
	    host.data[0] == '@')
		return false;
	snprintf(text, sizeof(text), "%.*s", STR_ARG(host));
	return inet_pton(AF_INET, text, address) != 1 && inet_pton(AF_INET6, text, address) != 1;
}

bool resolve_is_needed(const char *url)
{
	PQconninfoOption *options = PQconninfoParse(url, NULL);
	bool needed = false;
	struct str hosts;
	struct str host;

	if (!options)
		return false;
	hosts = str_from(option(options, "host"));
	if (hosts.length && !option(options, "hostaddr")) {
		while (!needed && str_next(&hosts, ',', &host))
			needed = is_name(host);
	}
	PQconninfoFree(options);
	return needed;
}

static void add_item(struct buffer *list, struct str item, bool first)
{
	if (!first)
		buffer_append_char(list, ',');
	buffer_append_str(list, item);
}

static void add_host(struct resolution *r, struct str host, struct str address)
{
	bool first = buffer_length(&r->ret_hosts) == 0;

	add_item(&r->ret_hosts, host, first);
	add_item(&r->ret_addresses, address, first);
	add_item(&r->ret_ports, r->port, first);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses);

/* Adds hosts up to the next that has to be resolved. True: none is left. */
static bool go_on(struct resolution *r)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct str host;

	while (str_next(&r->hosts, ',', &host)) {
		/* One port may stand for all hosts. */
		if (r->ports.data)
			str_next(&r->ports, ',', &r->port);
		if (!is_name(host)) {
			add_host(r, host, STR(""));
			continue;
		}
		snprintf(r->name, sizeof(r->name), "%.*s", STR_ARG(host));
		r->running =
		    uv_getaddrinfo(r->uv, &r->request, on_resolved, r->name, NULL, &hints) == 0;
		if (r->running)
			return false;
	}
	return true;
}

static void add_addresses(struct resolution *r, const struct addrinfo *addresses)
{
	unsigned count = 0;

	for (; addresses && count < ADDRESSES_MAX; addresses = addresses->ai_next, count++) {
		char text[INET6_ADDRSTRLEN + 20];

		if (getnameinfo(addresses->ai_addr, addresses->ai_addrlen, text, sizeof(text), NULL,
				0, NI_NUMERICHOST) == 0)
			add_host(r, str_from(r->name), str_from(text));
	}
}

static void finish(struct resolution *r)
{
	bool found = buffer_length(&r->ret_hosts) > 0;

	buffer_append_char(&r->ret_hosts, 0);
	buffer_append_char(&r->ret_addresses, 0);
	buffer_append_char(&r->ret_ports, 0);
	r->done(r->context, found ? NULL : r->error);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	struct resolution *r = container_of(request, struct resolution, request);

	r->running = false;
	if (r->freed) {
		uv_freeaddrinfo(addresses);
		resolve_free(r);
		return;
	}
	if (status)
		snprintf(r->error, sizeof(r->error), "cannot resolve %s: %s", r->name,
			 uv_strerror(status));
	else
		add_addresses(r, addresses);
	uv_freeaddrinfo(addresses);
	if (go_on(r))
		finish(r);
}

bool resolve_url_is_valid(const char *url)
{
	PQconninfoOption *options = PQconninfoParse(url, NULL);

	PQconninfoFree(options);
	return options != NULL;
}

struct resolution *resolve_start(struct loop *loop, const char *url,
				 void (*done)(void *context, const char *error), void *context)
{
	struct resolution *r = memory_zalloc(sizeof(*r));
	struct str ports;

	r->uv = &loop->uv;
	r->done = done;
	r->context = context;
	r->options = PQconninfoParse(url, NULL);
	r->hosts = str_from(option(r->options, "host"));
	ports = str_from(option(r->options, "port"));
	if (str_find(ports, ',') < ports.length)
		r->ports = ports;
	else
		r->port = ports;
	snprintf(r->error, sizeof(r->error), "cannot resolve the database's host");
	go_on(r);
	return r;
}

const char *resolve_host(const struct resolution *resolution)
{
	return buffer_view(&resolution->ret_hosts).data;
}

const char *resolve_hostaddr(const struct resolution *resolution)
{
	return buffer_view(&resolution->ret_addresses).data;
}

const char *resolve_port(const struct resolution *resolution)
{
	bool given = option(resolution->options, "port") != NULL;

	return given ? buffer_view(&resolution->ret_ports).data : NULL;
}

void resolve_free(struct resolution *r)
{
	if (!r)
		return;
	if (r->running) {
		r->freed = true;
		uv_cancel((uv_req_t *)&r->request);
		return;
	}
	PQconninfoFree(r->options);
	buffer_finish(&r->ret_hosts);
	buffer_finish(&r->ret_addresses);
	buffer_finish(&r->ret_ports);
	free(r);
}
