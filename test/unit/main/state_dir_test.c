#include "../cmocka_test.h"
#include "../temporary.h"
#include "base/memory.h"
#include "main/state_dir.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[TEMPORARY_SIZE];
static struct reason why;

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(temporary_path(folder, "state")) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

#define SCENE(function) TEST_IN(function, make_folder, remove_folder)

SCENE(folders_are_made_and_private)
{
	char path[128];
	struct stat info;
	pid_t owner;
	int lock;

	snprintf(path, sizeof(path), "%s/a/b", folder);
	lock = state_dir_lock(path, &owner, &why);
	assert_true(lock >= 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	close(lock);
}

SCENE(the_lock_is_held_by_one)
{
	pid_t owner = 0;
	int lock, status;

	assert_int_equal(state_dir_is_locked(folder), 0);
	lock = state_dir_lock(folder, &owner, &why);
	assert_true(lock >= 0);
	if (fork() == 0) {
		/* The child shares the open file; only another open file is refused. */
		close(lock);
		status = state_dir_is_locked(folder) == 1 &&
			 state_dir_lock(folder, &owner, &why) == -EBUSY && owner == getppid();
		_exit(status ? 0 : 1);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	/* The check did not take the lock. */
	assert_int_equal(state_dir_is_locked(folder), 1);
	assert_int_equal(state_dir_lock(folder, &owner, &why), -EBUSY);
	assert_int_equal(owner, getpid());
	assert_non_null(strstr(why.text, "in use by another server (pid "));
	close(lock);
	assert_int_equal(state_dir_is_locked(folder), 0);
}

SCENE(a_folder_that_cannot_be_used)
{
	pid_t owner;

	assert_true(state_dir_lock("/dev/null/state", &owner, &why) < 0);
	assert_string_equal(why.text,
			    "cannot create the state directory /dev/null/state: Not a directory");
	assert_true(state_dir_lock("/proc/self/nowhere", &owner, &why) < 0);
}

SCENE(the_urls_are_replaced_as_one)
{
	char *url;
	pid_t owner;
	int lock;

	assert_null(state_dir_read_public_url(folder));
	assert_null(state_dir_read_panel_url(folder));
	assert_int_equal(state_dir_write_urls(folder, NULL, NULL), 0);
	assert_int_equal(state_dir_write_urls(folder, "http://a.example", "http://p.example"), 0);
	assert_int_equal(state_dir_write_urls(folder, "http://b.example", "http://q.example"), 0);
	url = state_dir_read_public_url(folder);
	assert_string_equal(url, "http://b.example");
	free(url);
	url = state_dir_read_panel_url(folder);
	assert_string_equal(url, "http://q.example");
	free(url);
	/* A starting server is not ready, so the last server's notes are removed. */
	lock = state_dir_lock(folder, &owner, &why);
	assert_true(lock >= 0);
	assert_null(state_dir_read_public_url(folder));
	assert_null(state_dir_read_panel_url(folder));
	close(lock);
}

SCENE(the_default_follows_the_environment)
{
	char *path;

	if (geteuid() == 0) {
		path = state_dir_default();
		assert_string_equal(path, "/var/lib/displayd");
		free(path);
		assert_int_equal(seteuid(65534), 0);
	}
	setenv("HOME", "/home/x", 1);
	setenv("XDG_STATE_HOME", "/state", 1);
	path = state_dir_default();
	assert_string_equal(path, "/state/displayd");
	free(path);
	/* Ignored, as it is not absolute. */
	setenv("XDG_STATE_HOME", "state", 1);
	path = state_dir_default();
	assert_string_equal(path, "/home/x/.local/state/displayd");
	free(path);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

RUN_TESTS(NULL, NULL)
