/* Shared parts of the test server's files. */
#pragma once

#include "base/list.h"
#include "http/request.h"

enum { BIG_BYTES_MAX = 64 * 1024 * 1024 };

extern char *big; /* BIG_BYTES_MAX of "0123456789..." */
extern struct test_counts {
	unsigned requests;
	unsigned abandoned;
	unsigned websockets;
	unsigned websockets_closed;
	unsigned frames;
	unsigned streams;	  /* open */
	unsigned streams_stopped; /* by the server */
	unsigned pieces;	  /* of all streams */
} counts;

void respond_text(struct http_request *request, int status, struct str text);

/* 0 if missing. */
unsigned long long query_number(struct http_request *request, struct str name);

/* Handlers of http_test_streams.c. */
void handle_stream(struct http_request *request);
void handle_events(struct http_request *request);
void handle_publish(struct http_request *request);

struct http_listener_settings;
struct loop;

/* TLS of a listener; all zero: disabled. */
struct test_tls {
	struct http_tls *tls;
	struct region_map *shared;
};

/* path: a file with a certificate and its key. Sets the listener's transport, and starts lanes. */
void test_tls_start(struct test_tls *test, const char *path, struct loop *loop,
		    struct http_listener_settings *listener);
void test_tls_finish(struct test_tls *test, struct loop *loop);
