#include "client.h"

#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 64 << 10, ID_TEXT_MAX = 96 };

static void add_out(struct client *client, const void *data, size_t length)
{
	size_t before = client->out.length;

	bytes_add(&client->out, data, length);
	*client->out_total += client->out.length - before;
	client->is_gone |= client->out.failed;
}

static void add_lengths(struct client *client, size_t head, size_t blob)
{
	char lengths[FRAME_LENGTHS_BYTES];

	frame_put_lengths(lengths, head, blob);
	add_out(client, lengths, sizeof(lengths));
}

struct client *client_create(int link, const char *hello, size_t *out_total)
{
	struct client *client = memory_take(sizeof(*client));

	if (!client) {
		close(link);
		return NULL;
	}
	client->link = link;
	client->out_total = out_total;
	fcntl(link, F_SETFL, O_NONBLOCK);
	add_lengths(client, strlen(hello), 0);
	add_out(client, hello, strlen(hello));
	return client;
}

void client_destroy(struct client *client)
{
	close(client->link);
	*client->out_total -= client->out.length;
	bytes_finish(&client->in);
	bytes_finish(&client->out);
	free(client);
}

bool client_has_room(const struct client *client)
{
	size_t own = client->out.length, total = *client->out_total;

	return own < CLIENT_OUT_MAX && total < CLIENTS_OUT_MAX && own < CLIENTS_OUT_MAX - total;
}

bool client_wants_input(const struct client *client)
{
	return client_has_room(client) &&
	       client->in.length < FRAME_LENGTHS_BYTES + REQUEST_HEAD_MAX + REQUEST_BODY_MAX;
}

void client_read(struct client *client)
{
	char *to = bytes_reserve(&client->in, PIECE);
	ssize_t length;

	if (!to) {
		client->is_gone = true;
		return;
	}
	length = read(client->link, to, PIECE);
	if (length > 0)
		client->in.length += (size_t)length;
	else if (length == 0 || (errno != EAGAIN && errno != EINTR))
		client->is_gone = true;
}

void client_write(struct client *client)
{
	ssize_t length;

	if (client->out.length == 0)
		return;
	length = send(client->link, client->out.data, client->out.length, MSG_NOSIGNAL);
	if (length > 0) {
		bytes_skip(&client->out, (size_t)length);
		*client->out_total -= (size_t)length;
	} else if (length < 0 && errno != EAGAIN && errno != EINTR) {
		client->is_gone = true;
	}
}

enum frame_state client_next(const struct client *client, struct frame *ret_frame)
{
	return frame_find((struct str){client->in.data, client->in.length}, REQUEST_HEAD_MAX,
			  REQUEST_BODY_MAX, ret_frame);
}

void client_skip(struct client *client, const struct frame *frame)
{
	bytes_skip(&client->in, frame->size);
}

void client_send_part(struct client *client, int64_t id, int64_t size, struct str data)
{
	char head[ID_TEXT_MAX];
	size_t length =
	    (size_t)snprintf(head, sizeof(head), "{\"part\":{\"id\":%lld,\"size\":%lld}}",
			     (long long)id, (long long)size);

	add_lengths(client, length, data.length);
	add_out(client, head, length);
	add_out(client, data.data, data.length);
}

void client_answer(struct client *client, int64_t id, const struct reply *reply)
{
	static const struct str no_memory =
	    STR("\"error\":\"the network of apps has no memory left\"");
	struct str members = {reply->members.data, reply->members.length};
	char begin[ID_TEXT_MAX];
	size_t length =
	    (size_t)snprintf(begin, sizeof(begin), "{\"fetch\":{\"id\":%lld,", (long long)id);

	if (!members.length)
		members = no_memory;
	add_lengths(client, length + members.length + 2, reply->body.length);
	add_out(client, begin, length);
	add_out(client, members.data, members.length);
	add_out(client, "}}", 2);
	add_out(client, reply->body.data, reply->body.length);
}
