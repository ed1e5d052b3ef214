/*
 * sandbox-launch [--required | --best-effort] [--data BYTES[K|M|G]] [--cpu SECONDS] [--network
 * [--read PATH]...] PROGRAM [ARGUMENT...]
 *
 * Restricts itself and becomes PROGRAM, whose environment has only SANDBOX_LAYERS (the layers, as
 * sandbox_layer_names() writes them) and SANDBOX (required or best-effort). The program's link to
 * the parent is descriptor 3. With --network it may connect to servers of the internet, and read
 * each PATH and the files for looking up names and certificates. Exits with 125 if a required layer
 * is not available, with 126 if the program cannot be started.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

enum { EXIT_USAGE = 2, EXIT_SANDBOX = 125, EXIT_PROGRAM = 126, READABLE_MAX = 8 };

static int launcher_fail(int status, const char *what, int error)
{
	fprintf(stderr, "sandbox-launch: %s%s%s\n", what, error ? ": " : "",
		error ? strerror(error) : "");
	return status;
}

/* Returns the size in bytes, or 0 if text is no size. */
static uint64_t read_bytes(const char *text)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (unit) {
		value <<= 10 * (unit - units + 1);
		end++;
	}
	return *end ? 0 : value;
}

/* Returns the layers that are required: SANDBOX_USER only as root, since no other user can change
 * its user. */
static unsigned required_layers(void)
{
	return geteuid() == 0 ? SANDBOX_ALL : SANDBOX_ALL & ~SANDBOX_USER;
}

static int launch(const struct sandbox_limits *limits, const struct sandbox_network *network,
		  bool required, char **arguments)
{
	int program = open(arguments[0], O_PATH | O_CLOEXEC);
	unsigned wanted = required_layers();
	char layers[160], mode[32];
	char *environment[] = {layers, mode, NULL};
	unsigned active;

	if (program < 0)
		return launcher_fail(EXIT_PROGRAM, arguments[0], errno);
	active = sandbox_enter(limits, network, &program);
	snprintf(layers, sizeof(layers), "SANDBOX_LAYERS=%s",
		 sandbox_layer_names(active, SANDBOX_ALL));
	snprintf(mode, sizeof(mode), "SANDBOX=%s", required ? "required" : "best-effort");
	if (required && (active & wanted) != wanted)
		return launcher_fail(EXIT_SANDBOX, layers, 0);
	execveat(program, "", arguments, environment, AT_EMPTY_PATH);
	return launcher_fail(EXIT_PROGRAM, arguments[0], errno);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
	    {"required", no_argument, NULL, 'r'},   {"best-effort", no_argument, NULL, 'b'},
	    {"data", required_argument, NULL, 'd'}, {"stack", required_argument, NULL, 's'},
	    {"network", no_argument, NULL, 'n'},    {"read", required_argument, NULL, 'p'},
	    {"cpu", required_argument, NULL, 'c'},  {NULL, 0, NULL, 0},
	};
	struct sandbox_limits limits = {.data_bytes = 256 << 20, .stack_bytes = 1 << 20};
	const char *readable[READABLE_MAX + 1] = {NULL};
	const struct sandbox_network network = {.readable = readable};
	bool required = false, has_network = false;
	int option, count = 0;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) >= 0) {
		if (option == 'd')
			limits.data_bytes = read_bytes(optarg);
		else if (option == 's')
			limits.stack_bytes = read_bytes(optarg);
		else if (option == 'c')
			limits.cpu_s = strtoul(optarg, NULL, 10);
		else if (option == 'r' || option == 'b')
			required = option == 'r';
		else if (option == 'n')
			has_network = true;
		else if (option == 'p' && count < READABLE_MAX)
			readable[count++] = optarg;
		else
			return EXIT_USAGE;
	}
	if (optind == argc || limits.data_bytes == 0 || limits.stack_bytes == 0)
		return launcher_fail(
		    EXIT_USAGE,
		    "[--required | --best-effort] [--data BYTES] [--stack BYTES] [--cpu SECONDS] "
		    "[--network [--read PATH]...] "
		    "PROGRAM ...",
		    0);
	return launch(&limits, has_network ? &network : NULL, required, argv + optind);
}
