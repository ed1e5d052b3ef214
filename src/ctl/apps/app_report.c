#include "app_report.h"

#include "ctl/ctl.h"
#include "domain/display.h"

#include <panelimage/panelimage.h>

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
	struct panelimage_size size = {DISPLAY_WIDTH, DISPLAY_HEIGHT};
	struct panelimage_info info = {0};
	struct panelimage_error error;

	if (answer->picture.length == 0)
		buffer_append_str(text, STR("nothing to show"));
	else if (panelimage_probe_webp((const uint8_t *)answer->picture.data,
				       answer->picture.length, size, &info, &error) < 0)
		buffer_append_str(text, str_from(error.text));
	else if (!info.animated)
		buffer_printf(text, "a still picture, %zu bytes", answer->picture.length);
	else
		buffer_printf(text, "%u frames in %.1f s, %zu bytes", info.frame_count,
			      info.duration_ms / 1000.0, answer->picture.length);
	if (answer->cut.length) {
		buffer_append_str(text, STR("; "));
		ctl_append_visible(answer->cut, "", text);
	}
	buffer_printf(text, "; took %.1f ms, %.1f MiB", (double)answer->elapsed_us / 1000,
		      (double)answer->memory_bytes / (1 << 20));
}
