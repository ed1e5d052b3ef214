#include "main/secret_key.h"
#include "base/hex.h"
#include "main/secret_file.h"
#include "main/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4200, FRESH_BYTES = PATH_BYTES + 16, DIGITS = 2 * SETTINGS_KEY_BYTES };

static const char what[] = "the key for secret settings";

static int secret_key_fail(struct reason *reterr, const char *path, const char *why)
{
	return reason_set(reterr, "%s, %s: %s", what, path, why);
}

/* Suffix of the key file left by an unfinished restore. */
static const char restored[] = ".restored";

static int read_file(const char *path, struct settings_key *ret_key, struct reason *reterr)
{
	char text[DIGITS];
	ssize_t length = secret_file_read(what, path, text, sizeof(text), reterr);
	bool is_key;

	if (length < 0)
		return -1;
	is_key = length == DIGITS &&
		 hex_decode((struct str){text, DIGITS}, ret_key->bytes, sizeof(ret_key->bytes));
	sodium_memzero(text, sizeof(text));
	return is_key ? 0
		      : secret_key_fail(reterr, path,
					"must have 64 hexadecimal digits and nothing else");
}

static int write_all(int fd, const char *text, size_t length)
{
	ssize_t written = write(fd, text, length);

	if (written >= 0 && written != (ssize_t)length)
		errno = ENOSPC;
	return written == (ssize_t)length ? fsync(fd) : -1;
}

/* The name must survive a power cut, like the data in the database that is encrypted with the key.
 */
static int sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	error = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* Writes a complete file of that name, owned by the state directory's owner. */
static int write_key(const char *state_dir, const char *path, const struct settings_key *key)
{
	char text[DIGITS + 1];
	int error, fd;

	hex_encode(key->bytes, sizeof(key->bytes), text);
	text[DIGITS] = '\n';
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	error = fd < 0 || write_all(fd, text, sizeof(text)) < 0 ? -errno : 0;
	if (error == 0)
		error = state_dir_give(state_dir, fd);
	if (fd >= 0)
		close(fd);
	sodium_memzero(text, sizeof(text));
	return error;
}

/* Writes the key to a temporary file, and renames it when it is complete. */
static int make_file(const char *state_dir, const char *path, const char *fresh)
{
	struct settings_key key;
	int error;

	randombytes_buf(key.bytes, sizeof(key.bytes));
	error = write_key(state_dir, fresh, &key);
	if (error == 0 && rename(fresh, path) < 0)
		error = -errno;
	sodium_memzero(&key, sizeof(key));
	return error;
}

/* Names the key file of the state directory, and the temporary file for writing it. */
static int name_files(const char *state_dir, const char *suffix, char path[static PATH_BYTES],
		      char fresh[static FRESH_BYTES], struct reason *reterr)
{
	if (snprintf(path, PATH_BYTES, "%s/secret-key", state_dir) >= PATH_BYTES)
		return secret_key_fail(reterr, state_dir, strerror(ENAMETOOLONG));
	snprintf(fresh, FRESH_BYTES, "%s%s", path, suffix);
	return 0;
}

int secret_key_load(const char *state_dir, const char *file, struct settings_key *ret_key,
		    bool *ret_is_new, struct reason *reterr)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];

	*ret_is_new = false;
	if (sodium_init() < 0)
		return reason_set(reterr, "no source of random numbers");
	if (file)
		return read_file(file, ret_key, reterr);
	if (name_files(state_dir, restored, path, fresh, reterr) < 0)
		return -1;
	if (access(fresh, F_OK) == 0)
		return reason_set(reterr,
				  "the last step of a restore was interrupted (%s exists): run "
				  "displayctl restore again, with --replace",
				  fresh);
	if (name_files(state_dir, ".new", path, fresh, reterr) < 0)
		return -1;
	if (access(path, F_OK) < 0 && errno == ENOENT) {
		int error = make_file(state_dir, path, fresh);

		if (error == 0)
			error = sync_folder(state_dir);
		if (error < 0)
			return secret_key_fail(reterr, path, strerror(-error));
		*ret_is_new = true;
	}
	if (read_file(path, ret_key, reterr) == 0)
		return 0;
	state_dir_explain(state_dir, path, reterr);
	return -1;
}

void secret_key_take_back(const char *state_dir)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];
	struct reason ignored;

	if (name_files(state_dir, "", path, fresh, &ignored) == 0)
		(void)unlink(path);
}

int secret_key_find(const char *state_dir, const char *file, struct settings_key *ret_key,
		    struct reason *reterr)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];

	if (name_files(state_dir, "", path, fresh, reterr) < 0)
		return -1;
	if (!file && access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	return read_file(file ? file : path, ret_key, reterr) < 0 ? -1 : 1;
}

int secret_key_prepare(const char *state_dir, const struct settings_key *key, struct reason *reterr)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];
	int error;

	if (name_files(state_dir, restored, path, fresh, reterr) < 0)
		return -1;
	error = write_key(state_dir, fresh, key);
	if (error == 0)
		error = sync_folder(state_dir);
	return error < 0 ? secret_key_fail(reterr, fresh, strerror(-error)) : 0;
}

int secret_key_replace(const char *state_dir, struct reason *reterr)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];
	int error = 0;

	if (name_files(state_dir, restored, path, fresh, reterr) < 0)
		return -1;
	if (rename(fresh, path) < 0)
		error = -errno;
	if (error == 0)
		error = sync_folder(state_dir);
	return error < 0 ? secret_key_fail(reterr, fresh, strerror(-error)) : 0;
}

void secret_key_drop(const char *state_dir)
{
	char path[PATH_BYTES], fresh[FRESH_BYTES];
	struct reason ignored;

	if (name_files(state_dir, restored, path, fresh, &ignored) == 0)
		(void)unlink(fresh);
}
