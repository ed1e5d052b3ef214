/* A worker's connection: lines of JSON in both directions, without waiting. A line may come with a
 * descriptor. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>

enum { LINK_LINE_MAX = 16 << 10, LINK_OUT_MAX = 1 << 20, LINK_SOCKETS_MAX = 8 };

struct link {
	struct link *next;
	int socket;
	struct bytes in, out;
	int sockets[LINK_SOCKETS_MAX]; /* descriptors received, in order */
	unsigned socket_count;
	bool is_gone;
};

/* Takes ownership of the socket. Returns NULL if there is no memory. */
struct link *link_create(int socket) __attribute__((malloc, warn_unused_result));
void link_destroy(struct link *link);
void link_read(struct link *link);
void link_write(struct link *link);
/* Queues lines. The link is closed if its worker does not read them, or if there is no memory. */
void link_say(struct link *link, const char *lines, size_t length);
/* Returns the next line, NUL-terminated, which the caller frees with free(); NULL: there is none
 * yet, or the link is closed, because there is no memory. */
char *link_next(struct link *link);
/* Returns the descriptor that came with the line, which the caller then owns, or -1. */
int link_take_socket(struct link *link);
