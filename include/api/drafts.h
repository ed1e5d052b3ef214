/* Saving of an app's draft, shared by the public API (API key) and the pages (session). */
#pragma once

#include "api/account_bytes.h"
#include "domain/studio.h"
#include "task/task.h"

/* State of an endpoint that saves a draft. */
struct draft_saving {
	struct draft_change body; /* first: the pre-handler checks read the request into it */
	struct draft_saved saved;
	struct account_room room; /* if the account has no room */
	task_step *save;	  /* runs the statement */
};

/* Answers with the saved draft, after it has told the author's pages. A page that has saved it
 * knows its revision, and need not read it. */
task_step api_draft_was_saved;
/* Handler of the endpoint's "refused": makes room and saves again, or answers why not. */
task_step api_draft_refused;
