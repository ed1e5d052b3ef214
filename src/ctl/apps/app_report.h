/* Formats a renderer's answer for the author of an app. Control characters are escaped. */
#pragma once

#include "app_folder.h"
#include "render/engine.h"

/* Appends "PATH/clock.star:12:9: message" as a line, or without the source location if it is
 * unknown. path: of the app, as the author gave it. */
void app_report_error(const char *path, bool is_folder, const struct engine_problem *problem,
		      struct buffer *text);

/* Appends the lines that the app printed. */
void app_report_log(const struct engine_answer *answer, struct buffer *text);

/* Appends "2 frames in 1.0 s, 228 bytes; took 0.8 ms of CPU time, 7.4 MiB". */
void app_report_picture(const struct engine_answer *answer, struct buffer *text);
