/* A library to be preloaded (LD_PRELOAD): the system fails as a test chooses. The faults are in a
 * file that FAULTS names, mapped by test and server (faults.py has the same layout); without the
 * variable nothing fails. Its functions come before those of the C library and of sanitizers, so
 * each failure can also reach the program and its libraries on a real machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct faults {
	_Atomic int64_t pid;	     /* process that fails; 0: all */
	_Atomic int64_t allocation;  /* number of the failing allocation, from 1; 0: none */
	_Atomic int64_t allocations; /* allocations since the test set it to 0 */
	_Atomic int64_t failed;	     /* number of injected faults */
	_Atomic int64_t accepts;     /* number of accepts that fail with EMFILE */
	_Atomic int64_t write_bytes; /* maximum of a write to a socket; 0: unlimited */
	_Atomic int64_t clock_s;     /* added to the wall clock */
	_Atomic int64_t leaping_pid; /* process whose monotonic clock jumps */
	_Atomic int64_t leap_s;	     /* added to that clock */
};

static struct faults *faults;

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t count, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static int (*real_posix_memalign)(void **ret, size_t alignment, size_t size);
static int (*real_accept4)(int fd, struct sockaddr *address, socklen_t *length, int flags);
static ssize_t (*real_write)(int fd, const void *data, size_t size);
static ssize_t (*real_writev)(int fd, const struct iovec *parts, int count);
static ssize_t (*real_send)(int fd, const void *data, size_t size, int flags);
static ssize_t (*real_sendmsg)(int fd, const struct msghdr *message, int flags);
static int (*real_clock_gettime)(clockid_t clock, struct timespec *ret);
static int (*real_pthread_getattr_np)(pthread_t thread, pthread_attr_t *ret);

/* Whether a sanitizer looks up the stack of a new thread. It would end the program if that
 * failed. */
static _Thread_local bool is_asking __attribute__((tls_model("initial-exec")));

/* dlsym() may allocate before it has found any function. */
static char early[4096];
static size_t early_used;

static void *take_early(size_t size)
{
	size_t at = (early_used + 15) & ~(size_t)15;

	if (size > sizeof(early) - at)
		abort();
	early_used = at + size;
	return early + at;
}

static bool is_early(const void *memory)
{
	return (const char *)memory >= early && (const char *)memory < early + sizeof(early);
}

static void find(void)
{
	static bool is_finding;

	if (is_finding)
		return;
	is_finding = true;
	real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	real_posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
	real_accept4 =
	    (int (*)(int, struct sockaddr *, socklen_t *, int))dlsym(RTLD_NEXT, "accept4");
	real_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
	real_send = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
	real_sendmsg = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
	real_clock_gettime =
	    (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	real_pthread_getattr_np =
	    (int (*)(pthread_t, pthread_attr_t *))dlsym(RTLD_NEXT, "pthread_getattr_np");
	real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("FAULTS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapped = MAP_FAILED;

	if (!real_malloc)
		find();
	if (fd >= 0) {
		mapped = mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (mapped != MAP_FAILED)
		faults = mapped;
}

static bool is_meant(void)
{
	int64_t pid = faults ? atomic_load(&faults->pid) : -1;

	return pid == 0 || pid == getpid();
}

/* ---- memory ---- */

static bool allocation_fails(void)
{
	int64_t wanted = faults ? atomic_load(&faults->allocation) : 0;

	if (!wanted || is_asking || !is_meant() ||
	    atomic_fetch_add(&faults->allocations, 1) + 1 != wanted)
		return false;
	atomic_fetch_add(&faults->failed, 1);
	errno = ENOMEM;
	return true;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t *ret)
{
	int error;

	if (!real_malloc)
		find();
	is_asking = true;
	error = real_pthread_getattr_np(thread, ret);
	is_asking = false;
	return error;
}

void *malloc(size_t size)
{
	if (!real_malloc)
		find();
	if (!real_malloc)
		return take_early(size);
	return allocation_fails() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (!real_malloc)
		find();
	if (!real_malloc)
		return take_early(count * size); /* zeroed, and never used twice */
	return allocation_fails() ? NULL : real_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	if (!real_malloc)
		find();
	if (is_early(old))
		return memcpy(malloc(size), old, size);
	return allocation_fails() ? NULL : real_realloc(old, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	return allocation_fails() ? ENOMEM : real_posix_memalign(ret, alignment, size);
}

/* free() is not replaced: dlsym() never frees memory that it got early. */

/* ---- sockets ---- */

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	if (faults && is_meant() && atomic_load(&faults->accepts) > 0) {
		atomic_fetch_sub(&faults->accepts, 1);
		atomic_fetch_add(&faults->failed, 1);
		errno = EMFILE;
		return -1;
	}
	return real_accept4(fd, address, length, flags);
}

/* Returns how many bytes of size may be written. */
static size_t cut(int fd, size_t size)
{
	int64_t most = faults ? atomic_load(&faults->write_bytes) : 0;
	struct stat status;

	if (!most || size <= (size_t)most || !is_meant() || fstat(fd, &status) < 0 ||
	    !S_ISSOCK(status.st_mode))
		return size;
	atomic_fetch_add(&faults->failed, 1);
	return (size_t)most;
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (!real_malloc)
		find();
	return real_write(fd, data, cut(fd, size));
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
	return real_send(fd, data, cut(fd, size), flags);
}

/* If not all may be written, writes from the first part alone: the caller writes the rest. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += parts[i].iov_len;
	if (cut(fd, size) == size)
		return real_writev(fd, parts, count);
	while (count > 1 && parts->iov_len == 0)
		parts++, count--;
	return real_write(fd, parts->iov_base, cut(fd, parts->iov_len));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct msghdr part = *message;
	size_t size = 0;
	struct iovec first;

	for (size_t i = 0; i < message->msg_iovlen; i++)
		size += message->msg_iov[i].iov_len;
	if (message->msg_controllen || cut(fd, size) == size)
		return real_sendmsg(fd, message, flags);
	first = message->msg_iov[0];
	first.iov_len = cut(fd, first.iov_len);
	part.msg_iov = &first;
	part.msg_iovlen = 1;
	return real_sendmsg(fd, &part, flags);
}

/* ---- leaks ---- */

/* libpq loses its place, and the results that it had, if it has no memory for the description of a
 * statement. A file of suppressions would not do: a worker is in its sandbox when it is read
 * (sanitizer/lsan_interface.h). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:PQmakeEmptyPGresult\n";
}

/* ---- clocks ---- */

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error;

	if (!real_malloc)
		find();
	error = real_clock_gettime(clock, ret);
	if (error == 0 && faults && clock == CLOCK_REALTIME && is_meant())
		ret->tv_sec += atomic_load(&faults->clock_s);
	if (error == 0 && faults && clock == CLOCK_MONOTONIC &&
	    atomic_load(&faults->leaping_pid) == getpid())
		ret->tv_sec += atomic_load(&faults->leap_s);
	return error;
}
