/* sandbox_test LAUNCHER PROBE: what a program in the sandbox can do, and what it cannot. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../test/unit/cmocka_test.h"

/* Exit code for meson. */
enum { SKIPPED = 77 };

static char *launcher, *probe;

/* Runs the launcher with the link's other end at 3 and a file of the parent's at 7. Returns the
 * status that waitpid gives. */
static int run(char *const arguments[])
{
	int link[2], status, mine = open("/dev/zero", O_RDWR);
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	child = fork();
	if (child == 0) {
		if (dup2(fcntl(link[1], F_DUPFD, 10), 3) < 0 ||
		    dup2(fcntl(mine, F_DUPFD, 10), 7) < 0)
			_exit(253);
		execv(arguments[0], arguments);
		_exit(252);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(link[0]);
	close(link[1]);
	close(mine);
	return status;
}

/* Returns the errno that the attempt ended with. */
static int attempt(const char *stage, const char *what)
{
	char *launched[] = {launcher,	   "--best-effort", "--network", probe,
			    (char *)stage, (char *)what,    NULL};
	bool is_server =
	    !strcmp(stage, "server") || !strcmp(stage, "client") || !strcmp(stage, "ringless");
	int status;

	if (strcmp(stage, "network") != 0)
		memmove(launched + 2, launched + 3, 4 * sizeof(*launched));
	status = run(is_server ? launched + 2 : launched);

	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) < 250);
	return WEXITSTATUS(status);
}

static void refuses(const char *stage, const char *what)
{
	int error = attempt(stage, what);

	print_message("%s, %s: %s\n", stage, what, strerror(error));
	assert_int_not_equal(error, 0);
}

/* The attempt must fail because of the sandbox, not for another reason. */
static void sandbox_refuses(const char *stage, const char *what)
{
	int error = attempt(stage, what);

	print_message("%s, %s: %s\n", stage, what, strerror(error));
	assert_true(error == EPERM || error == EACCES);
}

TEST(test_refuses_before_it_is_sealed)
{
	static const char *const names[] = {
	    "make a socket",	"make a unix socket",
	    "connect",		"make a process",
	    "make a namespace", "signal the parent",
	    "trace the parent", "use the parent's descriptor",
	    "take 1 GiB",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		refuses("start", names[i]);
}

/* Before sandbox_restrict() only Landlock protects files, and not every kernel has it. */
TEST(test_landlock)
{
	static const char *const names[] = {
	    "read /etc/passwd", "read /proc/self/environ", "list /",
	    "write a file",	"run a program",
	};
	char *arguments[] = {launcher, "--required", probe, "start", "write to the link", NULL};
	int status = run(arguments);

	if (WEXITSTATUS(status) == 125) {
		print_message("this kernel or container has not all layers\n");
		skip();
	}
	assert_int_equal(status, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		refuses("start", names[i]);
}

TEST(test_refuses_all_once_sealed)
{
	static const char *const names[] = {
	    "read /etc/passwd",
	    "read /proc/self/environ",
	    "list /",
	    "write a file",
	    "make a socket",
	    "make a unix socket",
	    "connect",
	    "run a program",
	    "make a process",
	    "make a namespace",
	    "signal the parent",
	    "trace the parent",
	    "change limits",
	    "use the parent's descriptor",
	    "take 1 GiB",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		refuses("sealed", names[i]);
}

TEST(test_an_interpreter_has_less)
{
	static const char *const refused[] = {
	    "read /etc/passwd",
	    "read /proc/self/environ",
	    "list /",
	    "write a file",
	    "make a socket",
	    "make a unix socket",
	    "connect",
	    "run a program",
	    "run a descriptor",
	    "make a process",
	    "make a thread",
	    "make a namespace",
	    "signal the parent",
	    "signal the process group",
	    "trace the parent",
	    "read the parent's memory",
	    "change limits",
	    "change the user",
	    "make a file in memory",
	    "map memory to write and execute",
	    "turn memory into code",
	    "map code a second time to write",
	    "use the parent's descriptor",
	    "take 1 GiB",
	};
	static const char *const allowed[] = {
	    "take 16 MiB",
	    "write to the link",
	    "find a clean environment",
	    "let others run",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		refuses("script", refused[i]);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		assert_int_equal(attempt("script", allowed[i]), 0);
}

TEST(test_a_network)
{
	static const char *const refused[] = {
	    "read /proc/self/environ",
	    "list /",
	    "write a file",
	    "rename a file",
	    "remove a file",
	    "make a file in memory",
	    "make a unix socket",
	    "make a unix datagram socket",
	    "make a pair of datagram sockets",
	    "make a packet socket",
	    "make a socket of the kernel's ciphers",
	    "bind a port",
	    "listen",
	    "run a program",
	    "run a descriptor",
	    "make a process",
	    "make a namespace",
	    "change the user",
	    "signal the parent",
	    "signal the process group",
	    "trace the parent",
	    "read the parent's memory",
	    "change limits",
	    "map memory to write and execute",
	    "turn memory into code",
	    "map code a second time to write",
	    "use the parent's descriptor",
	    "take 1 GiB",
	};
	static const char *const allowed[] = {
	    "take 16 MiB",
	    "make a thread",
	    "write to the link",
	    "find a clean environment",
	    "make a netlink socket",
	    "make a socket",
	    "make a pair of streams",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		refuses("network", refused[i]);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		assert_int_equal(attempt("network", allowed[i]), 0);
}

TEST(test_allows_what_a_program_needs)
{
	static const char *const names[] = {
	    "take 16 MiB",
	    "make a thread",
	    "write to the link",
	    "find a clean environment",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(attempt("start", names[i]), 0);
		assert_int_equal(attempt("sealed", names[i]), 0);
	}
}

/* Attempts that neither a server nor a client of other servers needs. */
static const char *const refused_to_servers[] = {
    "read /proc/self/environ",
    "list /",
    "write a file",
    "rename a file",
    "remove a file",
    "make a link",
    "make a file in memory",
    "make a packet socket",
    "make a socket of the kernel's ciphers",
    "connect with the first data",
    "bind a unix socket",
    "bind a port",
    "listen",
    "run a program",
    "run a descriptor",
    "make a process",
    "make a namespace",
    "change the user",
    "change the root",
    "mount",
    "signal the parent",
    "signal the process group",
    "trace the parent",
    "read the parent's memory",
    "change limits",
    "make an io_uring",
    "use bpf",
    "use the kernel's keys",
    "watch performance",
    "map memory to write and execute",
    "turn memory into code",
    "map code a second time to write",
    "splice lines into the log and wait",
    "splice lines elsewhere",
    "splice a file into the log",
    "make a pair of datagram sockets",
};

/* False if this kernel or container lacks a layer. */
static bool can_restrict_servers(void)
{
	char *arguments[] = {probe, "server", "take 16 MiB", NULL};

	return WEXITSTATUS(run(arguments)) != 250;
}

TEST(test_server)
{
	static const char *const refused[] = {
	    "read /etc/passwd",
	    "make a socket",
	    "make a netlink socket",
	    "make a unix datagram socket",
	};
	static const char *const allowed[] = {
	    "take 16 MiB",
	    "make a thread",
	    "write to the link",
	    "make a unix socket",
	    "make a pair of streams",
	    "reach a unix socket",
	    "use the parent's descriptor",
	    "splice lines into the log",
	};

	if (!can_restrict_servers())
		skip();
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		sandbox_refuses("server", refused[i]);
	for (size_t i = 0; i < sizeof(refused_to_servers) / sizeof(*refused_to_servers); i++)
		sandbox_refuses("server", refused_to_servers[i]);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		assert_int_equal(attempt("server", allowed[i]), 0);
}

TEST(test_client)
{
	static const char *const allowed[] = {
	    "take 16 MiB",
	    "make a thread",
	    "write to the link",
	    "make a socket",
	    "make a unix socket",
	    "make a netlink socket",
	    "read /etc/passwd",
	    "reach a unix socket",
	    "splice lines into the log",
	    "make a pair of streams",
	};

	if (!can_restrict_servers())
		skip();
	sandbox_refuses("client", "make a unix datagram socket");
	for (size_t i = 0; i < sizeof(refused_to_servers) / sizeof(*refused_to_servers); i++)
		sandbox_refuses("client", refused_to_servers[i]);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		assert_int_equal(attempt("client", allowed[i]), 0);
}

TEST(test_a_sealed_process_can_abort)
{
	char *arguments[] = {probe, "server", "abort", NULL};
	int status = run(arguments);

	if (!can_restrict_servers())
		skip();
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* All other calls are allowed. */
TEST(test_io_uring_is_refused)
{
	assert_int_equal(attempt("ringless", "make an io_uring"), ENOSYS);
	assert_int_equal(attempt("ringless", "make an io_uring in another program"), ENOSYS);
	assert_int_equal(attempt("ringless", "make a process"), 0);
	assert_int_equal(attempt("ringless", "read /etc/passwd"), 0);
}

TEST(test_time_of_the_processor_is_limited)
{
	char *launched[] = {launcher, "--best-effort", "--cpu",		"1",
			    probe,    "start",	       "work for ever", NULL};
	int status = run(launched);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

TEST(test_launcher_says_what_is_wrong)
{
	char *no_program[] = {launcher, "/nowhere", NULL};
	char *no_size[] = {launcher, "--data", "much", probe, NULL};
	char *nothing[] = {launcher, NULL};

	assert_int_equal(WEXITSTATUS(run(no_program)), 126);
	assert_int_equal(WEXITSTATUS(run(no_size)), 2);
	assert_int_equal(WEXITSTATUS(run(nothing)), 2);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	/* This fails in qemu-user, which does not pass seccomp on to the kernel. */
	if (prctl(PR_GET_SECCOMP) < 0) {
		printf("this kernel has no seccomp\n");
		return SKIPPED;
	}
	launcher = argv[1];
	probe = argv[2];
	return run_all_tests(NULL, NULL);
}
