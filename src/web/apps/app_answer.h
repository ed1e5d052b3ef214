/* Answers of the pages about scripts that were run: docs/api/pages has the members. */
#pragma once

#include "api/app_work.h"

/* Writes a JSON array of lines that end with "\n", or of words separated by spaces. */
void app_write_lines(struct buffer *json, struct str text, char separator);
/* Write RunProblem of docs/api/pages, or null; the second from JSON of the database. */
void app_write_problem(struct buffer *json, const struct engine_problem *problem);
void app_write_problem_value(struct buffer *json, const struct json_value *problem);
void app_write_kept_problem(struct task *task, struct buffer *json, struct str problem);
/* "version":..., "fields":..., "language":..., "unavailable":..., "problem":... members of Form. */
void app_write_form(struct buffer *json, const struct app_work *work);
/* Writes the members of Preview, without braces. */
void app_write_preview(struct buffer *json, const struct app_work *work);
