#include "main/host_shared.h"
#include "base/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONTROL_FD = 3, ARGUMENTS_MAX = 160 };

static int start(struct host_shared *shared)
{
	static const char *const environment[] = {NULL};
	const char *arguments[ARGUMENTS_MAX];
	unsigned count = 0;
	int ends[2], fds[] = {shared->nothing, shared->nothing, shared->nothing, -1};
	struct process process = {
	    .arguments = arguments,
	    .environment = environment,
	    .death_signal = SIGKILL,
	    .is_apart = true,
	    .fds = fds,
	    .fd_count = CONTROL_FD + 1,
	};
	pid_t pid;

	for (const char *const *from = shared->program->arguments; *from; from++)
		arguments[count++] = *from;
	for (unsigned i = 0; shared->allow && i < shared->allow->count && count + 2 < ARGUMENTS_MAX;
	     i++) {
		arguments[count++] = "--allow";
		arguments[count++] = shared->allow->values[i];
	}
	arguments[count] = NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	fds[CONTROL_FD] = ends[1];
	pid = process_start(&process);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pid;
	}
	shared->pid = pid;
	shared->control = ends[0];
	return 0;
}

/* Sends a socket. Returns 0 or a negative errno. */
static int send_link(const struct host_shared *shared, int link)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (char[]){'L'}, .iov_len = 1};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control.bytes)};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &link, sizeof(int));
	return sendmsg(shared->control, &packet, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

pid_t host_shared_link(struct host_shared *shared, int link)
{
	int status = shared->pid > 0 ? send_link(shared, link) : -EPIPE;

	if (status == -EAGAIN)
		return status; /* it is busy: let it live */
	if (status == 0)
		return shared->pid;
	/* There was none, or it is ending. */
	host_shared_leave(shared);
	status = start(shared);
	if (status < 0)
		return status;
	status = send_link(shared, link);
	if (status == 0)
		return shared->pid;
	host_shared_end(shared);
	return status;
}

void host_shared_end(struct host_shared *shared)
{
	if (shared->pid > 0)
		kill(shared->pid, SIGKILL);
	host_shared_leave(shared);
}

void host_shared_leave(struct host_shared *shared)
{
	if (shared->pid > 0)
		close(shared->control);
	shared->pid = 0;
}
