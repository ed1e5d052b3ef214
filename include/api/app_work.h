/* State shared by endpoints that run an app's script for a waiting person: the script, the engine's
 * job, and the app's form.
 *
 *   api_find_app() --> source --api_find_form()--> form
 *       --api_take_settings()----> settings --api_run_app()-----------> answer
 *       --api_accept_settings()--> settings --api_encrypt_settings()--> one statement stores them
 *
 * The struct lies in the endpoint's state, whose finish() calls app_work_finish(). One step runs at
 * a time. */
#pragma once

#include "api/app_memory.h"
#include "db/statements.h"
#include "domain/app_body.h"
#include "domain/stored_settings.h"
#include "render/engine.h"
#include "task/task.h"

/* Private: state of the calls of handlers that make further fields. */
struct app_made {
	struct form more; /* fields that one handler has made */
	const struct settings *given;
	task_step *next;
	unsigned own;	    /* number of the form's own fields, which come first */
	unsigned seen;	    /* own fields that were looked at */
	unsigned asked;	    /* handlers that were called */
	struct str problem; /* why a handler did not answer */
};

/* Private: a form is read on a worker thread if its text is large. */
struct app_reading {
	struct str text;
	struct form *form; /* where the form is stored */
	struct arena arena;
	bool is_good;
	struct str reason; /* why not */
	task_step *next;
};

struct app_work {
	struct task *task;
	task_step *next;

	/* Script to run: set by api_find_app(), or by the endpoint. */
	struct str language; /* language's name; empty: there is no version to run */
	struct str script;   /* empty: api_run_app() reads the code of source's version */
	struct str compiled; /* of TypeScript; empty: not compiled yet */
	struct str scope;
	struct str timezone, locale;
	size_t picture_limit_bytes; /* 0: the limit of panels */
	enum panel_size panel_size;
	unsigned duration_ms;	/* 0: that of panels */
	bool may_be_missing;	/* by the endpoint: no 404 if there is no version to run */
	bool is_only_looked_at; /* by the endpoint: the script may not use the network */
	/* By the endpoint: nobody waits for the run, so it takes turns with renders, without the
	 * rate of previews. Its requests to the network are refused, and named in the answer. */
	bool is_import;
	bool was_counted; /* private: the rate of previews has counted this run */

	struct app_source_row source; /* set by api_find_app() */
	struct id device_id;	      /* set by api_find_app(); all zero: none */
	struct str installation_id;   /* set by api_find_app(); empty: none */
	struct app_schema_keep_row kept;
	struct app_schema_fail_row failed;
	struct version_code_row code;
	struct app_schema_get_row large_schema;
	struct app_memory memory; /* memory of this request's texts */

	/* Private: arguments of api_run_app(), until the code is loaded. */
	enum engine_what run_what;
	struct str run_config;
	task_step *run_next;

	struct engine_job job; /* with its answer, valid until the next api_run_app() */
	struct app_reading reading;
	size_t form_bytes; /* bytes of the form's text */
	struct form form;
	bool has_form; /* if false, job.answer.problem is the reason */
	struct app_made made;
	struct settings open;	/* settings of the body, in normal form, and stored ones */
	struct settings secret; /* stored secret settings that the body does not replace */
	struct settings all;
};

void app_work_finish(struct app_work *work);

/* Finds an app by its ID or slug, or if that is empty, by its installation on the device.
 * device_id, installation_id: as in a body or a path; empty: none. Answers 404 if the account has
 * no such app or device. */
__attribute__((warn_unused_result)) struct step_result
api_find_app(struct task *task, struct app_work *work, struct str app, struct str device_id,
	     struct str installation_id, task_step *next);

/* Takes the script of a body, and the time zone of the body. */
void api_use_draft(struct task *task, struct app_work *work, const struct app_body *body,
		   struct id app);

/* Takes a version in review, as found by review_source.sql, and the time zone of the body. */
void api_use_version(struct app_work *work, const struct review_source_row *version,
		     struct str zone);

/* Finds the form: the stored one of the version, or else by running the script. */
__attribute__((warn_unused_result)) struct step_result
api_find_form(struct task *task, struct app_work *work, task_step *next);

/* Finds the form, as api_find_form(), and adds the fields that its GENERATED fields make from the
 * settings (of a body), by calling their handlers. It does so only if these or the stored settings
 * name a field that the form does not have. If a handler does not answer, form_makes_more() stays
 * true. */
__attribute__((warn_unused_result)) struct step_result
api_find_whole_form(struct task *task, struct app_work *work, const struct settings *settings,
		    task_step *next);
/* Answers 409: the form is needed and missing. */
__attribute__((warn_unused_result)) struct step_result
api_fail_no_form(struct task *task, const struct app_work *work);

/* Reads a form; next finds the result in work->reading: is_good, or the reason. */
__attribute__((warn_unused_result)) struct step_result
api_read_form(struct task *task, struct app_work *work, struct str text, struct form *form,
	      task_step *next);

/* Runs the script; work->job has what, handler and parameter. config: JSON, an object. A script
 * that the account has not installed reaches only public addresses. Answers 429 if the account has
 * exceeded its rate of previews, 503 if too many runs wait. Else calls next, with work->job.answer
 * set. */
__attribute__((warn_unused_result)) struct step_result
api_run_app(struct task *task, struct app_work *work, enum engine_what what, struct str config,
	    task_step *next);

/* Checks the body's settings against the form, and adds the installation's secrets that the body
 * does not name: work->open, work->secret, work->all. Returns false if there are faults, or if the
 * secrets cannot be decrypted (*ret_answer). */
__attribute__((warn_unused_result)) bool api_take_settings(struct task *task, struct app_work *work,
							   const struct settings *settings,
							   struct step_result *ret_answer);
/* Takes the settings to store them: as api_take_settings(), but *ret_answer is 409 also if the form
 * is missing, or if some belong to unknown fields because a handler did not answer. */
__attribute__((warn_unused_result)) bool api_accept_settings(struct task *task,
							     struct app_work *work,
							     const struct settings *settings,
							     struct step_result *ret_answer);
/* Takes the settings, as api_take_settings(), but leaves out those that the form does not
 * accept. */
void api_take_good_settings(struct task *task, struct app_work *work,
			    const struct settings *settings);
/* Decrypts the installation's stored settings whose fields are secret in work->form. Returns false
 * if they cannot be decrypted. */
__attribute__((warn_unused_result)) bool
api_open_secrets(struct task *task, const struct app_work *work, struct settings *ret_secret);

/* Encrypts the settings of work as they are stored for this installation; in the arena. */
void api_encrypt_settings(struct task *task, struct id device_id, struct str installation_id,
			  const struct app_work *work, struct stored_settings *ret);

/* Appends JSON: the installation's settings in source without those of secret fields, and the names
 * of its secrets that have a value. */
void api_write_settings(struct task *task, struct buffer *json, const struct app_work *work);
void api_write_secrets(struct task *task, struct buffer *json, const struct app_work *work);

/* Returns the settings' canonical text, in the arena. */
struct str api_settings_text(struct task *task, const struct settings *settings);
