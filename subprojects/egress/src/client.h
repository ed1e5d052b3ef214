/* A client's connection: frames in, frames out, without waiting. */
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
	unsigned under_way; /* number of requests without an answer */
	bool is_gone;	    /* also if there is no memory */
	size_t *out_total;  /* bytes that wait for all clients */
	struct client *next;
};

enum {
	CLIENT_UNDER_WAY_MAX = 512, /* requests under way of a client; further ones are refused */
	CLIENT_OUT_MAX = 4 << 20,   /* bytes: nothing is read or answered while so many wait to be
				       sent */
	CLIENTS_OUT_MAX = 32 << 20, /* bytes of all clients; each has at most as many as it leaves
				       free */
};

/* Takes ownership of the socket and sends hello. out_total: bytes that wait for all clients; it
 * must outlive them. Returns NULL if there is no memory. */
struct client *client_create(int link, const char *hello, size_t *out_total)
    __attribute__((warn_unused_result));
void client_destroy(struct client *client);

/* Whether one more answer may be sent. An answer that only gives an error needs no room. */
bool client_has_room(const struct client *client);
bool client_wants_input(const struct client *client);

/* Reads and writes as many bytes as are possible without waiting. */
void client_read(struct client *client);
void client_write(struct client *client);

/* Looks for the next frame, which stays in client->in until client_skip(). */
enum frame_state client_next(const struct client *client, struct frame *ret_frame);
void client_skip(struct client *client, const struct frame *frame);

/* Queues a part of the file that the request with the ID downloads. size: of the file in bytes; -1:
 * not known. */
void client_send_part(struct client *client, int64_t id, int64_t size, struct str data);

/* Queues the answer to the request with the ID. If the reply is empty, there was no memory for it.
 */
void client_answer(struct client *client, int64_t id, const struct reply *reply);
