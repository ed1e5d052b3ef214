#include "main/upgrade_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4200, TEXT_BYTES = REASON_BYTES + 512 };

static const char *const names[UPGRADE_STATE_COUNT] = {
    [UPGRADE_CHECKING] = "checking",	 [UPGRADE_REFUSED] = "refused",
    [UPGRADE_WAITING] = "waiting",	 [UPGRADE_REPLACING] = "replacing",
    [UPGRADE_FAILED] = "failed",	 [UPGRADE_DONE] = "done",
    [UPGRADE_RESTARTING] = "restarting",
};

const char *upgrade_state_name(enum upgrade_state state)
{
	return names[state];
}

static bool find_paths(const char *state_dir, const char *name, char path[static PATH_BYTES],
		       char fresh[static PATH_BYTES])
{
	return snprintf(path, PATH_BYTES, "%s/%s", state_dir, name) < PATH_BYTES &&
	       snprintf(fresh, PATH_BYTES, "%s/%s.new", state_dir, name) < PATH_BYTES;
}

int upgrade_note_write(const char *state_dir, const char *name, const struct upgrade_note *note)
{
	char path[PATH_BYTES], fresh[PATH_BYTES], text[TEXT_BYTES];
	int length =
	    snprintf(text, sizeof(text), "number %lu\nstate %s\nfrom %s\nto %s\nreason %s\n",
		     note->number, names[note->state], note->from, note->to, note->reason);
	int fd, error = 0;

	if (!find_paths(state_dir, name, path, fresh))
		return -ENAMETOOLONG;
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	errno = 0;
	if (write(fd, text, (size_t)length) != length)
		error = errno ? -errno : -ENOSPC;
	close(fd);
	if (error == 0 && rename(fresh, path) < 0)
		error = -errno;
	return error;
}

/* Takes the text after the word at a line's start. */
static void upgrade_note_take(const char *line, const char *word, char *to, size_t size)
{
	size_t length = strlen(word);

	if (strncmp(line, word, length) == 0 && line[length] == ' ')
		snprintf(to, size, "%.*s", (int)strcspn(line + length + 1, "\n"),
			 line + length + 1);
}

bool upgrade_note_read(const char *state_dir, const char *name, struct upgrade_note *ret)
{
	char path[PATH_BYTES], fresh[PATH_BYTES], line[TEXT_BYTES], state[32] = "";
	FILE *file;

	*ret = (struct upgrade_note){0};
	file = find_paths(state_dir, name, path, fresh) ? fopen(path, "re") : NULL;
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "number ", 7) == 0)
			ret->number = strtoul(line + 7, NULL, 10);
		upgrade_note_take(line, "state", state, sizeof(state));
		upgrade_note_take(line, "from", ret->from, sizeof(ret->from));
		upgrade_note_take(line, "to", ret->to, sizeof(ret->to));
		upgrade_note_take(line, "reason", ret->reason, sizeof(ret->reason));
	}
	fclose(file);
	for (int i = 0; i < UPGRADE_STATE_COUNT; i++)
		if (strcmp(names[i], state) == 0)
			ret->state = (enum upgrade_state)i;
	return state[0];
}
