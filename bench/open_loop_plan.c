#include "base/buffer.h"
#include "base/memory.h"
#include "open_loop.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: open_loop [OPTION...] URL...\n"
    "\n"
    "Sends requests to a server at a fixed rate, whether it keeps up or not, and tells how long\n"
    "each took from when it was to be sent. URLs are http://HOST:PORT/PATH, all of one host;\n"
    "requests go to them in turn.\n"
    "\n"
    "  --rate N         requests a second (default 1000)\n"
    "  --connections N  kept connections (default 64); where all are busy, requests wait\n"
    "  --seconds N      how long to measure (default 10)\n"
    "  --warm-up N      seconds before that, not counted (default 1)\n"
    "  --method M       GET, POST, ... (default GET)\n"
    "  --header TEXT    \"Name: value\", may be repeated\n"
    "  --body FILE      may be repeated: requests take them in turn\n"
    "  --targets FILE   a line each: a path, and an API key if one is to be sent; URL then says\n"
    "                   only where the server is\n"
    "  --json           one line of JSON\n";

struct reading {
	struct plan plan;
	struct buffer headers;
	struct str host;
	const char *targets_path;
};

__attribute__((format(printf, 1, 2))) static _Noreturn void give_up(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("open_loop: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	va_end(arguments);
	exit(2);
}

static struct str read_file(const char *path)
{
	struct buffer buffer = {0};
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		give_up("%s cannot be read", path);
	while ((size = fread(buffer_reserve(&buffer, 65536), 1, 65536, file)))
		buffer_commit(&buffer, size);
	fclose(file);
	return buffer_view(&buffer);
}

static void add_target(struct reading *reading, struct str path, struct str key)
{
	struct plan *plan = &reading->plan;
	struct buffer head = {0};

	buffer_printf(&head, "%s %.*s HTTP/1.1\r\nHost: %.*s\r\n", plan->method, STR_ARG(path),
		      STR_ARG(reading->host));
	buffer_append_str(&head, buffer_view(&reading->headers));
	if (key.length)
		buffer_printf(&head, "Authorization: Bearer %.*s\r\n", STR_ARG(key));
	plan->targets =
	    memory_realloc(plan->targets, (plan->target_count + 1) * sizeof(*plan->targets));
	plan->targets[plan->target_count++] = (struct target){buffer_view(&head)};
}

static void add_body(struct plan *plan, const char *path)
{
	plan->bodies = memory_realloc(plan->bodies, (plan->body_count + 1) * sizeof(*plan->bodies));
	plan->bodies[plan->body_count++] = read_file(path);
}

static void find_host(struct reading *reading, struct str host)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	char name[256];
	size_t colon = str_find(host, ':');
	struct str port = colon < host.length ? str_from_offset(host, colon + 1) : STR("80");
	char port_text[16];

	if (reading->host.data) {
		if (!str_equal(reading->host, host))
			give_up("all URLs must be of one host");
		return;
	}
	reading->host = host;
	snprintf(name, sizeof(name), "%.*s", (int)colon, host.data);
	snprintf(port_text, sizeof(port_text), "%.*s", STR_ARG(port));
	if (getaddrinfo(name, port_text, &hints, &reading->plan.address))
		give_up("there is no host %s", name);
}

static void read_url(struct reading *reading, const char *text)
{
	struct str url = str_from(text);
	struct str path;
	size_t slash;

	if (!str_starts_with(url, STR("http://")))
		give_up("%s does not begin with http://", text);
	url = str_from_offset(url, 7);
	slash = str_find(url, '/');
	find_host(reading, (struct str){url.data, slash});
	path = str_from_offset(url, slash);
	if (!reading->targets_path)
		add_target(reading, path.length ? path : STR("/"), STR(""));
}

static void read_targets(struct reading *reading)
{
	struct str rest = read_file(reading->targets_path);
	struct str line, path, key;

	while (str_next(&rest, '\n', &line)) {
		if (line.length == 0 || !str_next(&line, ' ', &path))
			continue;
		key = line.data ? line : STR("");
		add_target(reading, path, key);
	}
}

static double number(const char *text, double least)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= least))
		give_up("%s is no number from %g on", text, least);
	return value;
}

static void take_option(struct reading *reading, int option)
{
	struct plan *plan = &reading->plan;

	switch (option) {
	case 'r':
		plan->rate = number(optarg, 0.001);
		break;
	case 'c':
		plan->connections = (unsigned)number(optarg, 1);
		break;
	case 's':
		plan->seconds = number(optarg, 0.01);
		break;
	case 'w':
		plan->warm_up_seconds = number(optarg, 0);
		break;
	case 'm':
		plan->method = optarg;
		break;
	case 'H':
		buffer_printf(&reading->headers, "%s\r\n", optarg);
		break;
	case 'b':
		add_body(plan, optarg);
		break;
	case 't':
		reading->targets_path = optarg;
		break;
	case 'j':
		plan->is_json = true;
		break;
	default:
		fputs(usage, option == 'h' ? stdout : stderr);
		exit(option == 'h' ? 0 : 2);
	}
}

struct plan plan_read(int argc, char **argv)
{
	static const struct option options[] = {{"rate", required_argument, NULL, 'r'},
						{"connections", required_argument, NULL, 'c'},
						{"seconds", required_argument, NULL, 's'},
						{"warm-up", required_argument, NULL, 'w'},
						{"method", required_argument, NULL, 'm'},
						{"header", required_argument, NULL, 'H'},
						{"body", required_argument, NULL, 'b'},
						{"targets", required_argument, NULL, 't'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	struct reading reading = {.plan = {.method = "GET",
					   .rate = 1000,
					   .connections = 64,
					   .seconds = 10,
					   .warm_up_seconds = 1}};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
		take_option(&reading, option);
	if (optind == argc)
		take_option(&reading, 0);
	for (int i = optind; i < argc; i++)
		read_url(&reading, argv[i]);
	if (reading.targets_path)
		read_targets(&reading);
	if (reading.plan.target_count == 0)
		give_up("%s names no path", reading.targets_path);
	return reading.plan;
}
