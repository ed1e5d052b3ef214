#include "networked/options.h"

#include <getopt.h>
#include <stdio.h>

int networked_fail(const char *program, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s%s%s\n", program, what, why ? ": " : "", why ? why : "");
	return NETWORKED_EXIT_USAGE;
}

int networked_read_options(const char *program, int argc, char **argv, struct address_list *allowed,
			   const char **ret_certificates)
{
	static const struct option options[] = {
	    {"allow", required_argument, NULL, 'a'},
	    {"certificates", required_argument, NULL, 'c'},
	    {NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'a' && !address_list_add(allowed, optarg))
			return networked_fail(
			    program, "this is no range of addresses, or one too many", optarg);
		if (option == 'c')
			*ret_certificates = optarg;
		if (option == '?')
			return NETWORKED_EXIT_USAGE;
	}
	return optind == argc ? 0 : networked_fail(program, "takes no arguments", argv[optind]);
}
