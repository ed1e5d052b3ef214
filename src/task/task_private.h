/* Internals of a task: for the files of this folder only. */
#pragma once

#include "task/list.h"
#include "task/service.h"
#include "task/task.h"

/* Receiver of the stream of task_hand_over(). */
struct stream_heir {
	const struct http_stream_source *source;
	void *owner;
	struct http_stream **ret_stream;
};

/* Rights end within a second everywhere, however slowly a body arrives, and however long a handler
 * or its write waits for its turn. */
enum { TASK_RIGHTS_MS_MAX = 1000 };

/* State that another look at the caller's rights leaves as it was. */
struct admitted {
	unsigned row_count;
	struct db_query query; /* may be a write that waits for this look */
	task_step *next;
	struct http_response response; /* last: its fields are not zeroed */
};

enum { TASK_HASH_BYTES = 16 }; /* bytes of an answer's hash in its entity tag */

/* The state of the endpoint's access follows it, see task_access_state(). */
struct task {
	struct service *service;
	struct http_request *request; /* owns the arena in which the task lies */
	const struct endpoint *endpoint;
	const struct access *access;		       /* of the endpoint; NULL: anyone */
	bool is_of_operator;			       /* access_operator instead */
	bool is_of_bridge;			       /* access_bridge instead */
	struct operator_account_row operators_account; /* account that the operator acts for */
	struct installation_name_find_row named;       /* see task_find_installation_name() */
	struct route_match match;
	void *state;
	unsigned stage;			 /* next stage of the pre-handler checks */
	task_step *pre_handler;		 /* task_pre_handler() */
	task_step *resumed;		 /* task_resumed() */
	task_step *submit_again;	 /* task_submit_again() */
	task_step *next;		 /* runs when the wait is over */
	task_step *readmitted;		 /* runs after another look at the caller's rights */
	uint64_t admitted_ms;		 /* time of the loop when the caller was admitted */
	struct admitted *admitted;	 /* state before another look at the caller's rights; NULL:
					    there is none under way */
	unsigned unadmitted_field_count; /* fields of the answer before the first look */
	bool has_written; /* a write was sent: from here on the task runs to its end */
	bool is_handled;  /* the handler has begun */
	bool has_changed; /* the handler has sent a write */
	size_t body_max;
	int body_status;  /* result of reading the body: 0, or the status to answer */
	uint64_t present; /* fields that were in the body */

	void *helper; /* see task_helper() */

	struct id account_id;
	const struct rate_policy *caller_rate; /* its bucket is caller_rate_id; NULL: none */
	struct id caller_rate_id;
	const struct key_scope *key_scope; /* of access_api_key; NULL: unrestricted */
	bool has_device_key;		   /* the scope is that of a device's own key */
	const uint8_t *key_hash;	   /* of access_api_key; else NULL */
	struct device device;
	bool has_assumed_device; /* of device, only the two IDs are there */
	struct app app;
	int64_t expected_revision; /* revision of the device's settings; 0: any */
	bool has_tag;		   /* the target has its own entity tag */
	int64_t tag_revision;	   /* first half of the tag */
	struct str present_tag;	   /* tag that GET would return; data is NULL: not made yet */
	struct json_document document;
	struct faults faults;

	/* Memory for a large text, while a worker thread works on it (lane.c). */
	struct arena lane_arena;
	struct json_parsing *parsing; /* of the body */
	struct str picture;	      /* body that is one; data is NULL: it is JSON */
	struct str picture_type;
	bool is_json;
	bool has_read_fields; /* the body's fields are in the state */
	struct str why_no_json;
	task_step *after_body;
	task_writer *write;
	void *write_argument;
	int written_status;
	struct str written;
	uint8_t written_hash[TASK_HASH_BYTES];

	bool is_to_keep;		/* cache the answer in service->reads */
	struct id kept_id;		/* see struct read_key */
	struct read_moment asked;	/* moment before the first query for the answer */
	struct read_sources *sources;	/* rows of the answer; NULL: none was added */
	const struct read_answer *kept; /* cached answer; NULL: it must be made */
	struct str shown_tag;		/* tag of the answer */

	struct db_query query;
	struct str json; /* JSON of a list */
	const struct task_list *list;
	struct list_range range; /* requested part of the list */
	bool has_next_part;
	bool is_packed;		      /* the answer is sent in gzip */
	struct packing *packing;      /* compression of the answer; NULL: none */
	struct list_reading *reading; /* reading of a long list; NULL while none is under way */
	unsigned row_count;

	struct lane_job job;
	bool (*work)(void *argument);
	void *work_argument;
	bool is_text_work;

	bool (*write_more)(struct task *task, struct http_stream *stream);
	struct stream_heir heir;
	/* NULL, or frees memory of a list that is not in the arena; called however the task ends.
	 */
	void (*leave_list)(struct task *task);
	const struct problem_kind *problem; /* NULL, or the answer is this one, with these parts */
	struct str problem_detail;
	struct str problem_members;
	enum db_outcome failed_outcome; /* outcome that task_fail_db() answers */
	enum constraint_error constraint_error;
	struct http_response response; /* last: its fields are not zeroed */
};

/* Runs steps until the task waits or is gone. */
void task_run(struct task *task, task_step *step);
/* Whether the client left before a write was sent, so that the task may end. */
bool task_is_abandoned(const struct task *task);

/* First step of a task. */
task_step task_pre_handler;
/* First step after a wait in a queue, which may have been long: continues with task->next. If the
 * caller was admitted more than a second ago, and nothing was changed yet, the caller's rights are
 * looked at again before. */
task_step task_resumed;
/* After DB_STALE: submits the write again if the caller still has its rights. */
task_step task_submit_again;
/* Continues with task_pre_handler(): the end of each of its stages. */
__attribute__((warn_unused_result)) struct step_result task_next_stage(struct task *task);
/* Whether the method is neither GET nor HEAD. */
bool task_changes_something(const struct task *task);
/* Whether the account that the operator acts for is being removed, so that it must not be changed.
 */
bool task_is_closed_to_operator(const struct task *task);
/* Returns true, with the answer 403, if the scope of the caller's API key does not include this
 * call, or the device of the path. */
__attribute__((warn_unused_result)) bool task_exceeds_scope(struct task *task,
							    struct step_result *ret_answer);
/* Does the same as task_exceeds_scope(), but returns whether the call is within the scope, and
 * answers nothing. */
bool task_is_within_scope(const struct task *task);
/* Whether the scope of the caller's API key lacks task_device(). */
bool task_has_other_devices(const struct task *task);
#define TASK_OTHER_DEVICES "the API key is for other devices of the account"

/* Stages of the pre-handler checks: read and parse the body, find the resource of the path. */
task_step task_read_body;
task_step task_find_resource;
/* Whether the path has an installation's ID with capital letters, which is looked for in either
 * case. */
bool task_has_capital_name(struct task *task);
/* Replaces the installation's ID of the path by that of the installation, if there is one. */
task_step task_find_installation_name;
/* Reads the body's fields into the state, once. False: there are task->faults. */
bool task_reads_fields(struct task *task);
/* Whether the device of the path surely is the caller's, and nothing stands against the call but
 * what the handler's statement finds: the handler may begin. Then the device has its two IDs. */
bool task_assumes_device(struct task *task);
/* Parses the body and reads its fields into the state on a worker thread: task->is_json or
 * task->why_no_json, and task->has_read_fields. */
__attribute__((warn_unused_result)) struct step_result task_read_large_body(struct task *task,
									    task_step *next);
/* Runs a function, with the task as its argument, on a worker thread; bytes: size of its text. The
 * memory that it fills is the task's lane_arena; the next step begins with task_take_over(), which
 * keeps that memory as long as the request. */
__attribute__((warn_unused_result)) struct step_result
task_work_on_text(struct task *task, bool (*run)(void *argument), size_t bytes, task_step *next);
void task_take_over(struct task *task);
/* Whether this is the media type of a picture, and the endpoint takes one as the body. */
bool task_takes_picture(const struct task *task, struct str type);
/* Reads the query into task->document, as a JSON body's members. */
__attribute__((warn_unused_result)) struct step_result task_read_picture(struct task *task,
									 struct str type);
/* Returns true, with the answer 415, if a body has a content coding, or would have one: even if
 * none is read. */
__attribute__((warn_unused_result)) bool task_fails_coding(struct task *task,
							   struct step_result *ret_answer);

/* Takes a token of id's bucket and shows the limit in header fields. Returns true, with the answer
 * 429, if no token is left. */
__attribute__((warn_unused_result)) bool
task_is_limited(struct task *task, struct rate_table *table, const struct rate_policy *policy,
		struct id id, struct step_result *ret_answer);

/* Occurrence of a field that may occur only once; its value is ambiguous if it is repeated. */
enum field_count { FIELD_ABSENT, FIELD_SINGLE, FIELD_REPEATED };
enum field_count task_single_field(const struct task *task, struct str name, struct str *ret_value);

/* Cached answers (kept.c). Call it before the first query of a GET: finds out whether its answer
 * may be cached. */
void task_begin_keeping(struct task *task);
/* Looks for the answer; false: it must be made. id: see enum read_kind. */
bool task_finds_kept(struct task *task, struct id id);
/* Step: answers with the cached answer. */
task_step task_reply_kept;
/* Notes that the answer shows this row of the endpoint's list or resource. */
void task_keep_row(struct task *task, const void *row);
/* Caches the answer, which must have its tag by now, if allowed. */
void task_keep(struct task *task, struct str body);

/* Sends task->query. */
void task_submit(struct task *task);
/* Returns false, and answers the task, if there is no result. */
bool task_has_result(struct task *task, const struct db_result *result);
/* Keeps the outcome for task_fail_db(). */
void task_keep_failure(struct task *task, const struct db_result *result);
/* Step: answers with the error of a failed query. */
task_step task_fail_db;

/* Returns an empty buffer, one for all answers of the process. Copy the text into the arena. */
struct buffer *task_scratch(void);

/* Reads the range from ?limit= and ?cursor=. Returns true, with the answer 400, if they are
 * invalid. */
__attribute__((warn_unused_result)) bool task_has_bad_range(struct task *task,
							    struct step_result *ret_answer);
/* Reads the list's parameters into the task's state. Returns true, with the answer 400, if they are
 * invalid. */
__attribute__((warn_unused_result)) bool task_has_bad_choice(struct task *task,
							     struct step_result *ret_answer);
/* Adds the Link to the part after the row. */
void task_add_next_part(struct task *task, const struct record *record, const void *row);

/* Append the text before the first element of an answer, and the text after the last one. */
void task_begin_list(const struct task_list *list, struct buffer *json);
void task_end_list(const struct task_list *list, struct buffer *json);

/* Decides whether the list is sent in gzip, and tells caches that this depends on the caller. */
void task_choose_coding(struct task *task);
/* Returns the entity tag of an answer in gzip, which differs from that of the plain one. */
struct str task_tag_of_coding(struct task *task, struct str tag);
/* Replies with a list's JSON, compressed if is_packed. */
__attribute__((warn_unused_result)) struct step_result task_reply_rows(struct task *task,
								       struct str json);
/* Step: reads the list (or the requested part) over a connection of its own. */
task_step task_read_long_list;
/* Makes caches keep the answer for this caller only, and revalidate before each use. */
void task_let_caches_ask(struct task *task);

/* Adds the ETag of a GET's body; returns true if the caller has this body already: answer 304 then.
 */
bool task_is_not_modified(struct task *task, struct str body);

/* Adds the ETag by the hash of the body, as task_is_not_modified() does. */
bool task_hash_is_not_modified(struct task *task, const uint8_t hash[static TASK_HASH_BYTES]);
void task_hash(struct str body, uint8_t ret_hash[static TASK_HASH_BYTES]);

/* Adds the ETag of a part of a list. This tag also depends on whether there is a next part, since a
 * caller that is answered 304 may take the Link from the previous answer. Appends to json, which
 * was copied to the answer already. Returns true: answer 304. */
bool task_part_is_not_modified(struct task *task, struct buffer *json);

/* Adds the ETag of a device, "SETTINGS-SEEN", also for a PATCH. Returns true: answer 304. */
bool task_device_is_not_modified(struct task *task, int64_t settings_revision, struct str body);

/* Returns the tag of a device with this answer, in the arena. */
struct str task_device_tag(struct task *task, int64_t settings_revision, struct str body);

/* Whether If-None-Match names a tag. */
bool task_names_no_match(const struct task *task);

/* Like task_is_not_modified(), for rows that were not yet written as JSON: the tag is computed from
 * their first columns and the record's format. Uses the scratch buffer. */
bool task_rows_are_not_modified(struct task *task, const struct record *record,
				const struct db_result *result, unsigned columns);
/* Adds the tag of a cached answer. Returns true: answer 304. */
bool task_tag_is_not_modified(struct task *task, struct str tag);
