#include "main/render_host.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/process.h"
#include "base/rights.h"
#include "main/exit_code.h"
#include "main/host_shared.h"
#include "main/program.h"
#include "render/health.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LINK_FD = 3,
	MESSAGES_A_TURN = 64, /* messages of one worker */
	COMPLAINT_MS = 1000,
	BEAT_MS = 500,
	STOPPED_MS = 3500, /* plus BEAT_MS until it is noticed: 4 s, as for a worker */
	/* Exit codes of sandbox-launch and of process_start(): the program never ran. */
	EXIT_NOT_STARTED = 125,
};

struct owner {
	int32_t pid; /* process ID in the worker's HELLO; 0: none yet */
	unsigned count;
	uint64_t complained_ms; /* time of the last log line about it */
};

struct renderer {
	struct list node; /* in host->renderers */
	pid_t pid;
	unsigned worker;
	int32_t owner; /* the worker's process ID when it was started */
	uint32_t number;
	struct host_shared *shared; /* NULL, or the program whose process it shares with others */
	uint64_t stopped_ms;	    /* since when its process is stopped; 0: it is not */
	bool hangs;		    /* it was killed for that */
};

struct host {
	const struct render_host_settings *settings;
	int signal_fd;
	int nothing; /* /dev/null */
	struct program programs[RENDER_PROGRAM_COUNT];
	bool has_program[RENDER_PROGRAM_COUNT];
	struct owner *owners; /* by the worker's index */
	struct list renderers;
	struct host_shared shared[RENDER_PROGRAM_COUNT]; /* state of shared programs */
	int session_nice;				 /* that of the session of all renderers */
	bool is_stopping;
};

/* Sends a message, with a descriptor unless it is -1. Returns false if the worker does not read, or
 * is gone. */
static bool tell(const struct host *host, unsigned worker, const struct host_message *message,
		 int descriptor)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (void *)message, .iov_len = sizeof(*message)};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};

	if (descriptor >= 0) {
		packet.msg_control = control.bytes;
		packet.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	}
	return sendmsg(host->settings->sockets[worker], &packet, MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       sizeof(*message);
}

static void greet(const struct host *host, unsigned worker)
{
	struct host_message hello = {.kind = HOST_HELLO, .value = getpid()};

	(void)tell(host, worker, &hello, -1);
}

/* ---- processes ---- */

/* Whether renderers get the priority of other programs. */
static bool is_hurried(const struct host *host)
{
	return render_health_is_hurried(host->settings->health, clock_monotonic_ms());
}

/* Starts a program. link: the process's end of its socket. */
static pid_t start_program(const struct host *host, enum render_program name, int link)
{
	static const char *const environment[] = {NULL};
	bool is_compiler = name == RENDER_COMPILER;
	/* A person waits for a message, which costs little. */
	bool is_nice = name != RENDER_MESSAGE && !host->settings->is_alone && !is_hurried(host);
	int fds[] = {is_compiler ? link : host->nothing, is_compiler ? link : host->nothing,
		     is_compiler ? link : host->nothing, link};
	/* Use a nice value, not SCHED_IDLE: a busy server would starve renderers until their
	 * deadlines. */
	struct process process = {
	    .arguments = host->programs[name].arguments,
	    .environment = environment,
	    .death_signal = SIGKILL,
	    .nice = is_nice ? PRIORITY_BACKGROUND : 0,
	    .is_apart = true,
	    .keeps_session = name != RENDER_MESSAGE, /* be_nice() */
	    .fds = fds,
	    .fd_count = is_compiler ? LINK_FD : LINK_FD + 1,
	};

	return process_start(&process);
}

/* Starts a renderer. Returns 0 with the worker's end of its socket, or a negative errno. */
static int start_renderer(struct host *host, unsigned worker, uint32_t number,
			  enum render_program name, int *ret_link)
{
	bool is_shared = render_program_is_shared(name);
	struct renderer *renderer;
	int links[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, links) != 0)
		return -errno;
	pid = is_shared ? host_shared_link(&host->shared[name], links[1])
			: start_program(host, name, links[1]);
	close(links[1]);
	if (pid < 0) {
		close(links[0]);
		return pid;
	}
	renderer = memory_zalloc(sizeof(*renderer));
	renderer->pid = pid;
	renderer->worker = worker;
	renderer->owner = host->owners[worker].pid;
	renderer->number = number;
	renderer->shared = is_shared ? &host->shared[name] : NULL;
	list_append(&host->renderers, &renderer->node);
	host->owners[worker].count++;
	*ret_link = links[0];
	return 0;
}

static void forget(struct host *host, struct renderer *renderer)
{
	host->owners[renderer->worker].count--;
	list_remove(&renderer->node);
	free(renderer);
}

static void on_ended(struct host *host, struct renderer *renderer, int status, uint32_t cpu_ms)
{
	struct host_message message = {
	    .kind = HOST_ENDED, .number = renderer->number, .program = cpu_ms, .value = status};

	if (renderer->hangs)
		message.value = HOST_STATUS_HUNG;
	else if (WIFEXITED(status) && WEXITSTATUS(status) >= EXIT_NOT_STARTED)
		log_error("render",
			  "cannot start a renderer: its program is missing, or a sandbox layer "
			  "that --sandbox required asks for",
			  LOG_INT("code", WEXITSTATUS(status)));
	if (renderer->owner == host->owners[renderer->worker].pid)
		(void)tell(host, renderer->worker, &message, -1);
	forget(host, renderer);
}

/* Notes that a process was stopped. now_ms 0: it continues. */
static void note_stop(struct host *host, pid_t pid, uint64_t now_ms)
{
	list_for_each (node, &host->renderers) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		if (renderer->pid == pid)
			renderer->stopped_ms = now_ms;
	}
}

/* Finds the shared program with this process. NULL: none. */
static struct host_shared *find_shared(struct host *host, pid_t pid)
{
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		if (host->shared[i].pid == pid)
			return &host->shared[i];
	return NULL;
}

/* Its end is reported like any other. */
static void kill_stopped(struct host *host, pid_t pid)
{
	struct host_shared *shared = find_shared(host, pid);

	log_error("render",
		  shared == &host->shared[RENDER_EGRESS] ? "egress did not respond, killed"
		  : shared				 ? "MQTT bridge did not respond, killed"
							 : "renderer did not respond, killed",
		  LOG_INT("pid", pid));
	list_for_each (node, &host->renderers) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		renderer->hangs |= renderer->pid == pid;
	}
	kill(pid, SIGKILL);
	/* The next socket gets another process. */
	if (shared)
		host_shared_leave(shared);
}

static void look_for_stopped(struct host *host)
{
	uint64_t now_ms = clock_monotonic_ms();

	list_for_each (node, &host->renderers) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		if (renderer->stopped_ms && !renderer->hangs &&
		    now_ms - renderer->stopped_ms >= STOPPED_MS)
			kill_stopped(host, renderer->pid);
	}
}

static uint32_t cpu_ms(const struct rusage *used)
{
	return (uint32_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000 +
	       (uint32_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1000;
}

static void reap(struct host *host)
{
	struct host_shared *shared;
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &used)) > 0) {
		if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
			note_stop(host, pid, WIFSTOPPED(status) ? clock_monotonic_ms() : 0);
			continue;
		}
		list_for_each (node, &host->renderers) {
			struct renderer *renderer = container_of(node, struct renderer, node);

			if (renderer->pid == pid)
				on_ended(host, renderer, status, cpu_ms(&used));
		}
		shared = find_shared(host, pid);
		if (shared)
			host_shared_leave(shared);
	}
}

/* Ends a link. A shared program continues as long as it has one. */
static void end_link(struct host *host, struct renderer *link)
{
	struct host_shared *shared = link->shared;

	on_ended(host, link, 0, 0);
	list_for_each (node, &host->renderers) {
		if (container_of(node, struct renderer, node)->shared == shared)
			return;
	}
	host_shared_end(shared);
}

/* Kills a worker's renderers: the one with this number, or all of its predecessor. */
static void kill_renderers(struct host *host, unsigned worker, const uint32_t *number)
{
	list_for_each (node, &host->renderers) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		if (renderer->worker != worker || (number && renderer->number != *number))
			continue;
		if (renderer->shared)
			end_link(host, renderer);
		else
			kill(renderer->pid, SIGKILL);
	}
}

/* ---- messages of workers ---- */

/* Limits log lines about a worker, so that it cannot fill the log. */
static bool may_complain(struct host *host, unsigned worker)
{
	struct owner *owner = &host->owners[worker];
	uint64_t now_ms = clock_monotonic_ms();

	if (owner->complained_ms && now_ms < owner->complained_ms + COMPLAINT_MS)
		return false;
	owner->complained_ms = now_ms;
	return true;
}

static void on_start(struct host *host, unsigned worker, const struct host_message *message)
{
	struct host_message answer = {.kind = HOST_STARTED, .number = message->number};
	int link = -1, error = 0;

	if (message->program >= RENDER_PROGRAM_COUNT || !host->has_program[message->program])
		error = -ENOENT;
	else if (host->owners[worker].count >= LIMIT_RENDERERS_OF_WORKER)
		error = -EAGAIN;
	else
		error = start_renderer(host, worker, message->number,
				       (enum render_program)message->program, &link);
	if (error < 0) {
		if (may_complain(host, worker))
			log_error("render", "cannot start a renderer",
				  LOG_INT("worker", worker + 1),
				  LOG_TEXT("error", strerror(-error)));
		answer.kind = HOST_FAILED;
		answer.value = -error;
	}
	if (!tell(host, worker, &answer, link) && link >= 0)
		kill_renderers(host, worker, &message->number);
	if (link >= 0)
		close(link);
}

static void on_message(struct host *host, unsigned worker, const struct host_message *message)
{
	switch (message->kind) {
	case HOST_HELLO:
		kill_renderers(host, worker, NULL);
		host->owners[worker].pid = message->value;
		/* The worker may have started after this host. */
		greet(host, worker);
		break;
	case HOST_START:
		on_start(host, worker, message);
		break;
	case HOST_KILL:
		kill_renderers(host, worker, &message->number);
		break;
	default:
		if (may_complain(host, worker))
			log_warn("render", "invalid message from a worker",
				 LOG_INT("worker", worker + 1));
	}
}

/* Descriptors that come with a message are closed by the kernel: there is no room for them. */
static void read_messages(struct host *host, unsigned worker)
{
	struct host_message message;
	ssize_t size;

	for (int i = 0; i < MESSAGES_A_TURN; i++) {
		size = recv(host->settings->sockets[worker], &message, sizeof(message),
			    MSG_DONTWAIT | MSG_TRUNC);
		if (size < 0)
			return;
		if (size == sizeof(message))
			on_message(host, worker, &message);
	}
}

static void read_signals(struct host *host)
{
	struct signalfd_siginfo info;

	while (read(host->signal_fd, &info, sizeof(info)) == sizeof(info))
		host->is_stopping |= info.ssi_signo == SIGTERM;
	reap(host);
}

/* ---- start and end ---- */

static int open_signals(void)
{
	sigset_t wanted;

	/* If SIGCHLD were ignored, the status of ended processes would be lost. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &wanted, NULL) < 0)
		return -1;
	return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool find_program(struct host *host, enum render_program name)
{
	if (!host->settings->renders && program_renders(name))
		return false;
	return program_find(name, host->settings->is_required, &host->programs[name]);
}

static bool start(struct host *host)
{
	const uint64_t kept =
	    RIGHT(CAP_SETUID) | RIGHT(CAP_SETGID) | RIGHT(CAP_SETPCAP) | RIGHT(CAP_KILL);

	host->signal_fd = open_signals();
	host->nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (host->signal_fd < 0 || host->nothing < 0 || (geteuid() == 0 && rights_keep(kept) < 0))
		return false;
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		host->has_program[i] = find_program(host, (enum render_program)i);
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		host->shared[i] = (struct host_shared){.program = &host->programs[i],
						       .allow = host->settings->egress_allow,
						       .nothing = host->nothing};
	for (unsigned i = 0; i < host->settings->workers; i++)
		greet(host, i);
	return true;
}

/* Makes the session of all renderers nice, so that they share the processors with other sessions as
 * one background process would; while pictures are late, as an ordinary one. Where Linux does not
 * share between sessions, the renderers' own nice values count: workers replace processes that were
 * started with the other one, since only the administrator may raise a priority. */
static void be_nice(struct host *host)
{
	int nice = is_hurried(host) ? 0 : PRIORITY_BACKGROUND;

	if (nice != host->session_nice && !host->settings->is_alone &&
	    priority_set_session(getpid(), nice))
		host->session_nice = nice;
}

static void serve(struct host *host)
{
	unsigned workers = host->settings->workers;
	struct pollfd *fds = memory_zalloc((workers + 1) * sizeof(*fds));

	for (unsigned i = 0; i < workers; i++)
		fds[i] = (struct pollfd){.fd = host->settings->sockets[i], .events = POLLIN};
	fds[workers] = (struct pollfd){.fd = host->signal_fd, .events = POLLIN};
	while (!host->is_stopping) {
		be_nice(host);
		if (host->settings->beat)
			atomic_fetch_add_explicit(host->settings->beat, 1, memory_order_relaxed);
		if (poll(fds, workers + 1, BEAT_MS) < 0)
			continue;
		if (fds[workers].revents)
			read_signals(host);
		for (unsigned i = 0; i < workers; i++) {
			if (fds[i].revents & POLLIN)
				read_messages(host, i);
			/* The supervisor has the other end, too. */
			host->is_stopping |= (fds[i].revents & POLLHUP) != 0;
		}
		look_for_stopped(host);
		log_flush();
	}
	free(fds);
}

int render_host_run(const struct render_host_settings *settings)
{
	struct host host = {.settings = settings};

	log_set_process("renderers");
	if (!settings->is_alone)
		setsid(); /* be_nice() must not slow the supervisor and the workers */
	/* Shows another name than a worker's in lists of processes. */
	prctl(PR_SET_NAME, RENDER_HOST_NAME);
	list_init(&host.renderers);
	host.owners = memory_zalloc(settings->workers * sizeof(*host.owners));
	if (!start(&host)) {
		log_error("render", "cannot start", LOG_TEXT("error", strerror(errno)));
		free(host.owners);
		return EXIT_FAILED;
	}
	if (settings->ready_pid)
		atomic_store(settings->ready_pid, getpid());
	serve(&host);
	list_for_each (node, &host.renderers) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		kill(renderer->pid, SIGKILL);
		free(renderer);
	}
	free(host.owners);
	return EXIT_DONE;
}
