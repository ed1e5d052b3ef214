#include "ctl/server/session_file.h"
#include "base/clock.h"
#include "base/limits.h"
#include "ctl/exchange/new_file.h"
#include "ctl/server/text.h"
#include "ctl/shell/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yyjson.h>

/* Consider a session idle 5 minutes early: the server records uses once a minute. */
enum { FILE_BYTES_MAX = 64 * 1024, IDLE_S = LIMIT_SESSION_IDLE_S - 5 * 60 };

static const struct record_field fields[] = {
    RECORD_STR(struct session, server, .name = "server"),
    RECORD_STR(struct session, email, .name = "email"),
    RECORD_BOOL(struct session, is_administrator, .name = "isAdministrator"),
    RECORD_STR(struct session, cookies, .name = "cookies"),
    RECORD_ID(struct session, key_id, .name = "keyId", .nullable = true),
    RECORD_STR(struct session, key, .name = "key", .nullable = true),
    RECORD_TIMESTAMP(struct session, ends_at_us, .name = "endsAt", .nullable = true),
};
static const struct record session_record = RECORD(struct session, fields);

/* Returns the folder of session files; data is NULL if there is no home directory. */
static struct str folder_of(struct ctl *ctl)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		return ARENA_JOIN(&ctl->arena, str_from(config), STR("/displayd/sessions"));
	if (home && home[0] == '/')
		return ARENA_JOIN(&ctl->arena, str_from(home), STR("/.config/displayd/sessions"));
	return (struct str){0};
}

static struct str path_of(struct ctl *ctl, struct str server)
{
	struct str folder = folder_of(ctl);

	if (!folder.data)
		return folder;
	return ARENA_JOIN(&ctl->arena, folder, STR("/"), ctl_encode(ctl, server), STR(".json"));
}

/* Creates the folder and its parents with mode 700. Returns 0 or a negative errno. */
static int make_folder(struct ctl *ctl, struct str folder)
{
	for (size_t i = 1; i <= folder.length; i++) {
		struct str part = {folder.data, i};

		if (i < folder.length && folder.data[i] != '/')
			continue;
		if (mkdir(arena_copy(&ctl->arena, part).data, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

enum ctl_exit session_read(struct ctl *ctl, struct str server, struct session *ret)
{
	struct str path = path_of(ctl, server), text;
	struct buffer file = {0};
	yyjson_doc *document;
	struct stat info = {0};
	enum ctl_exit code;
	bool is_good;

	*ret = (struct session){0};
	if (!path.data || (stat(path.data, &info) < 0 && errno == ENOENT))
		return CTL_DONE;
	code = ctl_read_secret_file(path.data, FILE_BYTES_MAX, &file);
	if (code != CTL_DONE)
		return code;
	text = buffer_view(&file);
	document = text.length ? yyjson_read(text.data, text.length, 0) : NULL;
	is_good =
	    document &&
	    record_read_answer(&session_record,
			       (const struct json_value *)(void *)yyjson_doc_get_root(document),
			       &ctl->arena, ret) &&
	    str_equal(ret->server, server);
	ret->is_idle = clock_wall_us() / 1000000 - info.st_mtim.tv_sec > IDLE_S;
	yyjson_doc_free(document);
	buffer_finish(&file);
	if (!is_good)
		return ctl_fail(CTL_FAILED, "%s is not a session file; remove it and sign in again",
				path.data);
	return code;
}

enum ctl_exit session_check_place(struct ctl *ctl)
{
	return folder_of(ctl).data ? CTL_DONE
				   : ctl_fail(CTL_FAILED, "no directory for the session; set HOME");
}

enum ctl_exit session_write(struct ctl *ctl, const struct session *session)
{
	struct str folder = folder_of(ctl), path = path_of(ctl, session->server);
	struct buffer text = {0};
	struct new_file file;
	struct reason why;
	int error;

	if (session_check_place(ctl) != CTL_DONE)
		return CTL_FAILED;
	error = make_folder(ctl, folder);
	if (error < 0)
		return ctl_fail(CTL_FAILED, "cannot create %s: %s", folder.data, strerror(-error));
	record_write_json(&session_record, session, &text);
	buffer_append_char(&text, '\n');
	error = new_file_open(&file, path.data, &why);
	if (error == 0) {
		new_file_write(&file, buffer_view(&text).data, buffer_length(&text));
		error = new_file_finish(&file, &why);
	}
	buffer_finish(&text);
	return error < 0 ? ctl_fail(CTL_FAILED, "%s", why.text) : CTL_DONE;
}

void session_touch(struct ctl *ctl, struct str server)
{
	struct str path = path_of(ctl, server);

	if (path.data)
		(void)utimensat(AT_FDCWD, path.data, NULL, 0);
}

enum ctl_exit session_remove(struct ctl *ctl, struct str server)
{
	struct str path = path_of(ctl, server);

	if (!path.data || unlink(path.data) == 0 || errno == ENOENT)
		return CTL_DONE;
	return ctl_fail(CTL_FAILED, "cannot remove %s: %s", path.data, strerror(errno));
}
