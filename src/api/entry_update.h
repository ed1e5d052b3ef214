/* A change of an installation by one statement for the whole body, for both APIs. Its panel follows
 * at once. */
#pragma once

#include "api/entries.h"
#include "installation_view.h"

struct entry_update;

/* Differences between the APIs. */
struct entry_update_form {
	/* NULL, or returns true, with the answer, if a precondition of the caller fails. */
	bool (*fails_precondition)(struct task *task, struct entry_update *update,
				   struct step_result *ret_answer);
	/* NULL, or completes the change with the stored installation. */
	void (*complete)(struct task *task, struct entry_update *update);
	/* Returns the settings to change, and reads those that stay into *ret_stored. */
	struct settings (*settings)(struct task *task, struct entry_update *update,
				    struct settings *ret_stored);
	task_step *reply; /* answers with the changed installation */
};

/* Part of the endpoint's state. Its finish() calls installation_view_finish(). */
struct entry_update {
	const struct entry_update_form *form;
	const struct entry_change *change;
	bool is_of_generation; /* whether the change depends on what was read */
	struct installation_view view;
	struct rotation_entry_update_row row;
	unsigned tries;
};

/* Finds the installation that the path's second parameter names, changes it and replies. The
 * endpoint handles faults. */
__attribute__((warn_unused_result)) struct step_result entry_update(struct task *task,
								    struct entry_update *update);
