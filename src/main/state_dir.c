#include "main/state_dir.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
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
		return memory_strdup(STATE_DIR_OF_SERVICE);
	/* A relative path must be ignored (XDG Base Directory Specification). */
	if (state && state[0] == '/')
		snprintf(path, sizeof(path), "%s/displayd", state);
	else
		snprintf(path, sizeof(path), "%s/.local/state/displayd", home ? home : "");
	return memory_strdup(path);
}

/* Works as mkdir -p; only the last directory is private. */
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

int state_dir_give(const char *state_dir, int fd)
{
	struct stat info;

	if (geteuid() != 0)
		return 0;
	if (stat(state_dir, &info) < 0)
		return -errno;
	return info.st_uid != 0 && fchown(fd, info.st_uid, info.st_gid) < 0 ? -errno : 0;
}

void state_dir_explain(const char *state_dir, const char *path, struct reason *reason)
{
	const struct passwd *user = getpwuid(geteuid());
	size_t length = strlen(reason->text);
	struct stat info;

	if ((lstat(path, &info) < 0 && lstat(state_dir, &info) < 0) || info.st_uid == geteuid() ||
	    geteuid() == 0)
		return;
	snprintf(reason->text + length, sizeof(reason->text) - length,
		 "; it belongs to another user (uid %u): if it was copied, chown -R %s: %s",
		 (unsigned)info.st_uid, user ? user->pw_name : "USER", state_dir);
}

/* Gives away only a new file: an old one may be a link to something else. */
static int open_lock(const char *state_dir, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), error;

	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	else if (fd >= 0 && (error = state_dir_give(state_dir, fd)) < 0) {
		close(fd);
		return error;
	}
	return fd < 0 ? -errno : fd;
}

int state_dir_lock(const char *state_dir, pid_t *ret_owner, struct reason *reterr)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_BYTES];
	int fd, error;

	error = make_directories(state_dir);
	if (error < 0) {
		reason_set(reterr, "cannot create the state directory %s: %s", state_dir,
			   strerror(-error));
		return error;
	}
	if (!join(path, state_dir, "lock"))
		return -ENAMETOOLONG;
	fd = open_lock(state_dir, path);
	if (fd < 0) {
		reason_set(reterr, "cannot write to the state directory: %s: %s", path,
			   strerror(-fd));
		state_dir_explain(state_dir, path, reterr);
		return fd;
	}
	if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
		*ret_owner = read_owner(fd);
		close(fd);
		reason_set(reterr, "the state directory %s is in use by another server (pid %d)",
			   state_dir, (int)*ret_owner);
		return -EBUSY;
	}
	/* Remove the files of a killed server before anyone can see the new owner. */
	error = state_dir_write_urls(state_dir, NULL, NULL);
	if (error == 0)
		error = write_owner(fd);
	if (error < 0) {
		close(fd);
		reason_set(reterr, "cannot write to the state directory %s: %s", state_dir,
			   strerror(-error));
		state_dir_explain(state_dir, state_dir, reterr);
		return error;
	}
	return fd;
}

int state_dir_is_locked(const char *state_dir)
{
	/* Only test the lock, so as not to disturb a server that starts meanwhile. */
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

pid_t state_dir_owner(const char *state_dir)
{
	char path[PATH_BYTES];
	pid_t owner = 0;
	int fd;

	if (!join(path, state_dir, "lock"))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return 0;
	owner = read_owner(fd);
	close(fd);
	return owner;
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

static int write_line(const char *state_dir, const char *name, const char *text)
{
	char path[PATH_BYTES], fresh[PATH_BYTES], line[URL_BYTES];
	int error;

	if (!join(path, state_dir, name) ||
	    snprintf(fresh, sizeof(fresh), "%s.new", path) >= PATH_BYTES)
		return -ENAMETOOLONG;
	if (!text)
		return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
	snprintf(line, sizeof(line), "%s\n", text);
	error = write_file(fresh, line);
	if (error < 0)
		return error;
	return rename(fresh, path) < 0 ? -errno : 0;
}

/* Programs wait for the file public-url, so write it last and remove it first. */
int state_dir_write_urls(const char *state_dir, const char *public_url, const char *panel_url)
{
	int error = public_url ? 0 : write_line(state_dir, "public-url", NULL);

	if (error == 0)
		error = write_line(state_dir, "panel-url", panel_url);
	return error < 0 || !public_url ? error : write_line(state_dir, "public-url", public_url);
}

static char *read_line(const char *state_dir, const char *name)
{
	char path[PATH_BYTES], line[URL_BYTES] = "";
	FILE *file;

	if (!join(path, state_dir, name))
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

char *state_dir_read_public_url(const char *state_dir)
{
	return read_line(state_dir, "public-url");
}

char *state_dir_read_panel_url(const char *state_dir)
{
	return read_line(state_dir, "panel-url");
}

int state_dir_write_timeline(const char *state_dir, struct timeline timeline)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu %u", (unsigned long long)timeline.system,
		 (unsigned)timeline.number);
	return write_line(state_dir, "timeline", text);
}

struct timeline state_dir_read_timeline(const char *state_dir)
{
	char *text = read_line(state_dir, "timeline");
	struct timeline timeline = {0};
	char *end;

	if (text) {
		timeline.system = strtoull(text, &end, 10);
		timeline.number = (uint32_t)strtoul(end, NULL, 10);
	}
	free(text);
	return timeline;
}
