/* Exports of accounts: for any input, a reader ends with an error or at the end, uses memory for
 * one line, and reads each line within its bounds. */
#include "base/limits.h"
#include "base/memory.h"
#include "ctl/exchange/account_file.h"
#include "domain/account_line.h"

#include <stdlib.h>
#include <text/utf8.h>

static void check(const struct account_line *line)
{
	const struct str texts[] = {line->app,
				    line->email,
				    line->name,
				    line->slug,
				    line->serial,
				    line->mac,
				    line->entry_id,
				    line->author,
				    line->values.device_timezone,
				    line->script_content,
				    line->settings};
	bool is_sound = line->kind < ACCOUNT_LINE_KINDS && line->slug.length <= 64 &&
			line->email.length <= 4 * 254 && line->mac.length <= 17 &&
			line->settings.length <= 7 * SETTINGS_BYTES_MAX &&
			line->script_content.length <= LIMIT_SCRIPT_BYTES &&
			line->values.device_brightness >= 0 &&
			line->values.device_brightness <= 100 && line->start_minute >= 0 &&
			line->start_minute < 1440 && !line->settings_value && !line->comments_value;

	for (size_t i = 0; i < array_length(texts); i++)
		is_sound &= utf8_is_valid(texts[i]);
	if (!is_sound)
		abort();
}

static void read_all(char *data, size_t size)
{
	struct account_reader reader = {.file = fmemopen(data, size, "r")};
	struct account_file_line line;
	struct reason why;
	bool is_end = false;

	if (!reader.file)
		abort();
	account_reader_begin(&reader);
	while (!is_end) {
		struct arena arena = {0};

		why.text[0] = '\0';
		if (account_read(&reader, &arena, &line, &why) == 0) {
			is_end = line.kind == ACCOUNT_FILE_END;
			if (!utf8_is_valid(line.text))
				abort();
		} else if (why.text[0]) {
			is_end = true;
		} else {
			abort();
		}
		arena_finish(&arena);
	}
	account_reader_finish(&reader);
	fclose(reader.file);
}

/* Also reads each line separately, so that the fuzzer need not find an order and a checksum. */
static void read_lines(struct str text)
{
	struct str piece;

	while (str_next(&text, '\n', &piece)) {
		struct arena arena = {0};
		struct account_line line;
		struct str why = {0};

		if (account_line_read(piece, &arena, &line, &why))
			check(&line);
		else if (!why.length)
			abort();
		arena_finish(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy =
	    memory_alloc(size ? size : 1); /* a separate copy, so that an overrun is detected */

	if (sodium_init() < 0)
		abort();
	if (size)
		memcpy(copy, data, size);
	read_all(copy, size);
	read_lines((struct str){copy, size});
	free(copy);
	return 0;
}
