/* The parts of open_loop: its options and its connections. */
#pragma once

#include <text/str.h>

#include <netdb.h>
#include <stdint.h>

/* Options of the command line. */
struct plan {
	double rate; /* requests a second */
	unsigned connections;
	double seconds;
	double warm_up_seconds;
	struct addrinfo *address;
	struct str *requests; /* number i is requests[i % request_count] */
	unsigned request_count;
};

/* Exits with a message and usage text if the arguments are invalid. */
struct plan plan_read(int argc, char **argv);
