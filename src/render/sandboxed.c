#include "sandboxed.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIECE = 64 * 1024,
	/* Time from the end of the socket to that of the process, on a busy machine. */
	END_MS = 10 * 1000,
	/* Exit codes of sandbox-launch, and of process_start(): the program has not run. */
	EXIT_NOT_STARTED = 125,
};

struct sandboxed {
	struct loop *loop;
	struct host_link *host;
	struct host_process process;
	const struct sandboxed_events *events;
	void *context;
	uv_pipe_t pipe;
	struct buffer input;
	/* Set once the socket or the process has ended: limits the wait for the other. */
	struct deadline end;
	bool has_ended; /* the process has ended, with a status */
	bool is_ready;	/* it has begun its work */
	bool is_deaf;	/* it has not read everything that was written */
	int status;
};

struct writing {
	uv_write_t request;
	struct buffer bytes;
};

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sandboxed *process = container_of(handle, struct sandboxed, pipe);

	buffer_finish(&process->input);
	free(process);
}

unsigned sandboxed_cpu_ms(const struct sandboxed *process)
{
	return process->process.cpu_ms;
}

static void let_go(struct sandboxed *process)
{
	deadline_clear(process->loop, &process->end);
	host_link_forget(process->host, &process->process);
	uv_close((uv_handle_t *)&process->pipe, on_closed);
}

void sandboxed_end(struct sandboxed *process)
{
	let_go(process);
}

static void go(struct sandboxed *process, enum sandboxed_end end, int status)
{
	process->events->on_gone(process, end, status);
	let_go(process);
}

/* A compiler sends no greeting. For a shared program, 0 means that only the socket has ended. */
static void count_end(struct sandboxed *process, bool has_run)
{
	struct render_health *health = host_link_health(process->host);
	enum render_program program = process->process.program;

	if (has_run && program == RENDER_COMPILER)
		render_health_note_ready(health, program);
	else if (!process->is_ready && (process->status != 0 || !render_program_is_shared(program)))
		render_health_note_crash(health, program, process->status);
}

static void go_as_it_ended(struct sandboxed *process)
{
	int status = process->status;

	bool has_run = !WIFEXITED(status) || WEXITSTATUS(status) < EXIT_NOT_STARTED;

	if (!process->has_ended || status == HOST_LINK_LOST) {
		go(process, SANDBOXED_LOST, 0);
		return;
	}
	count_end(process, has_run);
	go(process, has_run ? SANDBOXED_ENDED : SANDBOXED_NOT_STARTED, status);
}

static void on_end_late(struct deadline *deadline)
{
	go_as_it_ended(container_of(deadline, struct sandboxed, end));
}

/* Socket and process end in either order: output from before the end is read first. A process that
 * has only closed its socket is killed; one that is ending already keeps its status. */
static void on_socket_end(struct sandboxed *process)
{
	uv_read_stop((uv_stream_t *)&process->pipe);
	if (process->has_ended) {
		go_as_it_ended(process);
	} else if (!deadline_is_set(&process->end)) {
		host_link_kill(process->host, &process->process);
		deadline_set(process->loop, &process->end, END_MS);
	}
}

static void on_ended(struct host_process *ended, int status)
{
	struct sandboxed *process = container_of(ended, struct sandboxed, process);
	bool is_socket_over = deadline_is_set(&process->end);

	process->has_ended = true;
	process->status = status;
	if (is_socket_over)
		go_as_it_ended(process);
	else
		deadline_set(process->loop, &process->end, END_MS);
}

/* ---- the socket ---- */

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	struct sandboxed *process = container_of(handle, struct sandboxed, pipe);

	(void)suggested;
	*ret_room = uv_buf_init(buffer_reserve(&process->input, PIECE), PIECE);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
	struct sandboxed *process = container_of(stream, struct sandboxed, pipe);

	(void)room;
	if (size < 0) {
		/* The kernel reports this for a socket that was closed with unread bytes. */
		process->is_deaf |= size == UV_ECONNRESET;
		on_socket_end(process);
	} else if (size > 0) {
		buffer_commit(&process->input, (size_t)size);
		process->events->on_bytes(process, &process->input);
	}
}

static void on_written(uv_write_t *request, int status)
{
	struct writing *writing = container_of(request, struct writing, request);

	/* The end of a process is reported separately. On ECANCELED our side is closed. */
	if (status < 0 && status != UV_ECANCELED)
		container_of(request->handle, struct sandboxed, pipe)->is_deaf = true;
	buffer_finish(&writing->bytes);
	free(writing);
}

void sandboxed_write(struct sandboxed *process, struct buffer *bytes)
{
	struct writing *writing = memory_zalloc(sizeof(*writing));
	struct str view;
	uv_buf_t part;

	writing->bytes = *bytes;
	*bytes = (struct buffer){0};
	view = buffer_view(&writing->bytes);
	part = uv_buf_init((char *)view.data, (unsigned)view.length);
	if (uv_write(&writing->request, (uv_stream_t *)&process->pipe, &part, 1, on_written) == 0)
		return;
	buffer_finish(&writing->bytes);
	free(writing);
}

bool sandboxed_send(struct sandboxed *process, struct str bytes, int descriptor)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (void *)bytes.data, .iov_len = bytes.length};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
	uv_os_fd_t fd;

	if (sandboxed_unwritten(process) || uv_fileno((uv_handle_t *)&process->pipe, &fd) < 0)
		return false;
	if (descriptor >= 0) {
		packet.msg_control = control.bytes;
		packet.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	}
	return sendmsg(fd, &packet, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes.length;
}

size_t sandboxed_unwritten(const struct sandboxed *process)
{
	return uv_stream_get_write_queue_size((const uv_stream_t *)&process->pipe);
}

bool sandboxed_is_ending(const struct sandboxed *process)
{
	return deadline_is_set(&process->end);
}

bool sandboxed_is_deaf(const struct sandboxed *process)
{
	return process->is_deaf;
}

static void on_shut(uv_shutdown_t *request, int status)
{
	(void)status; /* the end of a process is reported separately */
	free(request);
}

void sandboxed_shut(struct sandboxed *process)
{
	uv_shutdown_t *request = memory_zalloc(sizeof(*request));

	if (uv_shutdown(request, (uv_stream_t *)&process->pipe, on_shut) < 0)
		free(request);
}

/* ---- the process ---- */

static void on_started(struct host_process *started, int socket)
{
	struct sandboxed *process = container_of(started, struct sandboxed, process);

	if (uv_pipe_open(&process->pipe, socket) < 0) {
		close(socket);
		go(process, SANDBOXED_NOT_STARTED, 0);
		return;
	}
	if (uv_read_start((uv_stream_t *)&process->pipe, give_room, on_read) < 0) {
		go(process, SANDBOXED_NOT_STARTED, 0);
		return;
	}
	process->events->on_started(process);
}

static void on_failed(struct host_process *failed, int error)
{
	(void)error; /* the host has logged it */
	go(container_of(failed, struct sandboxed, process), SANDBOXED_NOT_STARTED, 0);
}

struct sandboxed *sandboxed_start(struct loop *loop, struct host_link *host,
				  enum render_program program,
				  const struct sandboxed_events *events, void *context)
{
	struct sandboxed *process = memory_zalloc(sizeof(*process));

	process->loop = loop;
	process->host = host;
	process->events = events;
	process->context = context;
	process->process = (struct host_process){
	    .program = program, .started = on_started, .failed = on_failed, .ended = on_ended};
	deadline_init(&process->end, on_end_late);
	uv_pipe_init(&loop->uv, &process->pipe, /* ipc= */ 0);
	host_link_start(host, &process->process);
	return process;
}

void sandboxed_note_ready(struct sandboxed *process)
{
	process->is_ready = true;
	render_health_note_ready(host_link_health(process->host), process->process.program);
}

void *sandboxed_context(const struct sandboxed *process)
{
	return process->context;
}

struct buffer *sandboxed_input(struct sandboxed *process)
{
	return &process->input;
}
