/*
 * Calls of a program that connects to servers of the internet: libcurl, name look-up of the C
 * library, and OpenSSL. Sockets are those of IP, and of netlink, over which the kernel reports this
 * machine's addresses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "private.h"
#include "sandbox/sandbox.h"

/* No bind() except for netlink, no listen(), no accept(). */
static const int speaking[] = {
    SCMP_SYS(poll),	  SCMP_SYS(ppoll),	 SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(connect),	  SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),	  SCMP_SYS(recvmmsg),	 SCMP_SYS(sendto),	  SCMP_SYS(sendmsg),
    SCMP_SYS(sendmmsg),	  SCMP_SYS(shutdown),	 SCMP_SYS(getsockname),	  SCMP_SYS(getpeername),
    SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),	 SCMP_SYS(eventfd2),	  SCMP_SYS(pipe2),
    SCMP_SYS(getuid),	  SCMP_SYS(geteuid),	 SCMP_SYS(getgid),	  SCMP_SYS(getegid),
    SCMP_SYS(uname),	  SCMP_SYS(sysinfo),	 SCMP_SYS(setitimer),
};

static const int looking_up[] = {
    SCMP_SYS(stat),	  SCMP_SYS(lstat),     SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(access),	  SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(lseek),     SCMP_SYS(pread64),    SCMP_SYS(getdents64),
};

struct conditional {
	int call;
	struct scmp_arg_cmp condition;
};

#define BITS(argument, mask, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)
#define IS(argument, value) SCMP_CMP(argument, SCMP_CMP_EQ, (scmp_datum_t)(value))

int sandbox_filter_allow_network(scmp_filter_ctx filter)
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
	    {SCMP_SYS(fcntl), IS(1, F_GETFL)},
	    {SCMP_SYS(fcntl), IS(1, F_SETFL)},
	    {SCMP_SYS(fcntl), IS(1, F_GETFD)},
	    {SCMP_SYS(fcntl), IS(1, F_SETFD)},
	    {SCMP_SYS(ioctl), IS(1, FIONBIO)},
	    {SCMP_SYS(ioctl), IS(1, FIONREAD)},
	    {SCMP_SYS(tgkill), IS(0, getpid())},
	    /* Memory may be writable or executable, not both; name look-ups load libraries. */
	    {SCMP_SYS(mmap), BITS(2, PROT_EXEC, 0)},
	    {SCMP_SYS(mmap), BITS(2, PROT_WRITE, 0)},
	    {SCMP_SYS(mprotect), BITS(2, PROT_EXEC, 0)},
	};
	int status = sandbox_filter_allow(filter, speaking, COUNT(speaking));

	if (status == 0)
		status = sandbox_filter_allow(filter, looking_up, COUNT(looking_up));
	if (status == 0)
		status = sandbox_filter_allow_connected(filter, SCMP_SYS(socketpair));
	for (size_t i = 0; i < COUNT(calls) && status == 0; i++)
		status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, calls[i].call, 1,
						&calls[i].condition);
	return status;
}
