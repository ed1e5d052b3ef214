/* JSON texts: for any input, both readers agree, each text is valid UTF-8, and the written document
 * is read again as the same one. */
#include "base/memory.h"
#include "record/json.h"

#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <yyjson.h>

static void check_texts(const struct json_value *value)
{
	struct json_walk walk = json_walk(value);
	const struct json_value *item;
	struct str text;
	int64_t integer;
	double number;

	if (json_get_str(value, &text) && !utf8_is_valid(text))
		abort();
	if (json_get_integer(value, &integer) && !json_get_number(value, &number))
		abort();
	while (json_next_item(&walk, &item))
		check_texts(item);
}

/* Parses in steps, as worker threads do. Returns whether the text was accepted. */
static bool parse_in_steps(struct str text, struct arena *arena)
{
	struct json_parsing *parsing = json_parsing_new(text, false, arena);
	struct json_document document = {0};
	enum json_progress progress;
	struct str reason;

	do
		progress = json_parsing_step(parsing, &document, &reason);
	while (progress == JSON_MORE);
	json_document_finish(&document);
	return progress == JSON_DONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_alloc(size ? size : 1); /* so that an overrun is detected */
	struct json_document document = {0}, again = {0};
	struct arena arena = {0};
	struct str reason = {0};
	size_t length;
	char *written;
	bool is_good;

	memcpy(copy, data, size);
	is_good = json_parse((struct str){copy, size}, &arena, &document, &reason);
	if (is_good == (reason.length > 0) ||
	    is_good != parse_in_steps((struct str){copy, size}, &arena))
		abort();
	if (is_good) {
		check_texts(document.root);
		written = yyjson_write(document.doc, 0, &length);
		if (!written ||
		    !json_parse((struct str){written, length}, &arena, &again, &reason) ||
		    !yyjson_equals(yyjson_doc_get_root(document.doc),
				   yyjson_doc_get_root(again.doc)))
			abort();
		free(written);
	}
	json_document_finish(&document);
	json_document_finish(&again);
	arena_finish(&arena);
	free(copy);
	return 0;
}
