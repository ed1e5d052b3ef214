#include "input.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>

enum ctl_exit ctl_read_file(const char *what, const char *path, size_t max_bytes,
			    struct buffer *ret_text)
{
	enum { PIECE = 64 * 1024 };
	bool is_stdin = strcmp(path, "-") == 0, has_failed;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	size_t length = 1;

	*ret_text = (struct buffer){0};
	if (!file)
		return ctl_fail(CTL_USAGE, "%s%s: %s", what, path, strerror(errno));
	while (length > 0 && buffer_length(ret_text) <= max_bytes) {
		length = fread(buffer_reserve(ret_text, PIECE), 1, PIECE, file);
		buffer_commit(ret_text, length);
	}
	has_failed = ferror(file);
	if (!is_stdin)
		fclose(file);
	return has_failed ? ctl_fail(CTL_USAGE, "%s%s: %s", what, path, strerror(EIO)) : CTL_DONE;
}

enum ctl_exit ctl_read_line(struct ctl *ctl, const char *path, struct str *ret_line)
{
	enum { BYTES_MAX = 4096 };
	struct buffer file;
	enum ctl_exit code = ctl_read_file("", path, BYTES_MAX, &file);
	struct str text = buffer_view(&file);

	text.length = str_find(text, '\n');
	while (text.length && (text.data[text.length - 1] == '\r'))
		text.length--;
	*ret_line = arena_copy(&ctl->arena, text);
	sodium_memzero(file.data, file.capacity);
	buffer_finish(&file);
	if (code == CTL_DONE && !ret_line->length)
		return ctl_fail(CTL_USAGE, "the first line of %s is empty", path);
	return code;
}
