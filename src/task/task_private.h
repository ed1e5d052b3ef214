/* A task from the inside: for the files of this folder only. */
#pragma once

#include "domain/key.h"
#include "task/service.h"
#include "task/task.h"

struct task {
	struct service *service;
	struct http_request *request; /* owns the arena in which the task lies */
	const struct endpoint *endpoint;
	struct route_match match;
	void *state;
	task_step *next;  /* what runs when the thing waited for has come */
	bool has_written; /* a write was sent: from here on the task runs to its end */
	size_t body_max;
	int body_status;  /* of reading the body: 0, or what to answer */
	uint64_t present; /* fields of the body that were there */

	struct id account_id;
	uint8_t key_hash[KEY_HASH_BYTES];
	uint64_t key_epoch; /* of the key cache, when the database was asked */
	struct device device;
	struct task_app app;
	struct json_document document;
	struct faults faults;

	struct db_query query;
	const struct record *row_record;
	void *row;	 /* the struct that the handler gave for it, or one for each in turn */
	size_t row_size; /* of task_reply_query() */
	struct str json; /* of task_reply_query() */
	unsigned row_count;

	struct lane_job job;
	void (*work)(void *argument);
	void *work_argument;

	struct http_response response;
	bool is_problem; /* the answer is a problem, and these are its parts */
	struct str problem_detail;
	struct str problem_members;
	enum db_outcome failed_outcome; /* why task_fail_db() answers */
	enum refusal refusal;
};

/* Runs steps until the task waits or is gone. */
void task_run(struct task *task, task_step *step);

/* The first step. */
task_step task_prologue;

/* A step: answers an error that the database gave. */
task_step task_fail_db;

/* Empty. One buffer serves all answers of the process: what is written is copied into the arena. */
struct buffer *task_scratch(void);

/* Like task_is_not_modified(), for rows that were not yet written as JSON: by their values, and by
 * how the record writes them. Uses the scratch buffer. */
bool task_rows_are_not_modified(struct task *task, const struct record *record,
				const struct db_result *result);
