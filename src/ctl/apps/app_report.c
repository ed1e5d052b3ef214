#include "app_report.h"

#include "ctl/ctl.h"
#include "render/verdict.h"

/* Whether this is the name that renderers give to an app's only file. */
static bool is_sole_file(struct str file)
{
	return str_equal(file, STR("app.star")) || str_equal(file, STR("app.ts"));
}

void app_report_error(const char *path, bool is_folder, const struct engine_problem *problem,
		      struct buffer *text)
{
	buffer_append_str(text, str_from(path));
	if (problem->file.length && (is_folder || !is_sole_file(problem->file))) {
		if (path[strlen(path) - 1] != '/')
			buffer_append_char(text, '/');
		ctl_append_visible(problem->file, "\t", text);
	}
	if (problem->line > 0)
		buffer_printf(text, ":%d:%d", problem->line, problem->column);
	buffer_append_str(text, STR(": "));
	ctl_append_visible(problem->message, "\n\t", text);
	buffer_append_char(text, '\n');
}

void app_report_log(const struct engine_answer *answer, struct buffer *text)
{
	ctl_append_visible(answer->log, "\n\t", text);
	if (answer->log_dropped > 0)
		buffer_printf(text, "(%u more lines)\n", answer->log_dropped);
}

void app_report_picture(const struct engine_answer *answer, struct buffer *text)
{
	struct buffer words = {0};

	verdict_append_picture(answer, &words);
	ctl_append_visible(buffer_view(&words), "", text);
	buffer_finish(&words);
}
