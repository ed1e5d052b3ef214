/* A client's link: frames in, frames out, without waiting. */
#pragma once

#include "reply.h"

#include <sandboxed/bytes.h>
#include <sandboxed/frame.h>
#include <stdbool.h>
#include <stdint.h>

struct client {
	int link;
	struct bytes in;
	struct bytes out;
	unsigned under_way; /* requests without an answer */
	bool is_gone;
	size_t *out_total; /* of all clients */
	struct client *next;
};

enum {
	CLIENT_UNDER_WAY_MAX = 512, /* further ones are refused */
	CLIENT_OUT_MAX = 4 << 20, /* nothing is read or answered while so much waits to be taken */
	CLIENTS_OUT_MAX = 32 << 20, /* of all together; one has at most what it leaves free */
};

/* Takes the link, and greets it. out_total: how much waits for all clients; it lives as long as
 * they. */
struct client *client_create(int link, const char *hello, size_t *out_total)
    __attribute__((warn_unused_result));
void client_destroy(struct client *client);

/* Whether it may be sent one more answer. What says only why there is none needs no room. */
bool client_has_room(const struct client *client);
bool client_wants_input(const struct client *client);

/* Reads what is there, and writes what can be taken. */
void client_read(struct client *client);
void client_write(struct client *client);

/* Looks for the next frame, which stays in client->in until client_skip(). */
enum frame_state client_next(const struct client *client, struct frame *ret_frame);
void client_skip(struct client *client, const struct frame *frame);

/* Queues the answer to the request with the ID. */
void client_answer(struct client *client, int64_t id, const struct reply *reply);
