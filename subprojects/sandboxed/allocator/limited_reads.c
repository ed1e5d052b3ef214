/* read() and recv() of a program whose libraries read no more at a time than sandboxed/reads.h
 * allows. They are linked into the program itself, so that libraries call them, too. */
#include "sandboxed/reads.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static ssize_t refuse(void)
{
	errno = EAGAIN;
	return -1;
}

static ssize_t note(ssize_t length)
{
	if (length > 0)
		reads_note((size_t)length);
	return length;
}

ssize_t read(int fd, void *to, size_t size)
{
	size_t left = reads_left();

	return left == 0 ? refuse() : note(syscall(SYS_read, fd, to, size < left ? size : left));
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
	size_t left = reads_left();

	return left == 0 ? refuse()
			 : note(syscall(SYS_recvfrom, fd, to, size < left ? size : left, flags,
					NULL, NULL));
}
