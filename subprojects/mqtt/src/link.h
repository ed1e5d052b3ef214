/* A worker's link: lines of JSON both ways, without waiting. With a line may come a descriptor. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>

enum { LINK_LINE_MAX = 16 << 10, LINK_OUT_MAX = 1 << 20, LINK_SOCKETS_MAX = 8 };

struct link {
	struct link *next;
	int socket;
	struct bytes in, out;
	int sockets[LINK_SOCKETS_MAX]; /* that came, the first ones first */
	unsigned socket_count;
	bool is_gone;
};

struct link *link_create(int socket) __attribute__((malloc, returns_nonnull));
void link_destroy(struct link *link);
void link_read(struct link *link);
void link_write(struct link *link);
/* Queues lines. A worker that does not read them is gone. */
void link_say(struct link *link, const char *lines, size_t length);
/* The next line, which ends with a NUL; for free(). NULL: there is none yet. */
char *link_next(struct link *link);
/* The descriptor that came with the line, or -1. */
int link_take_socket(struct link *link);
