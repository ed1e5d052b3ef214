/* Formats an answer of a renderer for an author. */
#pragma once

#include "app_folder.h"
#include "render/engine.h"

/* "PATH/clock.star:12:9: message", or without a place if none is known. path is the app's, as
 * the author gave it. */
void app_report_error(const char *path, bool is_folder, const struct engine_problem *problem,
		      struct buffer *text);

/* The same on one line, with a place in the app's own files: "clock.star:12:9: message". */
void app_report_place(const struct engine_problem *problem, struct buffer *text);

/* Whether the server could make a form of the schema, JSON, which may be empty; otherwise ret_fault
 * says why not. */
bool app_report_form(struct str schema, char ret_fault[static APP_FAULT_MAX]);

/* A stranger's text, on one line and without what steers a terminal. */
void app_report_text(struct str value, struct buffer *text);

/* Appends the lines that the app printed. */
void app_report_log(const struct engine_answer *answer, struct buffer *text);

/* "2 frames in 1.0 s, 228 bytes; took 0.8 ms, 7.4 MiB". */
void app_report_picture(const struct engine_answer *answer, struct buffer *text);
