#include "base/memory.h"
#include "main/config_option.h"

#include <errno.h>

static int line_fault(const struct config *config, unsigned line, struct reason *reterr,
		      const char *what, struct str name)
{
	return reason_set(reterr, "%s:%u: %s%s%.*s%s", config->file, line, what,
			  name.length ? " \"" : "", STR_ARG(name), name.length ? "\"" : "");
}

static int find_setting(struct str name, enum config_option *ret)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (!str_equal(name, str_from(config_settings[i].name)))
			continue;
		*ret = (enum config_option)i;
		return 0;
	}
	return -1;
}

/* seen: the line on which each setting stands, 0 for none yet. */
static int read_line(struct config *config, struct str line, unsigned number, unsigned *seen,
		     struct reason *reterr)
{
	size_t equals = str_find(line, '=');
	struct str name = str_trim((struct str){line.data, equals});
	struct config_origin origin = {.source = SOURCE_FILE, .line = number};
	enum config_option option;
	struct reason why;
	char value[2048];
	struct str text;

	if (equals == line.length)
		return line_fault(config, number, reterr, "must be \"name = value\"",
				  (struct str){0});
	if (find_setting(name, &option) < 0)
		return line_fault(config, number, reterr, "there is no setting", name);
	text = str_trim(str_from_offset(line, equals + 1));
	if (text.length == 0)
		return line_fault(config, number, reterr, "no value for", name);
	if (text.length >= sizeof(value))
		return line_fault(config, number, reterr, "the value is too long of", name);
	if (seen[option] && !config_settings[option].clear)
		return reason_set(reterr, "%s:%u: %s is already set on line %u", config->file,
				  number, config_settings[option].name, seen[option]);
	seen[option] = number;
	memcpy(value, text.data, text.length);
	value[text.length] = 0;
	if (option_take(config, option, value, origin, &why) < 0)
		return reason_set(reterr, "%s:%u: %s %s", config->file, number,
				  config_settings[option].name, why.text);
	return 0;
}

static int read_all(const char *path, struct buffer *ret_text, struct reason *reterr)
{
	FILE *file;
	size_t got = 0;
	int error;

	errno = 0;
	file = fopen(path, "re");
	error = errno;
	if (file) {
		got = fread(buffer_reserve(ret_text, CONFIG_FILE_BYTES_MAX + 1), 1,
			    CONFIG_FILE_BYTES_MAX + 1, file);
		error = ferror(file) ? errno : 0;
		buffer_commit(ret_text, got);
		fclose(file);
	}
	if (error)
		return reason_set(reterr, "cannot read the configuration file %s: %s", path,
				  strerror(error));
	if (got > CONFIG_FILE_BYTES_MAX)
		return reason_set(reterr, "%s is longer than %d bytes: no configuration file", path,
				  CONFIG_FILE_BYTES_MAX);
	return 0;
}

int config_read_file(struct config *config, struct reason *reterr)
{
	unsigned number = 0, seen[OPTION_COUNT] = {0};
	struct buffer text = {0};
	struct str rest, line;
	int rc = read_all(config->file, &text, reterr);

	rest = buffer_view(&text);
	while (rc == 0 && rest.data && str_next(&rest, '\n', &line)) {
		number++;
		if (line.length > 0 && line.data[line.length - 1] == '\r')
			line.length--;
		line = str_trim(line);
		if (line.length == 0 || line.data[0] == '#')
			continue;
		if (memchr(line.data, 0, line.length))
			rc =
			    line_fault(config, number, reterr, "holds a NUL byte", (struct str){0});
		else
			rc = read_line(config, line, number, seen, reterr);
	}
	buffer_finish(&text);
	return rc;
}
