#include "ctl/exchange/new_file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of the file that a signal removes; NULL: none. */
static const char *volatile unfinished;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

void ctl_catch_signals(void (*handler)(int))
{
	/* Without SA_RESTART, a signal ends a blocking read. */
	const struct sigaction action = {.sa_handler = handler};
	struct sigaction before;

	for (unsigned i = 0; i < array_length(signals); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

void ctl_block_signals(sigset_t *ret_before)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (unsigned i = 0; i < array_length(signals); i++)
		sigaddset(&blocked, signals[i]);
	sigprocmask(SIG_BLOCK, &blocked, ret_before);
}

static void remove_unfinished(int number)
{
	if (unfinished)
		(void)unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

/* Removes the file on signals; path NULL: no longer. */
static void watch_signals(const char *path)
{
	unfinished = path;
	ctl_catch_signals(path ? remove_unfinished : SIG_DFL);
}

/* Creates the file. Blocks signals meanwhile, so that none comes before the handler knows the path.
 * Returns its descriptor, or -1 with errno. */
static int make_fresh(struct new_file *file)
{
	sigset_t before;
	int fd, error;

	ctl_block_signals(&before);
	fd = mkostemp(file->fresh, O_CLOEXEC); /* mode 0600 */
	error = errno;
	if (fd >= 0)
		watch_signals(file->fresh);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

static int open_stdout(struct new_file *file, struct reason *reterr)
{
	if (isatty(STDOUT_FILENO))
		return reason_set(reterr,
				  "stdout is a terminal; redirect it to a file or a program");
	file->stream = stdout;
	return 0;
}

int new_file_open(struct new_file *file, const char *path, struct reason *reterr)
{
	struct stat info;
	int fd, length;

	*file = (struct new_file){.path = path};
	if (strcmp(path, "-") == 0)
		return open_stdout(file, reterr);
	/* Reject a path that the rename would replace: a device, a pipe, or a link. */
	if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return reason_set(reterr, "%s is not a regular file; use - and redirect stdout",
				  path);
	length = snprintf(file->fresh, sizeof(file->fresh), "%s.XXXXXX", path);
	if (length >= (int)sizeof(file->fresh))
		return reason_set(reterr, "the path of the file is too long");
	fd = make_fresh(file);
	if (fd < 0)
		return reason_set(reterr, "cannot create %s: %s", path, strerror(errno));
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	close(fd);
	new_file_drop(file);
	return reason_set(reterr, "cannot create %s: out of memory", path);
}

void new_file_write(void *context, const void *data, size_t size)
{
	struct new_file *file = context;

	if (file->error == 0 && fwrite(data, 1, size, file->stream) != size)
		file->error = errno ? errno : EIO;
	file->bytes += size;
}

/* Syncs the folder, so that the new name survives a power cut. Returns 0 or a negative errno. */
static int sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	int fd, error;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Skip a folder that is writable but not readable: the disk syncs it later. */
	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	/* Ignore EINVAL: some file systems cannot sync a folder. */
	error = fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
	close(fd);
	return error;
}

/* Syncs the file and gives it its name. Returns 0 or a negative errno. */
static int put_in_place(struct new_file *file)
{
	int error = 0;

	if (fflush(file->stream) != 0 || fsync(fileno(file->stream)) < 0)
		error = -errno;
	if (fclose(file->stream) != 0 && error == 0)
		error = -errno;
	file->stream = NULL;
	if (error == 0 && rename(file->fresh, file->path) < 0)
		error = -errno;
	return error == 0 ? sync_folder(file->path) : error;
}

int new_file_finish(struct new_file *file, struct reason *reterr)
{
	int error = -file->error;

	if (error == 0 && file->stream == stdout)
		error = fflush(stdout) != 0 ? -errno : 0;
	else if (error == 0)
		error = put_in_place(file);
	if (error == 0 || file->stream == stdout)
		watch_signals(NULL);
	else
		new_file_drop(file);
	if (error == 0)
		return 0;
	return reason_set(reterr, "cannot write %s: %s",
			  strcmp(file->path, "-") == 0 ? "to stdout" : file->path,
			  strerror(-error));
}

void new_file_drop(struct new_file *file)
{
	if (file->stream && file->stream != stdout)
		fclose(file->stream);
	file->stream = NULL;
	if (file->fresh[0])
		(void)unlink(file->fresh);
	watch_signals(NULL);
}
