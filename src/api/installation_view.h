/* An installation of the path's device, as its owner sees it, for endpoints that show or change it.
 * Its entity tag is "REVISION-SEEN" (task_tag_target()), whose revision is computed from everything
 * that can be set. */
#pragma once

#include "api/app_work.h"
#include "domain/installation.h"

/* Lies in the endpoint's state, whose finish() calls installation_view_finish(). */
struct installation_view {
	struct installation_get_row row;
	struct app_work work; /* of an app's installation */
	const struct settings *sent;
	task_step *next;
	struct installation_detail detail; /* from the row, after installation_view_make() */
	int64_t revision;		   /* from the row, after installation_view_make() */
};

/* Reads the installation that the path's second parameter names, and its app's form. sent: settings
 * of a body; NULL: none. Answers 404 if there is no such installation, and as api_find_form().
 */
__attribute__((warn_unused_result)) struct step_result
installation_view_find(struct task *task, struct installation_view *view,
		       const struct settings *sent, task_step *next);

/* Reads the installation again, without the form. No row: it was removed. */
__attribute__((warn_unused_result)) struct step_result
installation_view_read(struct task *task, struct installation_view *view, task_step *next);

/* Makes detail and revision from the row. */
void installation_view_make(struct task *task, struct installation_view *view);

/* Answers 200 with the detail and its tag; for GET perhaps 304. */
__attribute__((warn_unused_result)) struct step_result
installation_view_reply(struct task *task, const struct installation_view *view);

void installation_view_finish(struct installation_view *view);
