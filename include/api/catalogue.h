/* An app that an account can install, by its ID or slug: for the public API and for the pages,
 * which show it differently. */
#pragma once

#include "domain/studio.h"
#include "task/task.h"

/* State of the endpoint. */
struct api_app_get {
	struct catalogue_app app;
	const struct record *shown;
};

/* Answers with the app that the path's first parameter names; shown: a record of struct
 * catalogue_app. */
__attribute__((warn_unused_result)) struct step_result api_get_app(struct task *task,
								   const struct record *shown);
