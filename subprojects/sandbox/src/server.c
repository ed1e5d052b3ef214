/*
 * The filter of a server's process. The kernel caches which calls are allowed with any arguments
 * and does not run the filter for them, so the calls of each request have no condition, except that
 * for sending a query; the others are found by a binary tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "private.h"
#include "sandbox/sandbox.h"

/* Calls by name, which libseccomp turns into the numbers of this processor. */
static const int serving[] = {
    SCMP_SYS(epoll_wait),  SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl),	SCMP_SYS(poll),
    SCMP_SYS(ppoll),	   SCMP_SYS(accept),	  SCMP_SYS(accept4),	SCMP_SYS(connect),
    SCMP_SYS(recvfrom),	   SCMP_SYS(recvmsg),	  SCMP_SYS(shutdown),	SCMP_SYS(getsockname),
    SCMP_SYS(getpeername), SCMP_SYS(getsockopt),  SCMP_SYS(setsockopt), SCMP_SYS(getuid),
    SCMP_SYS(geteuid),	   SCMP_SYS(getgid),	  SCMP_SYS(getegid),	SCMP_SYS(uname),
    SCMP_SYS(sysinfo),	   SCMP_SYS(setpriority), SCMP_SYS(eventfd2),	SCMP_SYS(ftruncate),
    SCMP_SYS(pread64),	   SCMP_SYS(lseek), /* of downloads, whose files are open */
};

/* For names, certificates and passwords in files, and for look-ups that load libraries. */
static const int reading[] = {
    SCMP_SYS(stat),	  SCMP_SYS(lstat),	SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(access),	  SCMP_SYS(faccessat),	SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getdents64), SCMP_SYS(getcwd),     SCMP_SYS(recvmmsg),
};

/* Calls that a sanitizer needs for its reports and its search for leaks. */
static const int sanitizing[] = {
    SCMP_SYS(getdents),
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(socketpair),
    SCMP_SYS(fcntl),
    SCMP_SYS(ioctl),
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(clone),
    SCMP_SYS(execve),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(tgkill),
    SCMP_SYS(ptrace),
    SCMP_SYS(prctl),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(prlimit64),
    SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit),
    SCMP_SYS(personality),
    SCMP_SYS(getppid),
    SCMP_SYS(close_range),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(set_tid_address),
};

/* A call that is allowed if an argument has a value, in all or in some of its bits. */
struct conditional {
	int call;
	struct scmp_arg_cmp condition;
};

#define BITS(argument, mask, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)
#define IS(argument, value) SCMP_CMP(argument, SCMP_CMP_EQ, (scmp_datum_t)(value))

static int allow_conditional(scmp_filter_ctx filter, const struct conditional *calls, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, calls[i].call, 1,
						&calls[i].condition);
	return status;
}

static int allow_basics(scmp_filter_ctx filter)
{
	const struct conditional calls[] = {
	    {SCMP_SYS(fcntl), IS(1, F_GETFL)},
	    {SCMP_SYS(fcntl), IS(1, F_SETFL)},
	    {SCMP_SYS(fcntl), IS(1, F_GETFD)},
	    {SCMP_SYS(fcntl), IS(1, F_SETFD)},
	    {SCMP_SYS(fcntl), IS(1, F_DUPFD_CLOEXEC)},
	    {SCMP_SYS(ioctl), IS(1, FIONBIO)},
	    {SCMP_SYS(ioctl), IS(1, FIONREAD)},
	    {SCMP_SYS(mprotect), BITS(2, PROT_EXEC, 0)},
	    {SCMP_SYS(mmap), BITS(2, PROT_EXEC, 0)},
	    /* MSG_FASTOPEN connects without a check by Landlock. */
	    {SCMP_SYS(sendto), BITS(3, MSG_FASTOPEN, 0)},
	    {SCMP_SYS(sendmsg), BITS(2, MSG_FASTOPEN, 0)},
	    {SCMP_SYS(sendmmsg), BITS(3, MSG_FASTOPEN, 0)},
	    /* Only for abort(). */
	    {SCMP_SYS(tgkill), IS(0, getpid())},
	    /* For fstat() of the C library. A filter cannot see whether the path is empty, so the
	     * attributes of a file that is not open can be read, too, but nothing else of it. */
	    {SCMP_SYS(newfstatat), BITS(3, AT_EMPTY_PATH, AT_EMPTY_PATH)},
	};

	int status = sandbox_filter_allow_connected(filter, SCMP_SYS(socketpair));

	return status ? status : allow_conditional(filter, calls, COUNT(calls));
}

static int allow_server(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2, IS(0, AF_UNIX),
				BITS(1, 0xf, SOCK_STREAM));
}

/* Allows the calls of a client. The C library chooses addresses over netlink, whose sockets must be
 * bound; no other socket's address has that length. */
static int allow_client(scmp_filter_ctx filter)
{
	static const int open_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	enum { NETLINK_ADDRESS_BYTES = 12 };
	const struct conditional calls[] = {
	    {SCMP_SYS(socket), IS(0, AF_INET)},
	    {SCMP_SYS(socket), IS(0, AF_INET6)},
	    {SCMP_SYS(socket), IS(0, AF_NETLINK)},
	    {SCMP_SYS(bind), IS(2, NETLINK_ADDRESS_BYTES)},
	    {SCMP_SYS(open), BITS(1, open_flags, O_RDONLY)},
	    {SCMP_SYS(openat), BITS(2, open_flags, O_RDONLY)},
	    /* Code of shared libraries must not be writable. */
	    {SCMP_SYS(mmap), BITS(2, PROT_WRITE, 0)},
	};
	int status = sandbox_filter_allow(filter, reading, COUNT(reading));

	if (status == 0)
		status = sandbox_filter_allow_connected(filter, SCMP_SYS(socket));
	return status ? status : allow_conditional(filter, calls, COUNT(calls));
}

/* Allows splice() between these descriptors only: it could also move pages of a file into a pipe.
 */
static int allow_log(scmp_filter_ctx filter, int spliced)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(splice), 5, IS(0, spliced),
				IS(1, 0), IS(2, STDERR_FILENO), IS(3, 0), IS(5, SPLICE_F_NONBLOCK));
}

bool sandbox_enter_seccomp_server(const struct sandbox_server *server)
{
	int status;
	scmp_filter_ctx filter = sandbox_filter_create(&status);

	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (status == 0)
		status = sandbox_filter_allow(filter, serving, COUNT(serving));
	/* libseccomp would keep both a rule without a condition and others of the same call. */
	if (status == 0 && server->has_sanitizer)
		status = sandbox_filter_allow(filter, sanitizing, COUNT(sanitizing));
	if (status == 0 && server->has_sanitizer)
		status = sandbox_filter_allow(filter, reading, COUNT(reading));
	if (status == 0)
		status = allow_basics(filter);
	if (status == 0 && server->spliced)
		status = allow_log(filter, server->spliced);
	if (status == 0)
		status = server->is_client ? allow_client(filter) : allow_server(filter);
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return status == 0;
}

unsigned sandbox_restrict_server(const struct sandbox_server *server)
{
	unsigned layers = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 0;
	layers |= SANDBOX_NO_NEW_PRIVS;
	if (!server->has_sanitizer && sandbox_enter_landlock_server(server))
		layers |= SANDBOX_LANDLOCK;
	if (sandbox_enter_seccomp_server(server))
		layers |= SANDBOX_SECCOMP;
	return layers;
}

unsigned sandbox_server_layers(bool has_sanitizer)
{
	uint32_t action = SECCOMP_RET_ERRNO;
	unsigned layers = SANDBOX_NO_NEW_PRIVS;

	if (!has_sanitizer && sandbox_landlock_abi() >= 1)
		layers |= SANDBOX_LANDLOCK;
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		layers |= SANDBOX_SECCOMP;
	return layers;
}
