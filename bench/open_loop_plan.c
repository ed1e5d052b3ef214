#include "base/buffer.h"
#include "base/memory.h"
#include "open_loop.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: open_loop http://HOST:PORT TARGETS RATE CONNECTIONS WARM_UP_S SECONDS\n"
    "\n"
    "Sends GET requests to a server at a fixed rate (a second), whether it keeps up or not, and\n"
    "tells how long each took from when it was to be sent. TARGETS is a file with a path in each\n"
    "line, and an API key behind it if one is to be sent; requests go to them in turn, over so "
    "many\n"
    "kept connections. What comes in the first seconds is not counted.\n";

static _Noreturn void give_up(const char *what, const char *why)
{
	fprintf(stderr, "open_loop: %s %s\n", what, why);
	exit(2);
}

static struct str read_file(const char *path)
{
	struct buffer buffer = {0};
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		give_up(path, "cannot be read");
	while ((size = fread(buffer_reserve(&buffer, 65536), 1, 65536, file)))
		buffer_commit(&buffer, size);
	fclose(file);
	return buffer_view(&buffer);
}

static void add_request(struct plan *plan, const char *host, struct str path, struct str key)
{
	struct buffer text = {0};

	buffer_printf(&text, "GET %.*s HTTP/1.1\r\nHost: %s\r\n", STR_ARG(path), host);
	if (key.length)
		buffer_printf(&text, "Authorization: Bearer %.*s\r\n", STR_ARG(key));
	buffer_append_str(&text, STR("\r\n"));
	plan->requests =
	    memory_realloc(plan->requests, (plan->request_count + 1) * sizeof(*plan->requests));
	plan->requests[plan->request_count++] = buffer_view(&text);
}

static struct addrinfo *look_up(const char *host)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *address;
	char *name = memory_strdup(host), *port = strrchr(name, ':');

	if (!port)
		give_up(host, "names no port");
	*port++ = 0;
	if (getaddrinfo(name, port, &hints, &address))
		give_up(host, "is not known");
	free(name);
	return address;
}

static double number(const char *text, double least)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= least))
		give_up(text, "is no number that is large enough");
	return value;
}

struct plan plan_read(int argc, char **argv)
{
	struct plan plan = {0};
	struct str rest, line, path;
	const char *host;

	if (argc != 7 || strncmp(argv[1], "http://", 7) != 0) {
		fputs(usage, stderr);
		exit(2);
	}
	host = argv[1] + 7;
	plan.address = look_up(host);
	plan.rate = number(argv[3], 0.001);
	plan.connections = (unsigned)number(argv[4], 1);
	plan.warm_up_seconds = number(argv[5], 0);
	plan.seconds = number(argv[6], 0.01);
	rest = read_file(argv[2]);
	while (str_next(&rest, '\n', &line))
		if (line.length > 0 && str_next(&line, ' ', &path))
			add_request(&plan, host, path, line.data ? line : STR(""));
	if (plan.request_count == 0)
		give_up(argv[2], "names no path");
	return plan;
}
