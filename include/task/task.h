/* A request being answered: a chain of steps.
 *
 * A step does a part of the work and returns a step result, which says what happens next. Only the
 * task_*() calls make step results, and one trampoline runs the steps:
 *
 *   pre-handler   checks access, rate, body, device and permission, as the endpoint says
 *   handler       --task_query()--> database --> next step
 *                 --task_work()---> worker thread --> next step
 *                 --task_reply_*()  the last act: the task is gone
 *
 * Results come later, never inside the call that asks for them. Once a write was sent, the task
 * runs to its end even if the client left; before that, an abandoned task ends at its next step. */
#pragma once

#include "base/buffer.h"
#include "db/statements.h"
#include "domain/api_key.h"
#include "domain/app.h"
#include "domain/device.h"
#include "http/response.h"
#include "http/router.h"
#include "loop/lanes.h"
#include "record/record.h"
#include "task/read_cache.h"

struct access;
struct http_static_file;
struct http_stream;
struct http_stream_source;
struct service;
struct task;

/* Result of a step: what happens next. Made by task_*() calls only. */
struct step_result {
	enum {
		STEP_CONTINUE,
		STEP_WAIT,
		STEP_REPLY,
		STEP_STREAM,
		STEP_HANDED_OVER,
		STEP_GIVEN_UP
	} kind;
	struct step_result (*next)(struct task *task); /* of STEP_CONTINUE */
};

typedef struct step_result task_step(struct task *task);

enum resource {
	RESOURCE_NONE,
	RESOURCE_DEVICE, /* the path's first parameter; must belong to the caller's account */
	RESOURCE_APP,	 /* the path's first parameter, ID or slug; must belong to the caller's
			    account */
};

/* Properties of a route's endpoint, which determine the pre-handler checks. */
struct endpoint {
	const char *name; /* for traces: "push" */
	task_step *handler;
	const struct access *access; /* permitted callers, see task/access.h; NULL: anyone */
	bool allows_other_origins;   /* without an access: as in struct access */
	bool is_for_operator;	     /* exists on the operator's listener: access_operator there */
	bool needs_no_account;	     /* the operator may call it without an account */
	bool is_for_bridge;	     /* exists for the bridge to MQTT: access_bridge there */
	enum key_level key_level;    /* level that an API key must have */
	bool is_account_wide;	     /* an API key for chosen devices gets 403 */
	bool takes_device_key;	     /* a device's own key may call it, see access_v0_api_key */
	enum resource resource;
	bool names_installation;   /* of the path's device, in the second parameter */
	const struct record *body; /* record of the body; NULL: takes no body */
	size_t body_max_bytes;	   /* 0: LIMIT_REQUEST_BODY_BYTES */
	bool takes_any_type;	   /* accepts any Content-Type; the body is always JSON */
	bool takes_picture;	   /* also accepts the bytes of a picture, see task_picture() */
	size_t state_size;	   /* size of the handler's struct, which is zeroed; the body is
				      read into it */
	bool is_device_limited;	   /* also has the rate limit of a single device */
	/* The handler also runs for a body with faults: it may add to task_faults(), and ends with
	 * task_fail_faults() if there are any. */
	bool handles_faults;
	/* Whether the changed resource has the entity tag "SETTINGS-SEEN" of the path's device.
	 * SETTINGS is the revision of the device's settings: If-Match compares it, and the
	 * handler's statement takes task_expected_revision(). SEEN is a hash of the whole answer,
	 * lastOnline included: If-None-Match compares both. All other tags are hashes of the
	 * answer. */
	bool has_settings_tag;
	/* Record that GET shows: of the device that the pre-handler checks have read; or if
	 * find_tagged is set, of the row that this step finds and passes to task_tag(). */
	const struct record *tag_record;
	task_step *find_tagged;
	/* Whether the handler calls task_fails_precondition(), since it does not change the path's
	 * resource. */
	bool handles_preconditions;
	/* Whether the pre-handler checks may leave out the statement that finds the path's device:
	 * the handler's statement takes the account, and the handler calls task_look_again() if it
	 * finds no row. */
	bool may_assume_device;
	/* Kind under which the answer to a GET is cached (task/read_cache.h): it must be the same
	 * for each caller of the account, except for conditions and parts of lists. READ_NONE: not
	 * cached.
	 */
	enum read_kind kept_as;
	/* NULL, or the step that answers a constraint error, see task_constraint_error(). */
	task_step *refused;
	/* NULL, or frees memory that the state owns. Called once, however the task ends, except
	 * after task_given_up(). */
	void (*finish)(void *state);
	/* NULL, or counts the answer; status 499 if the client left before. Called once. */
	void (*count)(int status);
	/* NULL, or the endpoint that this one offers to other callers: then only name and access of
	 * this one are used. */
	const struct endpoint *same_as;
};

/* Starts the task of a request whose route was found. match is copied. */
void task_start(struct service *service, struct http_request *request,
		const struct endpoint *endpoint, const struct route_match *match);

/* ---- data for handlers ---- */

struct service *task_service(struct task *task);
struct http_request *task_request(struct task *task);
struct arena *task_arena(struct task *task);
/* Returns the handler's own struct, see state_size. */
void *task_state(struct task *task);
/* Returns a pointer for code that several endpoints share, to its part of the endpoint's state.
 * Initially NULL.
 */
void **task_helper(struct task *task);
/* Returns the caller's account; only if the endpoint has an access. For the operator: the owner of
 * the path's device or app, or the account in Displayd-Account, or none. */
struct id task_account_id(struct task *task);
/* Whether the caller is the operator of the machine, who has no account (task/access.h). */
bool task_is_of_operator(const struct task *task);
/* Whether the caller is the bridge to MQTT, for an account: access_bridge. */
bool task_is_of_bridge(const struct task *task);
/* Returns the devices that the caller's API key is limited to, in ascending order; none: all of the
 * account. The pre-handler checks have checked the path's device already. */
struct db_ids task_key_devices(const struct task *task);
/* Return the limits of the caller's API key, and the SHA-256 of the key; NULL for any other caller.
 */
const struct key_scope *task_key_scope(const struct task *task);
const uint8_t *task_key_hash(const struct task *task);
/* Returns the device of the path as read from the database; RESOURCE_DEVICE only. */
struct device *task_device(struct task *task);
/* Reads a device of the caller's account, by ID, serial number or MAC address as paths name it,
 * which becomes task_device(). next finds task_row_count(), 0 if there is no such device, and must
 * check task_may_use_device() or task_device_problem(). For bodies that name devices. */
__attribute__((warn_unused_result)) struct step_result
task_find_device(struct task *task, struct str name, task_step *next);
/* Returns NULL, or the kind of problem if the caller may not use task_device(), with its detail in
 * *ret_why. */
const struct problem_kind *task_device_problem(const struct task *task, const char **ret_why);
/* Whether task_find_device() found a device that the caller may use; else *ret_answer is 404 or
 * 403.
 */
bool task_may_use_device(struct task *task, struct step_result *ret_answer);
/* Takes a token from the rate limit of task_device(), and another one from that of the caller if
 * is_another. Returns false if there is none; *ret_retry_after_s is the time until there is one. */
bool task_take_device_token(struct task *task, bool is_another, unsigned *ret_retry_after_s);
/* Takes another token from the rate limit of the caller, for a request about several devices. */
bool task_take_token(struct task *task, unsigned *ret_retry_after_s);
/* Returns the app of the path; RESOURCE_APP only. */
const struct app *task_app(struct task *task);
/* Returns the body if it is the bytes of a picture, with its media type, which is empty for image
 * slash asterisk; data is NULL if it is JSON. The members come from the query then. */
struct str task_picture(const struct task *task, struct str *ret_type);
/* Returns bit i if field i of the body's record was in the body. */
uint64_t task_body_present(struct task *task);
/* Returns the faults of the body that were found so far. */
struct faults *task_faults(struct task *task);
/* Returns a parameter of the path, decoded. */
struct str task_path_parameter(struct task *task, unsigned index);
/* Replaces a parameter of the path, if the path used an alternative name. value: in the arena. */
void task_set_path_parameter(struct task *task, unsigned index, struct str value);

/* Returns true, with the answer (412, or 400 for an invalid list of entity tags), if If-Match or
 * If-None-Match fails for an existing target (RFC 9110 section 13). The pre-handler checks call it
 * for every endpoint that changes something and does not handle preconditions itself. */
__attribute__((warn_unused_result)) bool task_fails_precondition(struct task *task,
								 struct step_result *ret_answer);
/* Ends find_tagged: the answer to GET would be this row, which must outlive the pre-handler checks.
 */
__attribute__((warn_unused_result)) struct step_result
task_tag(struct task *task, const struct record *record, const void *row);
/* The same of JSON that no record writes. */
__attribute__((warn_unused_result)) struct step_result task_tag_settings(struct task *task,
									 struct str json);
/* Gives the target of an endpoint that handles preconditions an entity tag "REVISION-SEEN", as
 * devices have. SEEN is computed from this JSON. Call it before task_fails_precondition(). */
void task_tag_target(struct task *task, int64_t revision, struct str json);
/* Returns whether the handler's statement, which has found no row, was not preceded by one that
 * found the device (see may_assume_device). Then the handler continues with task_look_again(),
 * which answers as the pre-handler checks do, or runs the handler once more. */
bool task_can_look_again(const struct task *task);
task_step task_look_again;
/* Returns the revision that the settings must still have when the statement changes them; 0: any.
 */
int64_t task_expected_revision(const struct task *task);

/* ---- step results ---- */

/* Continues with another step at once. */
__attribute__((warn_unused_result)) struct step_result task_continue(struct task *task,
								     task_step *next);

/* Makes a query. Pass it to a function of db/statements.h, which fills it in; then call
 * task_query(). */
struct db_query *task_new_query(struct task *task);

/* Returns why the database refused the statement; for an endpoint's step refused(). */
enum constraint_error task_constraint_error(const struct task *task);
/* Gives the service's default answer to this constraint error. */
task_step task_fail_constraint;

/* Runs a query for at most one row, which is read into the struct passed to the statement (in the
 * state or the arena, since it must outlive the wait). next finds task_row_count(). Errors, and
 * constraint errors that the endpoint does not handle, are answered here. */
__attribute__((warn_unused_result)) struct step_result task_query(struct task *task,
								  task_step *next);

unsigned task_row_count(struct task *task);

/* Work for a worker thread, which may touch only the object that argument points to. */
struct task_work {
	bool (*run)(void *argument); /* does a step; returns whether there are more */
	void *argument;
	size_t size;  /* bytes of input */
	bool is_text; /* large bodies and answers, else images: for the text of a refusal */
	bool goes_on; /* other work of the task is done, or stored: it is not refused */
	/* Owner of the share of the lane; all zero: the account of the caller. */
	struct id share;
	struct id
	    network; /* network whose shares take turns with those of others; all zero: none */
};

/* Waits in the long lane are estimated by the bytes of animations, which take that many times as
 * long as those of a text: the size of work on a text there is its bytes, divided by this. */
enum { TASK_TEXT_BYTES = 256 };

/* Runs the work on worker threads, in a share of the lane. If the lane accepts no more, answers 503
 * with Retry-After. */
__attribute__((warn_unused_result)) struct step_result
task_work(struct task *task, enum lane lane, const struct task_work *work, task_step *next);

/* CPU time of the last finished work; 0: there was none. */
uint64_t task_work_cpu_us(const struct task *task);

/* Answers status with a JSON object. A large one is written by a worker thread: row must outlive
 * the wait.
 */
__attribute__((warn_unused_result)) struct step_result
task_reply_record(struct task *task, int status, const struct record *record, const void *row);
/* Answers 200 with a device, or another resource with such a tag, its entity tag "SETTINGS-SEEN"
 * and, for GET, perhaps 304. record and row: as shown to this caller. */
__attribute__((warn_unused_result)) struct step_result
task_reply_device(struct task *task, const struct record *record, const void *row,
		  int64_t settings_revision);
/* The same of JSON that no record writes; it is copied. */
__attribute__((warn_unused_result)) struct step_result
task_reply_settings(struct task *task, struct str json, int64_t settings_revision);
/* Answers status with JSON of the handler, which is copied. */
__attribute__((warn_unused_result)) struct step_result
task_reply_json(struct task *task, int status, const struct buffer *json);
/* Appends JSON. It may touch only the object that argument points to, and the arena, for texts that
 * the JSON is made of. */
typedef void task_writer(void *argument, struct arena *arena, struct buffer *json);
/* Answers status with JSON that write() makes from so many bytes: beyond LIMIT_LOOP_TEXT_BYTES on a
 * worker thread. If the lane refuses that, answers 503, so do not use it after a write. argument
 * must outlive the wait. */
__attribute__((warn_unused_result)) struct step_result
task_reply_written(struct task *task, int status, size_t bytes, task_writer *write, void *argument);
/* Answers status with "{}". */
__attribute__((warn_unused_result)) struct step_result task_reply_empty(struct task *task,
									int status);
/* Answers with any other type; body in the arena or static. */
__attribute__((warn_unused_result)) struct step_result
task_reply(struct task *task, int status, struct str content_type, struct str body);
/* Adds an entity tag to an answer that is determined by this text. */
void task_add_tag(struct task *task, struct str source);
/* Returns true, with the answer 304, if the caller of a GET has the answer with that tag: then it
 * need not be made. */
__attribute__((warn_unused_result)) bool task_is_known(struct task *task, struct str source,
						       struct step_result *ret_answer);
/* Answers a GET with 200 and an ETag, or with 304. */
__attribute__((warn_unused_result)) struct step_result
task_reply_tagged(struct task *task, struct str content_type, struct str body);
/* Answers with an embedded file, or 304. */
__attribute__((warn_unused_result)) struct step_result
task_reply_static(struct task *task, const struct http_static_file *file);
/* Answers in pieces (http/stream.h): write_more() is called later, whenever there is room; it
 * writes a portion of at most a millisecond's work and returns whether there is more. It may touch
 * only the task's state and arena. The task lives until the last portion, or until no more can be
 * sent: then only the endpoint's finish() is called. */
__attribute__((warn_unused_result)) struct step_result
task_reply_stream(struct task *task, int status, struct str content_type,
		  bool (*write_more)(struct task *task, struct http_stream *stream));
/* Ends the stream of task_reply_stream() outside of write_more(): the answer is complete, or cannot
 * be completed. The last act. */
void task_end_stream(struct task *task, struct http_stream *stream, bool is_complete);
/* Answers 200 with a stream that continues when the task, its state and its arena are gone
 * (http_stream_release_request()): for streams without an end. source and owner are the stream's.
 * *ret_stream is set before the source is called for the first time. */
__attribute__((warn_unused_result)) struct step_result
task_hand_over(struct task *task, struct str content_type, const struct http_stream_source *source,
	       void *owner, struct http_stream **ret_stream);
/* Adds a header field to the answer, of any status. */
void task_add_field(struct task *task, struct str name, struct str value);

/* Answers with a problem of this kind. */
__attribute__((format(printf, 3, 4), warn_unused_result)) struct step_result
task_fail(struct task *task, const struct problem_kind *kind, const char *format, ...);
/* Answers 412: the resource of the request's condition no longer exists. */
__attribute__((warn_unused_result)) struct step_result task_fail_precondition(struct task *task);
/* Answers 400 for one member of the body. */
#define task_fail_field(task, ...) task_fail_field_as(task, PROBLEM_BODY_INVALID, __VA_ARGS__)
/* Works as task_fail_field(), with a kind of its own. */
__attribute__((format(printf, 4, 5), warn_unused_result)) struct step_result
task_fail_field_as(struct task *task, const struct problem_kind *kind, const char *name,
		   const char *format, ...);
/* Answers 400 with all of task_faults(). */
__attribute__((warn_unused_result)) struct step_result task_fail_faults(struct task *task);
/* Works as task_fail_faults(), with a kind of its own. */
__attribute__((warn_unused_result)) struct step_result
task_fail_faults_as(struct task *task, const struct problem_kind *kind);
/* Answers with the 401 of the endpoint's access: the caller's account is gone. */
__attribute__((warn_unused_result)) struct step_result task_refuse(struct task *task);
/* Answers with a problem of status 503, and Retry-After. */
__attribute__((format(printf, 4, 5), warn_unused_result)) struct step_result
task_fail_busy(struct task *task, const struct problem_kind *kind, unsigned retry_after_s,
	       const char *format, ...);

/* Ends the task after its request became a WebSocket. */
__attribute__((warn_unused_result)) struct step_result task_given_up(struct task *task);

/* Leaves the task waiting until task_resume(); for events other than query results and finished
 * jobs. */
__attribute__((warn_unused_result)) struct step_result task_wait(struct task *task,
								 task_step *next);
/* Runs the step of task_wait(). Call it only from the loop, never inside a step. */
void task_resume(struct task *task);
