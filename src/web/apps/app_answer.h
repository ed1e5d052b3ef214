/* Answers of the pages about scripts that were run: docs/api/pages has the members. */
#pragma once

#include "api/app_work.h"

/* A JSON array of lines that end with "\n", or of words that are separated by spaces. */
void app_write_lines(struct buffer *json, struct str text, char separator);
/* RunProblem of docs/api/pages, or null; also of one that the database has as JSON. */
void app_write_problem(struct buffer *json, const struct engine_problem *problem);
void app_write_problem_value(struct buffer *json, const struct json_value *problem);
void app_write_kept_problem(struct task *task, struct buffer *json, struct str problem);
/* "version":..., "fields":..., "language":..., "unavailable":..., "problem":... of Form. */
void app_write_form(struct buffer *json, const struct app_work *work);
/* The members of Preview, without braces. */
void app_write_preview(struct buffer *json, const struct app_work *work);
