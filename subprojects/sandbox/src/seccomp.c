/* Lists of system calls: those that a program needs before sandbox_restrict(), and those after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "private.h"
#include "sandbox/sandbox.h"

/* Programs and Go's runtime may map memory without restrictions: it belongs to the sandboxed
 * process alone. */
static const int mapping[] = {
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect),
};

/* Calls of the loader of shared libraries, of the start of the C library and of Go, and of
 * sandbox_restrict(). */
static const int starting[] = {
    SCMP_SYS(execve),	       SCMP_SYS(execveat),   SCMP_SYS(open),
    SCMP_SYS(openat),	       SCMP_SYS(pread64),    SCMP_SYS(stat),
    SCMP_SYS(newfstatat),      SCMP_SYS(statx),	     SCMP_SYS(lseek),
    SCMP_SYS(access),	       SCMP_SYS(faccessat),  SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),	       SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
    SCMP_SYS(fcntl),	       SCMP_SYS(ioctl),	     SCMP_SYS(arch_prctl),
    SCMP_SYS(set_tid_address), SCMP_SYS(prlimit64),  SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit),       SCMP_SYS(uname),	     SCMP_SYS(sysinfo),
    SCMP_SYS(getuid),	       SCMP_SYS(geteuid),    SCMP_SYS(getgid),
    SCMP_SYS(getegid),	       SCMP_SYS(getppid),    SCMP_SYS(prctl),
    SCMP_SYS(seccomp),	       SCMP_SYS(tgkill),     SCMP_SYS(setitimer),
};

/* All calls of an interpreter in C. */
static const int interpreting[] = {
    SCMP_SYS(read),	    SCMP_SYS(write),	     SCMP_SYS(brk),	  SCMP_SYS(munmap),
    SCMP_SYS(madvise),	    SCMP_SYS(clock_gettime), SCMP_SYS(getrusage), SCMP_SYS(setitimer),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(exit_group),    SCMP_SYS(futex),	  SCMP_SYS(sched_yield),
};

/* Calls with which Go waits for descriptors and timers. */
static const int waiting[] = {
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(eventfd2),
};

/* Allows the calls of Go's runtime: signals to its own threads, names of memory, and flags of
 * descriptors. */
static int allow_go(scmp_filter_ctx filter)
{
	int status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				      SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));

	if (status == 0)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
					  SCMP_A0(SCMP_CMP_EQ, PR_SET_VMA));
	if (status == 0)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
					  SCMP_A1(SCMP_CMP_EQ, F_GETFL));
	if (status == 0)
		status = sandbox_filter_allow(filter, waiting, COUNT(waiting));
	if (status == 0)
		status = sandbox_filter_allow(filter, mapping, COUNT(mapping));
	return status;
}

bool sandbox_enter_seccomp(bool has_network)
{
	int status;
	scmp_filter_ctx filter = sandbox_filter_create(&status);

	if (status == 0)
		status = sandbox_filter_allow(filter, mapping, COUNT(mapping));
	if (status == 0)
		status = sandbox_filter_allow(filter, starting, COUNT(starting));
	if (status == 0)
		status = sandbox_filter_allow(filter, waiting, COUNT(waiting));
	if (status == 0 && has_network)
		status = sandbox_filter_allow_network(filter);
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return status == 0;
}

/* Allows the calls of an interpreter; mapped memory must not be executable. */
static int allow_script(scmp_filter_ctx filter)
{
	int status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));

	if (status == 0)
		status = sandbox_filter_allow(filter, interpreting, COUNT(interpreting));
	return status;
}

static int compare_nothing(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return 0;
}

/* glibc reads the size of the memory once, before it first sorts more than 1 KiB. If that fails, it
 * sorts in place from then on and compares elements with themselves, which makes libwebp abort.
 */
static void warm_qsort(void)
{
	char elements[2048] = {0};

	qsort(elements, sizeof(elements), 1, compare_nothing);
}

bool sandbox_is_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

/* Forbids io_uring and allows all other calls. Programs of another architecture keep all of their
 * calls. */
static int refuse_io_uring(scmp_filter_ctx filter)
{
	static const int calls[] = {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
				    SCMP_SYS(io_uring_register)};
	int status = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);

	for (size_t i = 0; i < COUNT(calls) && status == 0; i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), calls[i], 0);
	if (status == 0)
		status = seccomp_load(filter);
	return status;
}

bool sandbox_refuse_io_uring(void)
{
	scmp_filter_ctx filter;
	bool done;

	if (sandbox_is_under_valgrind())
		return false;
	/* The parent has forbidden it already, or the kernel does not have it. */
	if (syscall(SYS_io_uring_setup, 0, NULL) < 0 && errno == ENOSYS)
		return true;
	filter = seccomp_init(SCMP_ACT_ALLOW);
	done = filter && refuse_io_uring(filter) == 0;
	seccomp_release(filter);
	return done;
}

int sandbox_restrict(enum sandbox_list list)
{
	int status;
	scmp_filter_ctx filter;

	warm_qsort();
	if (list == SANDBOX_SCRIPT) {
		filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
		status = filter ? allow_script(filter) : -ENOMEM;
	} else {
		filter = sandbox_filter_create(&status);
		if (status == 0 && list == SANDBOX_NETWORK)
			status = sandbox_filter_allow_network(filter);
		else if (status == 0)
			status = allow_go(filter);
	}
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return status;
}
