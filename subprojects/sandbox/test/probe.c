/*
 * The program that the tests run in the sandbox: probe STAGE ATTEMPT. STAGE is "start" (between
 * exec and sandbox_restrict()), "sealed" (after it), "script" (restricted as an interpreter) or
 * "network"; "server" and "client" are a server's restricted process, which may read /etc as a
 * client; "ringless" has no io_uring. Ends with 0 if the attempt succeeded, else with its errno,
 * and with 250 if a layer of the sandbox is missing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

enum { MISSING = 250 };

/* Pipes of a server's process: one it may splice, and its standard error. */
static int lines[2], logged[2];

/* Socket opened before sandbox_restrict_server(), as those of a server's clients. */
static int open_socket;

static int result(long returned)
{
	return returned < 0 ? errno : 0;
}

static int read_file(const char *path)
{
	return result(open(path, O_RDONLY));
}

static int write_file(void)
{
	return result(open("/tmp/sandbox-probe", O_WRONLY | O_CREAT, 0600));
}

static int read_passwd(void)
{
	return read_file("/etc/passwd");
}

static int read_environment(void)
{
	return read_file("/proc/self/environ");
}

static int list_root(void)
{
	return result(open("/", O_RDONLY | O_DIRECTORY));
}

static int make_socket(void)
{
	return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int make_unix_socket(void)
{
	return result(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int make_datagram_pair(void)
{
	return result(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, (int[2]){0}));
}

static int make_stream_pair(void)
{
	return result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, (int[2]){0}));
}

static int make_netlink_socket(void)
{
	return result(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
}

static int make_datagram_socket(void)
{
	return result(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int make_packet_socket(void)
{
	return result(socket(AF_PACKET, SOCK_DGRAM, 0));
}

static int make_raw_socket(void)
{
	return result(socket(AF_ALG, SOCK_SEQPACKET, 0));
}

/* The socket would be a new file. */
static int bind_unix_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX,
				      .sun_path = "/tmp/sandbox-probe-socket"};

	return result(
	    bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address)));
}

static int bind_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};

	return result(
	    bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address)));
}

static int listen_anywhere(void)
{
	return result(listen(socket(AF_INET, SOCK_STREAM, 0), 1));
}

static int reach_unix_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/nonexistent/socket"};

	if (connect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&address,
		    sizeof(address)) == 0)
		return EISCONN;
	return errno == ENOENT ? 0 : errno;
}

static int connect_link(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return result(connect(3, (struct sockaddr *)&address, sizeof(address)));
}

/* Connects as well; to a port at which nobody listens. */
static int connect_with_data(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
	struct iovec data = {.iov_base = (char[]){'x'}, .iov_len = 1};
	struct mmsghdr message = {.msg_hdr = {.msg_name = &address,
					      .msg_namelen = sizeof(address),
					      .msg_iov = &data,
					      .msg_iovlen = 1}};
	int flags = MSG_FASTOPEN | MSG_NOSIGNAL;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (sendto(open_socket, "x", 1, flags, (struct sockaddr *)&address, sizeof(address)) !=
		-1 ||
	    errno != EPERM)
		return 0;
	if (sendmsg(open_socket, &message.msg_hdr, flags) != -1 || errno != EPERM)
		return 0;
	return result(sendmmsg(open_socket, &message, 1, flags));
}

static int run_program(void)
{
	char *arguments[] = {"true", NULL};

	return result(execv("/bin/true", arguments));
}

static int run_descriptor(void)
{
	char *nothing[] = {NULL};

	return result(syscall(SYS_execveat, 0, "", nothing, nothing, AT_EMPTY_PATH));
}

static int make_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return result(child);
}

static int make_namespace(void)
{
	return result(unshare(CLONE_NEWUSER));
}

static int change_user(void)
{
	return result(setuid(65534));
}

static int change_root(void)
{
	return result(chroot("/"));
}

static int mount_something(void)
{
	return result(mount("none", "/mnt", "tmpfs", 0, NULL));
}

static int signal_group(void)
{
	return result(kill(0, 0));
}

static int read_parent(void)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {&byte, 1};

	return result(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int make_ring(void)
{
	return result(syscall(SYS_io_uring_setup, 1, NULL));
}

static int make_ring_elsewhere(void)
{
	execl("/proc/self/exe", "probe", "start", "make an io_uring", NULL);
	return 0;
}

static int use_bpf(void)
{
	return result(syscall(SYS_bpf, 0, NULL, 0));
}

static int use_keys(void)
{
	return result(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
}

static int watch_performance(void)
{
	return result(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0));
}

static int make_memory_file(void)
{
	return result(memfd_create("probe", 0));
}

static int rename_file(void)
{
	return result(rename("/tmp/sandbox-probe", "/tmp/sandbox-probe-2"));
}

static int remove_file(void)
{
	return result(unlink("/tmp/sandbox-probe"));
}

static int link_file(void)
{
	return result(symlink("/", "/tmp/sandbox-probe-link"));
}

static int map(int protection)
{
	void *memory = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? errno : 0;
}

static int map_code(void)
{
	return map(PROT_READ | PROT_WRITE | PROT_EXEC);
}

static int turn_into_code(void)
{
	static char page[8192] __attribute__((aligned(4096)));

	return result(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

/* Maps code a second time, writable, if code may be mapped, as for shared libraries. */
static int map_code_twice(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *again;

	if (code == MAP_FAILED)
		return errno;
	again = mremap(code, 0, 4096, MREMAP_MAYMOVE);
	if (again == MAP_FAILED)
		return errno;
	return result(mprotect(again, 4096, PROT_READ | PROT_WRITE));
}

static int end_by_abort(void)
{
	abort();
}

static int signal_parent(void)
{
	return result(kill(getppid(), 0));
}

static int trace_parent(void)
{
	return result(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
}

static int leave_limits(void)
{
	return result(syscall(SYS_setrlimit, 0, NULL));
}

static int use_descriptor(void)
{
	return result(write(7, "", 1));
}

static int take_memory(void)
{
	void *memory =
	    mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? errno : 0;
}

static int let_others_run(void)
{
	return sched_yield() == 0 ? 0 : errno;
}

static int take_some_memory(void)
{
	void *memory =
	    mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? errno : 0;
}

static void *nothing(void *argument)
{
	return argument;
}

static int make_thread(void)
{
	pthread_t thread;
	int status = pthread_create(&thread, NULL, nothing, NULL);

	return status ? status : pthread_join(thread, NULL);
}

static int use_link(void)
{
	return result(write(3, "", 1));
}

static int splice_lines(void)
{
	if (write(lines[1], "x", 1) != 1)
		return errno;
	return result(splice(lines[0], NULL, 2, NULL, 1, SPLICE_F_NONBLOCK));
}

static int splice_lines_and_wait(void)
{
	return result(splice(lines[0], NULL, 2, NULL, 1, 0));
}

static int splice_lines_elsewhere(void)
{
	return result(splice(lines[0], NULL, logged[1], NULL, 1, SPLICE_F_NONBLOCK));
}

static int splice_file(void)
{
	return result(splice(7, NULL, 2, NULL, 1, SPLICE_F_NONBLOCK));
}

static int see_environment(void)
{
	return getenv("HOME") || getenv("PATH") || !getenv("SANDBOX_LAYERS") ? EEXIST : 0;
}

static int work_for_ever(void)
{
	volatile unsigned turns = 1;

	while (turns)
		turns |= 1;
	return 0;
}

static const struct attempt {
	const char *name;
	int (*run)(void);
} attempts[] = {
    {"read /etc/passwd", read_passwd},
    {"work for ever", work_for_ever},
    {"read /proc/self/environ", read_environment},
    {"list /", list_root},
    {"write a file", write_file},
    {"make a socket", make_socket},
    {"make a unix socket", make_unix_socket},
    {"make a pair of datagram sockets", make_datagram_pair},
    {"make a pair of streams", make_stream_pair},
    {"connect", connect_link},
    {"connect with the first data", connect_with_data},
    {"run a program", run_program},
    {"make a process", make_process},
    {"make a namespace", make_namespace},
    {"signal the parent", signal_parent},
    {"trace the parent", trace_parent},
    {"change limits", leave_limits},
    {"use the parent's descriptor", use_descriptor},
    {"take 1 GiB", take_memory},
    {"take 16 MiB", take_some_memory},
    {"make a thread", make_thread},
    {"write to the link", use_link},
    {"find a clean environment", see_environment},
    {"let others run", let_others_run},
    {"make a netlink socket", make_netlink_socket},
    {"make a unix datagram socket", make_datagram_socket},
    {"make a packet socket", make_packet_socket},
    {"make a socket of the kernel's ciphers", make_raw_socket},
    {"bind a unix socket", bind_unix_socket},
    {"bind a port", bind_port},
    {"listen", listen_anywhere},
    {"reach a unix socket", reach_unix_socket},
    {"run a descriptor", run_descriptor},
    {"change the user", change_user},
    {"change the root", change_root},
    {"mount", mount_something},
    {"signal the process group", signal_group},
    {"read the parent's memory", read_parent},
    {"make an io_uring", make_ring},
    {"make an io_uring in another program", make_ring_elsewhere},
    {"use bpf", use_bpf},
    {"use the kernel's keys", use_keys},
    {"watch performance", watch_performance},
    {"make a file in memory", make_memory_file},
    {"rename a file", rename_file},
    {"remove a file", remove_file},
    {"make a link", link_file},
    {"map memory to write and execute", map_code},
    {"turn memory into code", turn_into_code},
    {"map code a second time to write", map_code_twice},
    {"abort", end_by_abort},
    {"splice lines into the log", splice_lines},
    {"splice lines into the log and wait", splice_lines_and_wait},
    {"splice lines elsewhere", splice_lines_elsewhere},
    {"splice a file into the log", splice_file},
};

/* Restricts the process as the stage needs. Returns the active layers. */
static unsigned restrict_to(const char *stage)
{
	static const char *const readable[] = {"/etc", "/nonexistent", NULL};
	struct sandbox_server server = {.is_client = !strcmp(stage, "client")};

	if (!strcmp(stage, "sealed"))
		return sandbox_restrict(SANDBOX_GO) == 0 ? SANDBOX_SERVER : 0;
	if (!strcmp(stage, "script"))
		return sandbox_restrict(SANDBOX_SCRIPT) == 0 ? SANDBOX_SERVER : 0;
	if (!strcmp(stage, "network"))
		return sandbox_restrict(SANDBOX_NETWORK) == 0 ? SANDBOX_SERVER : 0;
	if (!strcmp(stage, "ringless"))
		return sandbox_refuse_io_uring() && sandbox_refuse_io_uring() ? SANDBOX_SERVER : 0;
	if (!strcmp(stage, "start"))
		return SANDBOX_SERVER;
	if (pipe(lines) < 0 || pipe(logged) < 0 || dup2(logged[1], STDERR_FILENO) < 0)
		return 0;
	server.readable = server.is_client ? readable : NULL;
	server.spliced = lines[0];
	return sandbox_restrict_server(&server);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 255;
	open_socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (restrict_to(argv[1]) != SANDBOX_SERVER)
		return MISSING;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		if (!strcmp(argv[2], attempts[i].name))
			return attempts[i].run();
	}
	return 255;
}
