#include "main/handover.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIABLE "DISPLAYD_HANDOVER"

enum { LINE_BYTES = PATH_MAX + 64, PROGRAM_PATH_BYTES = 64 };

void handover_init(struct handover *handover)
{
	*handover = (struct handover){
	    .unread_fd = -1,
	    .first_fd = -1,
	    .config_fd = -1,
	    .lock_fd = -1,
	    .shared_fd = -1,
	    .postmaster_log_fd = -1,
	    .postmaster_socket_fd = -1,
	};
	for (unsigned i = 0; i < CONFIG_WORKER_SLOTS_MAX; i++)
		handover->host_sockets[i] = handover->worker_sockets[i] = -1;
}

/* ---- descriptors ---- */

static bool set_one(int fd, bool closes_on_exec)
{
	return fd < 0 || fcntl(fd, F_SETFD, closes_on_exec ? FD_CLOEXEC : 0) == 0;
}

/* Returns false if one of them is not open. */
static bool set_descriptors(const struct handover *handover, bool closes_on_exec)
{
	bool is_done = set_one(handover->first_fd, closes_on_exec) &&
		       set_one(handover->config_fd, closes_on_exec) &&
		       set_one(handover->lock_fd, closes_on_exec) &&
		       set_one(handover->shared_fd, closes_on_exec) &&
		       set_one(handover->postmaster_log_fd, closes_on_exec) &&
		       set_one(handover->postmaster_socket_fd, closes_on_exec);

	for (unsigned i = 0; i < CONFIG_WORKER_SLOTS_MAX; i++)
		is_done = is_done && set_one(handover->host_sockets[i], closes_on_exec) &&
			  set_one(handover->worker_sockets[i], closes_on_exec);
	for (unsigned i = 0; i < handover->socket_count; i++)
		is_done = is_done && set_one(handover->sockets[i].fd, closes_on_exec);
	return is_done;
}

/* ---- writing ---- */

static void write_text(const struct handover *handover, FILE *out)
{
	/* Keep this line unchanged forever: a program that cannot read the others uses it to go
	 * back. */
	fprintf(out, "displayd-handover %d %d\n", HANDOVER_VERSION, handover->first_fd);
	fprintf(out, "number %lu\n", handover->number);
	fprintf(out, "program %s\n", handover->program);
	fprintf(out, "version %s\n", handover->version);
	if (handover->returned[0])
		fprintf(out, "returned %s\n", handover->returned);
	fprintf(out, "descriptors %d %d %d %d\n", handover->first_fd, handover->config_fd,
		handover->lock_fd, handover->shared_fd);
	fprintf(out, "postmaster %d %d %d\n", (int)handover->postmaster,
		handover->postmaster_log_fd, handover->postmaster_socket_fd);
	for (unsigned i = 0; i < CONFIG_WORKER_SLOTS_MAX; i++)
		if (handover->host_sockets[i] >= 0)
			fprintf(out, "host %u %d %d\n", i, handover->host_sockets[i],
				handover->worker_sockets[i]);
	for (unsigned i = 0; i < handover->socket_count; i++) {
		const struct handover_socket *socket = &handover->sockets[i];

		if (socket->is_given)
			fprintf(out, "given %d\n", socket->fd);
		else
			fprintf(out, "socket %d %d %ju %ju %s %s\n", socket->fd, socket->role,
				(uintmax_t)socket->device, (uintmax_t)socket->inode, socket->scheme,
				socket->text);
	}
	for (unsigned i = 0; i < handover->child_count; i++) {
		const struct handover_child *child = &handover->children[i];

		fprintf(out, "child %u %d %d %s\n", child->index, (int)child->pid, child->role,
			child->name);
	}
}

/* Returns the descriptor, which stays open over exec, or a negative errno. */
static int write_file(const struct handover *handover)
{
	int fd = memfd_create("displayd-handover", 0), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	bool is_done = false;

	if (out) {
		write_text(handover, out);
		is_done = !ferror(out);
		is_done = fclose(out) == 0 && is_done;
	}
	if (is_done)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOMEM;
}

int handover_execute(const struct handover *handover, const char *program, char *const argv[])
{
	int fd = write_file(handover), error;
	char value[64];

	if (fd < 0)
		return fd;
	snprintf(value, sizeof(value), "%d:%d", (int)getpid(), fd);
	if (!set_descriptors(handover, false) || setenv(VARIABLE, value, 1) < 0) {
		error = -errno;
	} else {
		execv(program, argv);
		error = -errno;
	}
	unsetenv(VARIABLE);
	(void)set_descriptors(handover, true);
	close(fd);
	return error;
}

/* Executes the first program again with the unchanged handover, which this program could not read.
 */
static int execute_unread(const struct handover *handover, const char *program, char *const argv[])
{
	char value[64];

	snprintf(value, sizeof(value), "%d:%d", (int)getpid(), handover->unread_fd);
	if (lseek(handover->unread_fd, 0, SEEK_END) < 0 ||
	    dprintf(handover->unread_fd, "returned %s\n", handover->returned) < 0 ||
	    setenv(VARIABLE, value, 1) < 0)
		return -errno;
	execv(program, argv);
	return -errno;
}

void handover_return(struct handover *handover, const char *why, char *const argv[])
{
	char program[PROGRAM_PATH_BYTES];
	int error;

	snprintf(handover->returned, sizeof(handover->returned), "%s", why);
	for (char *c = handover->returned; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	snprintf(program, sizeof(program), "/proc/self/fd/%d", handover->first_fd);
	log_error("supervisor", "the new program cannot take over, returning to the old one",
		  LOG_TEXT("reason", why));
	log_flush();
	error = handover->unread_fd < 0 ? handover_execute(handover, program, argv)
					: execute_unread(handover, program, argv);
	log_error("supervisor", "cannot execute the old program again",
		  LOG_TEXT("error", strerror(-error)));
}

/* ---- reading ---- */

/* displayd itself has written these numbers, so none is too large for its type. */
/* NOLINTBEGIN(cert-err34-c) */

static bool read_socket(struct handover *handover, const char *line)
{
	struct handover_socket *socket = &handover->sockets[handover->socket_count];
	uintmax_t device, inode;

	if (handover->socket_count == HANDOVER_SOCKETS_MAX)
		return false;
	*socket = (struct handover_socket){.fd = -1};
	if (sscanf(line, "given %d", &socket->fd) == 1) {
		socket->is_given = true;
	} else if (sscanf(line, "socket %d %d %ju %ju %15s %127[^\n]", &socket->fd, &socket->role,
			  &device, &inode, socket->scheme, socket->text) == 6) {
		socket->device = (dev_t)device;
		socket->inode = (ino_t)inode;
	} else {
		return false;
	}
	handover->socket_count++;
	return true;
}

static bool read_child(struct handover *handover, const char *line)
{
	struct handover_child *child = &handover->children[handover->child_count];
	int pid;

	if (handover->child_count == HANDOVER_CHILDREN_MAX ||
	    sscanf(line, "child %u %d %d %31[^\n]", &child->index, &pid, &child->role,
		   child->name) != 4 ||
	    pid <= 1 || child->role < CHILD_CURRENT || child->role > CHILD_DRAINING)
		return false;
	child->pid = pid;
	handover->child_count++;
	return true;
}

static bool read_host(struct handover *handover, const char *line)
{
	unsigned index;
	int host, worker;

	if (sscanf(line, "host %u %d %d", &index, &host, &worker) != 3 ||
	    index >= CONFIG_WORKER_SLOTS_MAX)
		return false;
	handover->host_sockets[index] = host;
	handover->worker_sockets[index] = worker;
	return true;
}

static bool starts_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0 && line[strlen(word)] == ' ';
}

static bool copy_rest(const char *line, char *to, size_t size)
{
	const char *rest = strchr(line, ' ') + 1;

	return (size_t)snprintf(to, size, "%.*s", (int)strcspn(rest, "\n"), rest) < size;
}

static bool read_line(struct handover *handover, const char *line)
{
	int postmaster;

	if (starts_with(line, "number"))
		return sscanf(line, "number %lu", &handover->number) == 1;
	if (starts_with(line, "program"))
		return copy_rest(line, handover->program, sizeof(handover->program));
	if (starts_with(line, "version"))
		return copy_rest(line, handover->version, sizeof(handover->version));
	if (starts_with(line, "returned"))
		return copy_rest(line, handover->returned, sizeof(handover->returned));
	if (starts_with(line, "descriptors"))
		return sscanf(line, "descriptors %d %d %d %d", &handover->first_fd,
			      &handover->config_fd, &handover->lock_fd, &handover->shared_fd) == 4;
	if (starts_with(line, "postmaster")) {
		if (sscanf(line, "postmaster %d %d %d", &postmaster, &handover->postmaster_log_fd,
			   &handover->postmaster_socket_fd) != 3)
			return false;
		handover->postmaster = postmaster;
		return true;
	}
	if (starts_with(line, "host"))
		return read_host(handover, line);
	if (starts_with(line, "child"))
		return read_child(handover, line);
	return read_socket(handover, line);
}

static int read_text(struct handover *handover, FILE *in, struct reason *reterr)
{
	char line[LINE_BYTES];
	int version = 0;

	if (!fgets(line, sizeof(line), in) ||
	    sscanf(line, "displayd-handover %d %d", &version, &handover->first_fd) != 2 ||
	    version != HANDOVER_VERSION)
		return reason_set(reterr,
				  "handover data of the old program has version %d, and this "
				  "program supports version %d",
				  version, HANDOVER_VERSION);
	while (fgets(line, sizeof(line), in))
		if (!read_line(handover, line))
			return reason_set(
			    reterr, "handover data of the old program contains an invalid line");
	if (handover->lock_fd < 0 || handover->shared_fd < 0 || !set_descriptors(handover, true))
		return reason_set(reterr, "handover data of the old program is not open");
	return 0;
}

int handover_read(struct handover *ret, struct reason *reterr)
{
	const char *value = getenv(VARIABLE);
	int pid = 0, fd = -1, rc;
	FILE *in;

	handover_init(ret);
	if (!value)
		return -ENOENT;
	rc = sscanf(value, "%d:%d", &pid, &fd);
	unsetenv(VARIABLE);
	/* A child of such a program has the variable and not the descriptors. */
	if (rc != 2 || pid != getpid())
		return -ENOENT;
	in = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(dup(fd), "r") : NULL;
	if (!in)
		return reason_set(reterr, "cannot read the handover data of the old program");
	rc = read_text(ret, in, reterr);
	fclose(in);
	if (rc < 0)
		ret->unread_fd = fd;
	else
		close(fd);
	return rc;
}

void handover_finish(struct handover *handover)
{
	if (handover->first_fd >= 0)
		close(handover->first_fd);
	if (handover->config_fd >= 0)
		close(handover->config_fd);
	handover->first_fd = handover->config_fd = -1;
}

/* NOLINTEND(cert-err34-c) */
