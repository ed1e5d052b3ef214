#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "db/storage.h"
#include "http/static.h"
#include "task_private.h"

#include <stdio.h>

static const struct str json_type = {"application/json", 16};

void task_add_field(struct task *task, struct str name, struct str value)
{
	http_response_add(&task->response, name, value);
}

struct step_result task_reply(struct task *task, int status, struct str content_type,
			      struct str body)
{
	task->response.status = status;
	task->response.content_type = content_type;
	task->response.body = body;
	return (struct step_result){.kind = STEP_REPLY};
}

struct step_result task_reply_static(struct task *task, const struct http_static_file *file)
{
	http_static_answer(task->request, file, &task->response);
	return (struct step_result){.kind = STEP_REPLY};
}

struct step_result task_reply_stream(struct task *task, int status, struct str content_type,
				     bool (*write_more)(struct task *task,
							struct http_stream *stream))
{
	task->response.status = status;
	task->response.content_type = content_type;
	task->write_more = write_more;
	return (struct step_result){.kind = STEP_STREAM};
}

struct step_result task_hand_over(struct task *task, struct str content_type,
				  const struct http_stream_source *source, void *owner,
				  struct http_stream **ret_stream)
{
	task->response.status = 200;
	task->response.content_type = content_type;
	task->heir = (struct stream_heir){source, owner, ret_stream};
	return (struct step_result){.kind = STEP_HANDED_OVER};
}

struct buffer *task_scratch(void)
{
	static struct buffer buffer;

	buffer_clear(&buffer);
	return &buffer;
}

struct step_result task_reply_empty(struct task *task, int status)
{
	return task_reply(task, status, json_type, STR("{}"));
}

static struct step_result reply_problem(struct task *task, const struct problem_kind *kind,
					struct str detail, struct str extra_members)
{
	task->problem = kind;
	task->response.status = kind->status;
	task->problem_detail = detail;
	task->problem_members = extra_members;
	return (struct step_result){.kind = STEP_REPLY};
}

struct step_result task_fail(struct task *task, const struct problem_kind *kind, const char *format,
			     ...)
{
	struct str detail;
	va_list args;

	va_start(args, format);
	detail = arena_vprintf(task_arena(task), format, args);
	va_end(args);
	return reply_problem(task, kind, detail, (struct str){0});
}

struct step_result task_fail_faults_as(struct task *task, const struct problem_kind *kind)
{
	struct buffer *json = task_scratch();
	struct str members;

	faults_write_json(&task->faults, json);
	members = arena_copy(task_arena(task), buffer_view(json));
	return reply_problem(task, kind, faults_sentence(&task->faults), members);
}

struct step_result task_fail_faults(struct task *task)
{
	return task_fail_faults_as(task, PROBLEM_BODY_INVALID);
}

struct step_result task_fail_field_as(struct task *task, const struct problem_kind *kind,
				      const char *name, const char *format, ...)
{
	struct str detail;
	va_list args;

	va_start(args, format);
	detail = arena_vprintf(task_arena(task), format, args);
	va_end(args);
	faults_init(&task->faults, task_arena(task));
	faults_add(&task->faults, str_from(name), "%.*s", STR_ARG(detail));
	return task_fail_faults_as(task, kind);
}

struct step_result task_fail_busy(struct task *task, const struct problem_kind *kind,
				  unsigned retry_after_s, const char *format, ...)
{
	struct str detail;
	va_list args;

	va_start(args, format);
	detail = arena_vprintf(task_arena(task), format, args);
	va_end(args);
	task_add_field(task, STR("Retry-After"), arena_decimal(task_arena(task), retry_after_s));
	return reply_problem(task, kind, detail, (struct str){0});
}

enum constraint_error task_constraint_error(const struct task *task)
{
	return task->constraint_error;
}

struct step_result task_fail_constraint(struct task *task)
{
	switch (task->constraint_error) {
	case CONSTRAINT_UNKNOWN_TIMEZONE:
		return task_fail_field(task, "timezone", DEVICE_TIMEZONE_FAULT);
	default:
		return task_fail(task, PROBLEM_CONFLICT,
				 "the change conflicts with what is stored");
	}
}

struct step_result task_fail_db(struct task *task)
{
	switch (task->failed_outcome) {
	case DB_UNAVAILABLE:
		if (storage_has_no_room(db_storage(task->service->db)))
			return task_fail_busy(
			    task, PROBLEM_DATABASE_FULL, 2,
			    "the database has no room to store anything, try again later");
		if (db_is_read_only(task->service->db))
			return task_fail_busy(task, PROBLEM_DATABASE_READ_ONLY, 5,
					      "the database is read-only, so nothing can be "
					      "changed; try again later");
		return task_fail_busy(task, PROBLEM_DATABASE_UNAVAILABLE, 2,
				      "the database cannot be reached, try again");
	case DB_BLOCKED:
		return task_fail_busy(task, PROBLEM_DATA_LOCKED, 2,
				      "another change has locked the same data, try again");
	case DB_OVERDUE:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 2,
				      "too many long lists and searches are waiting, try again");
	case DB_CONSTRAINT:
		return task_continue(task, task->endpoint->refused ?: task_fail_constraint);
	default:
		/* The previous log line has the error, with the statement and PostgreSQL's message.
		 */
		log_warn("task", "an unexpected error was answered",
			 LOG_TEXT("route", task->request->log_route),
			 LOG_STR("request_id", task->request->request_id));
		return task_fail(
		    task, PROBLEM_INTERNAL_ERROR,
		    "unexpected error; the server's log has details under this request's ID");
	}
}
