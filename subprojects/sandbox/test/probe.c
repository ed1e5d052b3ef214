/*
 * What runs in the sandbox in the tests: probe STAGE ATTEMPT. STAGE is "start" (between exec and
 * the seal) or "sealed". Ends with 0 where the attempt succeeded, else with its errno.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

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

static int connect_link(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return result(connect(3, (struct sockaddr *)&address, sizeof(address)));
}

static int run_program(void)
{
	char *arguments[] = {"true", NULL};

	return result(execv("/bin/true", arguments));
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

static int see_environment(void)
{
	return getenv("HOME") || getenv("PATH") || !getenv("SANDBOX_LAYERS") ? EEXIST : 0;
}

static const struct attempt {
	const char *name;
	int (*run)(void);
} attempts[] = {
    {"read /etc/passwd", read_passwd},
    {"read /proc/self/environ", read_environment},
    {"list /", list_root},
    {"write a file", write_file},
    {"make a socket", make_socket},
    {"make a unix socket", make_unix_socket},
    {"connect", connect_link},
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
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 255;
	if (!strcmp(argv[1], "sealed") && sandbox_seal(SANDBOX_GO) != 0)
		return 254;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		if (!strcmp(argv[2], attempts[i].name))
			return attempts[i].run();
	}
	return 255;
}
