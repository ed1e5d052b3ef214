#include "host_link.h"
#include "base/clock.h"
#include "base/require.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES_A_TURN = 64 };

struct host_link {
	struct loop *loop;
	uv_poll_t poll;
	int socket;
	struct render_health *health;
	int32_t host; /* process ID of the render host; 0: unknown */
	uint32_t last_number;
	struct list processes; /* of struct host_process */
	struct later later;    /* starts that could not be requested */
	struct list refused;   /* of struct host_process */
};

static bool tell(const struct host_link *link, const struct host_message *message)
{
	return send(link->socket, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       sizeof(*message);
}

static struct host_process *find(struct host_link *link, uint32_t number)
{
	list_for_each (node, &link->processes) {
		struct host_process *process = container_of(node, struct host_process, node);

		if (process->number == number)
			return process;
	}
	return NULL;
}

/* ---- messages of the host ---- */

static void on_started(struct host_link *link, uint32_t number, int socket)
{
	struct host_process *process = find(link, number);

	if (process && !process->is_started && socket >= 0) {
		process->is_started = true;
		process->started(process, socket);
		return;
	}
	/* Nobody waits for it any more. */
	(void)tell(link, &(struct host_message){.kind = HOST_KILL, .number = number});
	if (socket >= 0)
		close(socket);
}

static void on_failed(struct host_link *link, uint32_t number, int error)
{
	struct host_process *process = find(link, number);

	if (!process || process->is_started)
		return;
	list_remove(&process->node);
	process->failed(process, error);
}

static void on_ended(struct host_link *link, uint32_t number, int status, uint32_t cpu_ms)
{
	struct host_process *process = find(link, number);

	if (!process || !process->is_started)
		return;
	list_remove(&process->node);
	process->cpu_ms = cpu_ms;
	process->ended(process, status);
}

static void ask(struct host_link *link, struct host_process *process)
{
	struct host_message message = {.kind = HOST_START, .program = process->program};

	message.number = process->number = ++link->last_number;
	if (tell(link, &message))
		return;
	list_remove(&process->node);
	list_append(&link->refused, &process->node);
	loop_later(link->loop, &link->later);
}

/* Reports the end of a process whose host is gone. */
static void lose(struct host_process *process)
{
	if (process->is_started)
		process->ended(process, HOST_LINK_LOST);
	else
		process->failed(process, -EPIPE);
}

/* Ends the link, as its other end is closed: the host is gone, and no other comes. A supervisor
 * also has that end, so this happens only without one. */
static void on_end(struct host_link *link)
{
	uv_poll_stop(&link->poll);
	for (struct list *node; (node = list_take_first(&link->processes));)
		lose(container_of(node, struct host_process, node));
}

/* A new host has begun. Processes of the old one are gone; pending starts may or may not have been
 * read, so they are requested again, with another number. */
static void on_hello(struct host_link *link, int32_t host)
{
	struct list before;

	if (link->host == host)
		return;
	list_init(&before);
	if (link->host != 0)
		list_move_all(&before, &link->processes);
	link->host = host;
	for (struct list *node; (node = list_take_first(&before));) {
		struct host_process *process = container_of(node, struct host_process, node);

		if (process->is_started) {
			process->ended(process, HOST_LINK_LOST);
			continue;
		}
		list_append(&link->processes, node);
		ask(link, process);
	}
}

static void on_message(struct host_link *link, const struct host_message *message, int socket)
{
	switch (message->kind) {
	case HOST_HELLO:
		on_hello(link, message->value);
		break;
	case HOST_STARTED:
		on_started(link, message->number, socket);
		return;
	case HOST_FAILED:
		on_failed(link, message->number, -message->value);
		break;
	case HOST_ENDED:
		on_ended(link, message->number, message->value, message->program);
		break;
	default:
		break;
	}
	if (socket >= 0)
		close(socket);
}

/* Returns the descriptor in a message, or -1. */
static int take_descriptor(struct msghdr *packet)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(packet);
	int descriptor = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
	return descriptor;
}

/* Reads a message. Returns false if there is none now. */
static bool read_message(struct host_link *link)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct host_message message;
	struct iovec part = {.iov_base = &message, .iov_len = sizeof(message)};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control.bytes)};
	ssize_t size = recvmsg(link->socket, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int descriptor;

	if (size == 0)
		on_end(link);
	if (size <= 0)
		return false;
	descriptor = take_descriptor(&packet);
	if (size == sizeof(message))
		on_message(link, &message, descriptor);
	else if (descriptor >= 0)
		close(descriptor);
	return true;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct host_link *link = container_of(poll, struct host_link, poll);

	(void)events;
	for (int i = 0; status == 0 && i < MESSAGES_A_TURN && !uv_is_closing((uv_handle_t *)poll);
	     i++)
		if (!read_message(link))
			return;
}

/* ---- requests to the host ---- */

static void tell_refused(struct later *later)
{
	struct host_link *link = container_of(later, struct host_link, later);
	struct list refused;

	list_init(&refused);
	list_move_all(&refused, &link->refused);
	for (struct list *node; (node = list_take_first(&refused));) {
		struct host_process *process = container_of(node, struct host_process, node);

		process->failed(process, -EAGAIN);
	}
}

struct host_link *host_link_open(struct loop *loop, int socket, struct render_health *health)
{
	struct host_link *link = memory_zalloc(sizeof(*link));
	struct host_message hello = {.kind = HOST_HELLO, .value = getpid()};

	require(uv_poll_init(&loop->uv, &link->poll, socket) == 0);
	require(uv_poll_start(&link->poll, UV_READABLE, on_readable) == 0);
	/* Unreferenced: the poll must not keep the loop running. */
	uv_unref((uv_handle_t *)&link->poll);
	link->loop = loop;
	link->socket = socket;
	link->health = health;
	/* There may be unread answers to the previous worker, so begin with other numbers. */
	link->last_number = (uint32_t)clock_monotonic_us();
	list_init(&link->processes);
	list_init(&link->refused);
	loop_later_init(&link->later, tell_refused);
	(void)tell(link, &hello);
	return link;
}

struct render_health *host_link_health(const struct host_link *link)
{
	return link->health;
}

static void on_closed(uv_handle_t *handle)
{
	struct host_link *link = container_of(handle, struct host_link, poll);

	close(link->socket);
	free(link);
}

void host_link_close(struct host_link *link)
{
	require(list_is_empty(&link->processes) && list_is_empty(&link->refused));
	loop_later_cancel(&link->later);
	uv_close((uv_handle_t *)&link->poll, on_closed);
}

void host_link_start(struct host_link *link, struct host_process *process)
{
	process->is_started = false;
	list_init(&process->node);
	list_append(&link->processes, &process->node);
	ask(link, process);
}

void host_link_kill(struct host_link *link, const struct host_process *process)
{
	struct host_message message = {.kind = HOST_KILL, .number = process->number};

	(void)tell(link, &message);
}

void host_link_forget(struct host_link *link, struct host_process *process)
{
	/* A process that is being started is killed when the host reports its start. */
	if (list_is_linked(&process->node) && process->is_started)
		host_link_kill(link, process);
	list_remove(&process->node);
}
