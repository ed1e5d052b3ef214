#include "main/state_dir.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4200, URL_BYTES = 1024 };

int reason_set(struct reason *reterr, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	return -1;
}

char *state_dir_default(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char path[PATH_BYTES];

	if (geteuid() == 0)
		return memory_strdup("/var/lib/displayd");
	/* A relative one is to be ignored (XDG Base Directory Specification). */
	if (state && state[0] == '/')
		snprintf(path, sizeof(path), "%s/displayd", state);
	else
		snprintf(path, sizeof(path), "%s/.local/state/displayd", home ? home : "");
	return memory_strdup(path);
}

/* mkdir -p; only the last one is private. */
static int make_directories(const char *path)
{
	char partial[PATH_BYTES];

	if (strlen(path) >= sizeof(partial))
		return -ENAMETOOLONG;
	for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
		memcpy(partial, path, (size_t)(end - path));
		partial[end - path] = 0;
		if (mkdir(partial, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static bool join(char path[static PATH_BYTES], const char *state_dir, const char *name)
{
	return snprintf(path, PATH_BYTES, "%s/%s", state_dir, name) < PATH_BYTES;
}

static pid_t read_owner(int fd)
{
	char text[32] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? (pid_t)strtol(text, NULL, 10) : 0;
}

static int write_owner(int fd)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) < 0)
		return -errno;
	return 0;
}

int state_dir_lock(const char *state_dir, pid_t *ret_owner, struct reason *reterr)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_BYTES];
	int fd, error;

	error = make_directories(state_dir);
	if (error < 0) {
		reason_set(reterr, "cannot make the state directory %s: %s", state_dir,
			   strerror(-error));
		return error;
	}
	if (!join(path, state_dir, "lock"))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		error = -errno;
		reason_set(reterr, "cannot write in the state directory: %s: %s", path,
			   strerror(-error));
		return error;
	}
	if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
		*ret_owner = read_owner(fd);
		close(fd);
		reason_set(reterr, "the state directory %s is in use by another server (pid %d)",
			   state_dir, (int)*ret_owner);
		return -EBUSY;
	}
	/* What a killed server left is gone before anyone can read that we have it now. */
	error = state_dir_write_public_url(state_dir, NULL);
	if (error == 0)
		error = write_owner(fd);
	if (error < 0) {
		close(fd);
		reason_set(reterr, "cannot write in the state directory %s: %s", state_dir,
			   strerror(-error));
		return error;
	}
	return fd;
}

int state_dir_is_locked(const char *state_dir)
{
	/* Asked for, not taken: a server that starts meanwhile is not disturbed. */
	struct flock wanted = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	char path[PATH_BYTES];
	int fd, error;

	if (!join(path, state_dir, "lock"))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	error = fcntl(fd, F_OFD_GETLK, &wanted) < 0 ? -errno : 0;
	close(fd);
	return error < 0 ? error : wanted.l_type != F_UNLCK;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	size_t length = strlen(text);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, length) != (ssize_t)length)
		error = errno ? -errno : -EIO;
	close(fd);
	return error;
}

int state_dir_write_public_url(const char *state_dir, const char *url)
{
	char path[PATH_BYTES], fresh[PATH_BYTES], line[URL_BYTES];
	int error;

	if (!join(path, state_dir, "public-url") || !join(fresh, state_dir, "public-url.new"))
		return -ENAMETOOLONG;
	if (!url)
		return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
	snprintf(line, sizeof(line), "%s\n", url);
	error = write_file(fresh, line);
	if (error < 0)
		return error;
	return rename(fresh, path) < 0 ? -errno : 0;
}

char *state_dir_read_public_url(const char *state_dir)
{
	char path[PATH_BYTES], line[URL_BYTES] = "";
	FILE *file;

	if (!join(path, state_dir, "public-url"))
		return NULL;
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return line[0] ? memory_strdup(line) : NULL;
}
