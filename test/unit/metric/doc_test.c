/* docs/metrics.md lists the defined metrics with their descriptions.
 *
 *   metric_doc_test FILE           compares
 *   metric_doc_test FILE write     writes the list into the file, between its two marks */
#include "base/buffer.h"
#include "base/memory.h"
#include "definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char begin_mark[] = "<!-- made from src/metric/definitions.c -->\n";
static const char end_mark[] = "<!-- end of that -->\n";

static const char *const kind_names[] = {
    [METRIC_COUNTER] = "counter",
    [METRIC_GAUGE] = "gauge",
    [METRIC_HISTOGRAM] = "histogram",
};

static void put_labels(struct buffer *text, const struct metric_definition *definition)
{
	bool is_first = true;

	for (unsigned i = 0; i < 2; i++) {
		const struct metric_label *label = &metric_labels[definition->by[i]];

		for (unsigned name = 0; name < METRIC_LABEL_NAMES && label->names[name]; name++) {
			buffer_printf(text, "%s`%s`", is_first ? "" : ", ", label->names[name]);
			is_first = false;
		}
	}
}

static void put_values(struct buffer *text)
{
	buffer_printf(text, "\n|label|values|\n|---|---|\n");
	for (enum metric_by by = 1; by < METRIC_BY_COUNT; by++) {
		const struct metric_label *label = &metric_labels[by];

		if (label->count == 0 || by == METRIC_BY_VERSION)
			continue;
		buffer_printf(text, "|`%s` of", label->names[0]);
		for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
			const struct metric_definition *one = &metric_definitions[metric];

			if (one->by[0] == by || one->by[1] == by)
				buffer_printf(text, " `%s`", one->name);
		}
		buffer_append_char(text, '|');
		for (unsigned i = 0; i < label->count; i++)
			buffer_printf(text, "%s%s", i == 0 ? "" : " ", label->values[i]);
		buffer_printf(text, "|\n");
	}
}

static void write_list(struct buffer *text)
{
	buffer_printf(text, "|metric|kind|labels|meaning|\n|---|---|---|---|\n");
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		const struct metric_definition *one = &metric_definitions[metric];

		buffer_printf(text, "|`%s`|%s|", one->name, kind_names[one->kind]);
		put_labels(text, one);
		buffer_printf(text, "|%s|\n", one->help);
	}
	put_values(text);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct buffer text = {0};
	char piece[4096];
	size_t size;

	if (!file)
		return NULL;
	while ((size = fread(piece, 1, sizeof(piece), file)) > 0)
		buffer_append(&text, piece, size);
	fclose(file);
	buffer_append_char(&text, '\0');
	return text.data;
}

static int write_file(const char *path, const char *old, const char *end, struct str list)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return 1;
	fwrite(old, 1, (size_t)(strstr(old, begin_mark) - old) + strlen(begin_mark), file);
	fwrite(list.data, 1, list.length, file);
	fwrite(end, 1, strlen(end), file);
	return fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	char *old = argc > 1 ? read_file(argv[1]) : NULL;
	char *begin = old ? strstr(old, begin_mark) : NULL;
	char *end = begin ? strstr(begin, end_mark) : NULL;
	struct buffer list = {0};
	struct str is;
	int code = 1;

	write_list(&list);
	if (end) {
		begin += strlen(begin_mark);
		is = (struct str){begin, (size_t)(end - begin)};
		if (argc > 2)
			code = write_file(argv[1], old, end, buffer_view(&list));
		else
			code = str_equal(is, buffer_view(&list)) ? 0 : 1;
	}
	if (code)
		fprintf(stderr, "%s is not true: run %s FILE write; it should be\n%.*s", argv[1],
			argv[0], STR_ARG(buffer_view(&list)));
	buffer_finish(&list);
	free(old);
	return code;
}
