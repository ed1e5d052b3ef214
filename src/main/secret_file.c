#include "main/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t secret_file_fail(struct reason *reterr, const char *what, const char *path,
				const char *why)
{
	return reason_set(reterr, "%s, %s: %s", what, path, why);
}

static ssize_t read_text(int fd, char *ret_text, size_t size)
{
	ssize_t length = pread(fd, ret_text, size, 0);
	char rest[2]; /* only a line feed, if the text fits */
	ssize_t more = length == (ssize_t)size ? pread(fd, rest, sizeof(rest), length) : 0;

	if (length < 0 || more < 0)
		return -1;
	if (more > 0)
		return more == 1 && rest[0] == '\n' ? length : length + more;
	return length > 0 && ret_text[length - 1] == '\n' ? length - 1 : length;
}

ssize_t secret_file_read(const char *what, const char *path, char *ret_text, size_t size,
			 struct reason *reterr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat facts;
	ssize_t length;

	if (fd < 0)
		return secret_file_fail(reterr, what, path, strerror(errno));
	if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode)) {
		length = secret_file_fail(reterr, what, path, "is not a file");
	} else if (facts.st_mode & S_IRWXO) {
		length = secret_file_fail(reterr, what, path,
					  "every user can read it; run chmod o= on it");
	} else {
		length = read_text(fd, ret_text, size);
		if (length < 0)
			length = secret_file_fail(reterr, what, path, strerror(errno));
	}
	close(fd);
	return length;
}
