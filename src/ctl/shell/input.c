#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rejects a file of a secret that others may read or write, as ssh rejects private keys. A pipe has
 * no others. */
static enum ctl_exit check_secret(const char *path, int file)
{
	struct stat info;
	mode_t others;

	if (fstat(file, &info) < 0)
		return ctl_fail(CTL_FAILED, "%s: %s", path, strerror(errno));
	/* The group of another user's file may be meant to read it, such as that of a service. */
	others = info.st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IRWXO;
	if (!S_ISREG(info.st_mode) || !(info.st_mode & others))
		return CTL_DONE;
	return ctl_fail(CTL_FAILED,
			"%s has mode %04o, so others may read or write it; check that it is yours, "
			"then run: chmod 600 %s",
			path, (unsigned)(info.st_mode & 07777), path);
}

enum ctl_exit ctl_read_secret_file(const char *path, size_t max_bytes, struct buffer *ret_text)
{
	int file = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	enum ctl_exit code = file < 0 ? CTL_DONE : check_secret(path, file);

	if (file >= 0)
		close(file);
	*ret_text = (struct buffer){0};
	return code == CTL_DONE ? ctl_read_file("", path, max_bytes, ret_text) : code;
}

enum ctl_exit ctl_read_file(const char *what, const char *path, size_t max_bytes,
			    struct buffer *ret_text)
{
	enum { PIECE = 64 * 1024 };
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	size_t length = 1;
	int error = 0;

	*ret_text = (struct buffer){0};
	if (!file)
		return ctl_fail(CTL_USAGE, "%s%s: %s", what, path, strerror(errno));
	while (length > 0 && buffer_length(ret_text) <= max_bytes) {
		length = fread(buffer_reserve(ret_text, PIECE), 1, PIECE, file);
		if (ferror(file))
			error = errno; /* such as EISDIR */
		buffer_commit(ret_text, length);
	}
	if (!is_stdin)
		fclose(file);
	return error ? ctl_fail(CTL_USAGE, "%s%s: %s", what, path, strerror(error)) : CTL_DONE;
}

enum ctl_exit ctl_read_line(struct ctl *ctl, const char *path, struct str *ret_line)
{
	enum { BYTES_MAX = 4096 };
	char *line = arena_alloc(&ctl->arena, BYTES_MAX + 2);
	int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;
	size_t length = 0;
	int error;

	/* Byte by byte: what follows the line stays in a pipe. */
	while (length <= BYTES_MAX && file >= 0 && (got = read(file, line + length, 1)) > 0 &&
	       line[length] != '\n')
		length++;
	error = errno;
	if (file > STDIN_FILENO)
		close(file);
	while (length && line[length - 1] == '\r')
		length--;
	line[length] = '\0';
	*ret_line = (struct str){line, length};
	if (got < 0)
		return ctl_fail(CTL_USAGE, "%s: %s", path, strerror(error));
	if (length > BYTES_MAX)
		return ctl_fail(CTL_USAGE, "the first line of %s is longer than %d bytes", path,
				BYTES_MAX);
	return length ? CTL_DONE : ctl_fail(CTL_USAGE, "the first line of %s is empty", path);
}
