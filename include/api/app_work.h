/* State shared by endpoints that run an app's script for a waiting person: the script, the engine's
 * job, and the app's form.
 *
 *   api_find_app() --> source --api_find_form()--> form --api_take_settings()--> api_run_app()
 *       --> answer                                    --api_accept_settings()-->
 * api_seal_settings()
 *                                                         --> one statement stores them
 *
 * It lies in the endpoint's state, whose finish() calls app_work_finish(). One step runs at a
 * time. */
#pragma once

#include "api/app_memory.h"
#include "db/statements.h"
#include "domain/app_body.h"
#include "domain/stored_settings.h"
#include "render/engine.h"
#include "task/task.h"

/* Private: what handlers are asked for the fields that they make. */
struct app_made {
	struct form more; /* what one has made */
	const struct settings *given;
	task_step *next;
	unsigned own;	    /* fields of the form itself, which come first */
	unsigned seen;	    /* of these */
	unsigned asked;	    /* handlers */
	struct str problem; /* why one has not answered */
};

/* Private: a form is read on a worker thread if its text is large. */
struct app_reading {
	struct str text;
	struct form *form; /* what it is read into */
	struct arena arena;
	bool is_good;
	struct str reason; /* why it is not */
	task_step *next;
};

struct app_work {
	struct task *task;
	task_step *next;

	/* Script to run: set by api_find_app(), or by the endpoint. */
	struct str language; /* its name; empty: there is no version to run */
	struct str script;   /* empty: api_run_app() reads the code of source's version */
	struct str compiled; /* TypeScript; empty: not yet */
	struct str scope;
	struct str timezone, locale;
	size_t picture_limit_bytes; /* 0: as panels take it */
	unsigned duration_ms;	    /* likewise */
	bool may_be_missing;	    /* by the endpoint: instead of 404 source has no version */
	bool is_only_looked_at;	    /* by the endpoint: nothing is asked of the network */
	/* By the endpoint: nobody waits for it, so it has the turns of renders, and not the rate
	 * of previews. What it asks of the network is refused, and named in the answer. */
	bool is_import;
	bool was_counted; /* private: by the rate of previews */

	struct app_source_row source; /* api_find_app() */
	struct id device_id;	      /* likewise; all zero: none */
	struct str installation_id;   /* likewise; empty: none */
	struct app_schema_keep_row kept;
	struct app_schema_fail_row failed;
	struct version_code_row code;
	struct app_schema_get_row large_schema;
	struct app_memory memory; /* of the texts of this request */

	/* Private: what api_run_app() was called for, until the code is there. */
	enum engine_what run_what;
	struct str run_config;
	task_step *run_next;

	struct engine_job job; /* with its answer, until the next api_run_app() */
	struct app_reading reading;
	size_t form_bytes; /* of the form's text */
	struct form form;
	bool has_form; /* else job.answer.problem says why not */
	struct app_made made;
	struct settings open;	/* of the body, in normal form; and those that are installed */
	struct settings secret; /* likewise, without those of the body */
	struct settings all;
};

void app_work_finish(struct app_work *work);

/* Finds an app by its ID or slug, or if that is empty, by its installation on the device.
 * device_id, installation_id: as a body or a path has them; empty: none. Answers 404 if the
 * account has no such app or device. */
__attribute__((warn_unused_result)) struct step_result
api_find_app(struct task *task, struct app_work *work, struct str app, struct str device_id,
	     struct str installation_id, task_step *next);

/* The script of an endpoint's body, in the zone of the body. */
void api_use_draft(struct task *task, struct app_work *work, const struct app_body *body,
		   struct id app);

/* A version that is reviewed, as review_source.sql has found it, in the zone of the body. */
void api_use_version(struct app_work *work, const struct review_source_row *version,
		     struct str zone);

/* Finds the form: the version's that is kept, or by running the script. */
__attribute__((warn_unused_result)) struct step_result
api_find_form(struct task *task, struct app_work *work, task_step *next);

/* Finds the form, as api_find_form(), with the fields that GENERATED ones make of the settings (of
 * a body), if these or the stored ones name any that the form does not have: their handlers are
 * asked. If one does not answer, form_makes_more() stays true. */
__attribute__((warn_unused_result)) struct step_result
api_find_whole_form(struct task *task, struct app_work *work, const struct settings *settings,
		    task_step *next);
/* 409: the form is needed and not there. */
__attribute__((warn_unused_result)) struct step_result
api_fail_no_form(struct task *task, const struct app_work *work);

/* Reads a form; next finds work->reading.is_good, or the reason. */
__attribute__((warn_unused_result)) struct step_result
api_read_form(struct task *task, struct app_work *work, struct str text, struct form *form,
	      task_step *next);

/* Runs the script; work->job has what, handler and parameter. config: JSON, an object. What the
 * account has not installed reaches public addresses only. Answers 429 if the account has asked
 * for too much lately, 503 if there is too much to run. Else work->job.answer is there. */
__attribute__((warn_unused_result)) struct step_result
api_run_app(struct task *task, struct app_work *work, enum engine_what what, struct str config,
	    task_step *next);

/* Holds the body's settings to the form, and adds the secrets of the installation that it does not
 * name: work->open, work->secret, work->all. False: there are faults, or the secrets do not open
 * (*ret_answer). */
__attribute__((warn_unused_result)) bool api_take_settings(struct task *task, struct app_work *work,
							   const struct settings *settings,
							   struct step_result *ret_answer);
/* Takes the settings to store them: as api_take_settings(), but *ret_answer is 409 also if the form
 * is missing, or if some are of fields that nobody knows, as a handler has not answered. */
__attribute__((warn_unused_result)) bool api_accept_settings(struct task *task,
							     struct app_work *work,
							     const struct settings *settings,
							     struct step_result *ret_answer);
/* Takes the settings, as api_take_settings(), but leaves out those that the form does not
 * accept. */
void api_take_good_settings(struct task *task, struct app_work *work,
			    const struct settings *settings);
/* The stored settings of the installation whose fields are secret in work->form. False: they do not
 * open. */
__attribute__((warn_unused_result)) bool
api_open_secrets(struct task *task, const struct app_work *work, struct settings *ret_secret);

/* Returns the installation's stored settings, in the arena. */
void api_encrypt_settings(struct task *task, struct id device_id, struct str installation_id,
			  const struct app_work *work, struct stored_settings *ret);

/* Appends the settings of the installation in source without those of secret fields, and the names
 * of its secrets that have a value: JSON. */
void api_write_settings(struct task *task, struct buffer *json, const struct app_work *work);
void api_write_secrets(struct task *task, struct buffer *json, const struct app_work *work);

/* The canonical text, in the arena. */
struct str api_settings_text(struct task *task, const struct settings *settings);
