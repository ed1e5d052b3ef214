#include "http/conditional.h"
#include "task_private.h"

/* Preconditions of requests that change something (RFC 9110 section 13). Tags are compared strongly
 * for If-Match and weakly for If-None-Match, as sections 13.1.1 and 13.1.2 have it. Preconditions
 * by date are ignored, since no target has a Last-Modified (13.1.4). */

/* Tags of one of the two fields, all its lines together. */
struct tags {
	bool is_there;
	bool is_malformed;
	bool names_any;	    /* "*" */
	bool names_present; /* names the target's current state */
	bool names_later;   /* names a state that it may have soon */
};

/* A tag is "SETTINGS-SEEN"; If-Match compares the first half only, since lastOnline changes all the
 * time. Returns the first half; -1: not a tag of ours. */
static int64_t revision_of(struct str tag)
{
	unsigned long long number;
	size_t dash = str_find(tag, '-');

	return dash < tag.length &&
		       str_to_uint64((struct str){tag.data + 1, dash - 1}, INT64_MAX, &number)
		   ? (int64_t)number
		   : -1;
}

/* Compares a tag with the current state. A later revision may become the state soon. */
static void compare(const struct task *task, struct str tag, bool is_match, struct tags *tags)
{
	int64_t revision = revision_of(tag), present = task->tag_revision;

	tags->names_present |= is_match ? revision == present : str_equal(tag, task->present_tag);
	tags->names_later |= revision > present;
}

static void read_line(struct task *task, struct str list, bool is_match, struct tags *tags)
{
	struct http_tag tag;

	if (str_equal(str_trim(list), STR("*"))) {
		tags->names_any = true;
		return;
	}
	while (http_next_tag(&list, &tag)) {
		if (task->has_tag && !(is_match && tag.is_weak))
			compare(task, tag.text, is_match, tags);
	}
	if (list.length)
		tags->is_malformed = true;
}

static struct tags read_tags(struct task *task, struct str name, bool is_match)
{
	const struct http_request *request = task->request;
	struct tags tags = {0};

	for (unsigned i = 0; i < request->field_count; i++) {
		if (!str_equal_ignore_case(request->fields[i].name, name))
			continue;
		tags.is_there = true;
		read_line(task, request->fields[i].value, is_match, &tags);
	}
	return tags;
}

static struct step_result fail_malformed(struct task *task, const char *name)
{
	return task_fail(task, PROBLEM_HEAD_INVALID,
			 "%s must be * or a list of entity tags, each in double quotes", name);
}

bool task_fails_precondition(struct task *task, struct step_result *ret_answer)
{
	struct tags match = read_tags(task, STR("if-match"), true);
	struct tags none_match = read_tags(task, STR("if-none-match"), false);

	if (match.is_malformed)
		*ret_answer = fail_malformed(task, "If-Match");
	else if (none_match.is_malformed)
		*ret_answer = fail_malformed(task, "If-None-Match");
	else if (match.is_there && !match.names_any && !match.names_present)
		*ret_answer = task_fail_precondition(task);
	else if (none_match.names_any || none_match.names_present)
		*ret_answer = task_fail(task, PROBLEM_PRECONDITION_FAILED,
					"If-None-Match matches the present state");
	else {
		/* The statement checks again, since others may change the settings before it runs.
		 * The revision only grows, so a tag of an earlier one stays wrong. */
		if ((match.is_there && !match.names_any) || none_match.names_later)
			task->expected_revision = task->tag_revision;
		return false;
	}
	return true;
}

bool task_names_no_match(const struct task *task)
{
	return http_request_field(task->request, STR("if-none-match")).data;
}

struct step_result task_tag(struct task *task, const struct record *record, const void *row)
{
	struct buffer *json = task_scratch();

	record_write_json(record, row, json);
	return task_tag_settings(task, buffer_view(json));
}

struct step_result task_tag_settings(struct task *task, struct str json)
{
	task->present_tag = task_device_tag(task, task->device.settings_revision, json);
	return task_next_stage(task);
}

void task_tag_target(struct task *task, int64_t revision, struct str json)
{
	task->has_tag = true;
	task->tag_revision = revision;
	task->present_tag = task_device_tag(task, revision, json);
}

struct step_result task_fail_precondition(struct task *task)
{
	if (!task->has_tag)
		return task_fail(task, PROBLEM_PRECONDITION_FAILED,
				 "If-Match names an entity tag, but this resource has none");
	if (!task->endpoint->has_settings_tag)
		return task_fail(task, PROBLEM_PRECONDITION_FAILED,
				 "it has changed since the ETag of the request: GET it and try "
				 "again with its present ETag");
	return task_fail(task, PROBLEM_PRECONDITION_FAILED,
			 "the settings have changed since the ETag of the request: GET the device "
			 "and try again with its present ETag");
}

int64_t task_expected_revision(const struct task *task)
{
	return task->expected_revision;
}
