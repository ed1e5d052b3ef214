#include "app_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <text/utf8.h>
#include <unistd.h>

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

FTS *app_disk_walk(const char *path)
{
	char *roots[] = {(char *)path, NULL};

	return fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
}

FTSENT *app_disk_next(FTS *walk)
{
	FTSENT *entry;

	while ((entry = fts_read(walk))) {
		bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (is_hidden && entry->fts_info == FTS_D)
			fts_set(walk, entry, FTS_SKIP);
		if (!is_hidden && entry->fts_info == FTS_F)
			return entry;
	}
	return NULL;
}

int app_disk_read(const char *path, int flags, struct buffer *data,
		  char ret_fault[static APP_FAULT_MAX])
{
	enum { PIECE = 64 * 1024 };
	int file = open(path, O_RDONLY | O_CLOEXEC | (flags ? flags | O_NONBLOCK : 0));
	ssize_t length = file < 0 ? -1 : 1;

	while (length > 0 && buffer_length(data) <= APP_SCRIPT_BYTES_MAX) {
		length = read(file, buffer_reserve(data, PIECE), PIECE);
		if (length > 0)
			buffer_commit(data, (size_t)length);
	}
	if (length < 0)
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return length < 0 ? -1 : 0;
}

static void append_base64(struct str data, struct buffer *script)
{
	size_t size = sodium_base64_ENCODED_LEN(data.length, sodium_base64_VARIANT_ORIGINAL);

	sodium_bin2base64(buffer_reserve(script, size), size, (const unsigned char *)data.data,
			  data.length, sodium_base64_VARIANT_ORIGINAL);
	buffer_commit(script, size - 1); /* without the NUL */
	buffer_append_char(script, '\n');
}

/* A text can stand as it is when it ends with a line's end, no line looks like a marker, and a
 * database takes it. */
static bool stands_as_it_is(struct str data)
{
	return data.length > 0 && data.data[data.length - 1] == '\n' && utf8_is_valid(data) &&
	       !memchr(data.data, '\0', data.length) && strncmp(data.data, "-- ", 3) != 0 &&
	       !memmem(data.data, data.length, "\n-- ", 4);
}

bool app_disk_ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name), size = strlen(ending);

	return length > size && strcmp(name + length - size, ending) == 0;
}

/* Ends a script's last line, if unfinished, so that reviewers can read it. */
static void end_last_line(const char *name, struct buffer *data)
{
	struct str text = buffer_view(data);
	bool is_text = app_disk_ends_with(name, ".star") || strcmp(name, "manifest.yaml") == 0;

	if (is_text && (text.length == 0 || text.data[text.length - 1] != '\n'))
		buffer_append_char(data, '\n');
}

int app_disk_add(const char *name, const char *path, int flags, struct buffer *script,
		 char ret_fault[static APP_FAULT_MAX])
{
	struct buffer data = {0};
	int status = app_disk_read(path, flags, &data, ret_fault);

	if (status == 0) {
		bool as_is;

		end_last_line(name, &data);
		as_is = stands_as_it_is(buffer_view(&data));
		buffer_printf(script, "-- %s%s --\n", name, as_is ? "" : ";base64");
		if (as_is)
			buffer_append_str(script, buffer_view(&data));
		else
			append_base64(buffer_view(&data), script);
	}
	buffer_finish(&data);
	return status;
}

/* FNV-1a, over what tells a changed file. */
static uint64_t mix(uint64_t state, uint64_t value)
{
	return (state ^ value) * UINT64_C(1099511628211);
}

uint64_t app_disk_add_state(const char *path, uint64_t state)
{
	FTS *walk = app_disk_walk(path);
	FTSENT *entry;

	if (!walk)
		return state;
	while ((entry = app_disk_next(walk))) {
		const struct stat *about = entry->fts_statp;

		for (const char *c = entry->fts_path; *c; c++)
			state = mix(state, (unsigned char)*c);
		state = mix(state, (uint64_t)about->st_mtim.tv_sec);
		state = mix(state, (uint64_t)about->st_mtim.tv_nsec);
		state = mix(state, (uint64_t)about->st_size);
		state = mix(state, about->st_ino);
	}
	fts_close(walk);
	return state;
}
