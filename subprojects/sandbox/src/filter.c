/*
 * A filter of system calls, with the calls that all lists share. A call that is not on a list fails
 * with EPERM. clone3 fails with ENOSYS, so that the C library uses clone, whose flags a filter can
 * check: threads are allowed, processes are not.
 */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include "private.h"

/* Calls for memory, threads, the process's own signals, clocks, and open descriptors. */
static const int running[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(munmap),
    SCMP_SYS(madvise),
    SCMP_SYS(brk),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(getrusage),
    SCMP_SYS(getrandom),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

int sandbox_filter_allow(scmp_filter_ctx filter, const int *calls, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	return status;
}

/* Allows mremap(), but not with an old size of 0, which maps the same memory again: then one
 * mapping could be writable and the other executable (mremap(2)). */
static int allow_remapping(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mremap), 1,
				SCMP_A1(SCMP_CMP_NE, 0));
}

static int allow_threads(scmp_filter_ctx filter)
{
	int status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));

	if (status == 0)
		status = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return status;
}

scmp_filter_ctx sandbox_filter_create(int *ret_status)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));

	if (!filter) {
		*ret_status = -ENOMEM;
		return NULL;
	}
	*ret_status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (*ret_status == 0)
		*ret_status = sandbox_filter_allow(filter, running, COUNT(running));
	if (*ret_status == 0)
		*ret_status = allow_remapping(filter);
	if (*ret_status == 0)
		*ret_status = allow_threads(filter);
	return filter;
}

int sandbox_filter_allow_connected(scmp_filter_ctx filter, int call)
{
	/* The bits of socket(2) that are not flags. */
	enum { SOCKET_TYPE = 0xf };
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
	int status = 0;

	for (size_t i = 0; i < COUNT(types) && status == 0; i++)
		status = seccomp_rule_add(
		    filter, SCMP_ACT_ALLOW, call, 2, SCMP_A0(SCMP_CMP_EQ, AF_UNIX),
		    SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_TYPE, (scmp_datum_t)types[i]));
	return status;
}
