/* Formats an answer of a renderer for an author. */
#pragma once

#include "app_disk.h"
#include "renderer.h"

/* "PATH/clock.star:12:9: message", or without a place if none is known. path is the app's, as
 * the author gave it. */
void app_report_error(const char *path, bool is_folder, yyjson_val *error, struct buffer *text);

/* The same on one line, with a place in the app's own files: "clock.star:12:9: message". */
void app_report_place(yyjson_val *error, struct buffer *text);

/* Whether the server could make a form of the schema, which may be missing; otherwise ret_fault
 * says why not. */
bool app_report_form(yyjson_val *schema, char ret_fault[static APP_FAULT_MAX]);

/* A stranger's text, on one line and without what steers a terminal. */
void app_report_text(const char *value, struct buffer *text);

/* Appends the lines that the app printed. */
void app_report_log(yyjson_val *answer, struct buffer *text);

/* "2 frames in 1.0 s, 228 bytes; took 0.8 ms, 1,234 steps, 7.4 MiB". */
void app_report_picture(yyjson_val *answer, size_t picture_size, struct buffer *text);
