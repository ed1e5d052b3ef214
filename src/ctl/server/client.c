#include "ctl/server/client.h"
#include "base/clock.h"
#include "ctl/server/server_socket.h"
#include "main/state_dir.h"

#include <poll.h>
#include <yyjson.h>

enum { WAIT_FOR_SERVER_MS = 30 * 1000, LOOK_AGAIN_MS = 50 };

struct str ctl_encode(struct ctl *ctl, struct str text)
{
	static const char digits[] = "0123456789ABCDEF";
	struct buffer encoded = {0};
	struct str copy;

	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '_' || c == '.' || c == '~') {
			buffer_append_char(&encoded, (char)c);
			continue;
		}
		buffer_append_char(&encoded, '%');
		buffer_append_char(&encoded, digits[c >> 4]);
		buffer_append_char(&encoded, digits[c & 15]);
	}
	copy = arena_copy(&ctl->arena, buffer_view(&encoded));
	buffer_finish(&encoded);
	return copy;
}

/* ---- asking ---- */

static enum ctl_exit fail_no_server(const struct ctl *ctl)
{
	return ctl_fail(CTL_DATABASE, "no displayd is running on %s: start it first",
			ctl->config.state_dir);
}

/* A server that starts, or whose PostgreSQL does again, answers soon: a question is repeated until
 * then. */
static enum ctl_exit ask(struct ctl *ctl, const struct server_request *request,
			 struct server_answer *ret_answer)
{
	const char *state_dir = ctl->config.state_dir;
	uint64_t begun_ms = clock_monotonic_ms();
	struct reason why;

	for (;;) {
		enum server_result result = server_socket_ask(state_dir, request, ret_answer, &why);
		bool is_over = clock_monotonic_ms() - begun_ms >= WAIT_FOR_SERVER_MS;

		if (result == SERVER_ANSWERED && (ret_answer->status != 503 || is_over))
			return CTL_DONE;
		if (result == SERVER_AWAY && state_dir_is_locked(state_dir) == 0)
			return fail_no_server(ctl);
		if (result == SERVER_FAILED || is_over)
			return ctl_fail(CTL_DATABASE, "%s", why.text);
		buffer_finish(&ret_answer->body);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static enum ctl_exit code_of(int status)
{
	switch (status) {
	case 400:
	case 413:
		return CTL_USAGE;
	case 404:
		return CTL_NOT_FOUND;
	case 403:
	case 409:
	case 412:
		return CTL_REFUSED;
	case 503:
		return CTL_DATABASE;
	default:
		return CTL_FAILED;
	}
}

/* Says what the problem of an answer is. */
static enum ctl_exit fail(const struct ctl_question *question, int status, yyjson_val *problem)
{
	const char *detail = yyjson_get_str(yyjson_obj_get(problem, "detail"));
	enum ctl_exit code = code_of(status);

	if (question->account.data && detail && strcmp(detail, "there is no such account") == 0)
		return ctl_fail_account(question->account);
	if (status == 404 && question->missing.data)
		return ctl_fail(code, "%.*s", STR_ARG(question->missing));
	if (!detail)
		return ctl_fail(code, "the server has answered with status %d", status);
	return ctl_fail(code, "%s", detail);
}

/* Such an account cannot be: its address would be no field of a head. */
static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
			return true;
	return false;
}

/* *ret_document: of the answer 200, to be freed. */
static enum ctl_exit get(struct ctl *ctl, const struct ctl_question *question,
			 yyjson_doc **ret_document)
{
	const struct server_request request = {
	    .method = "GET", .path = question->path, .account = question->account};
	struct server_answer answer = {0};
	enum ctl_exit code;
	struct str body;

	if (has_control(question->account))
		return ctl_fail_account(question->account);
	code = ask(ctl, &request, &answer);
	body = buffer_view(&answer.body);
	*ret_document = body.length ? yyjson_read(body.data, body.length, 0) : NULL;
	buffer_finish(&answer.body);
	if (code == CTL_DONE && answer.status != 200)
		code = fail(question, answer.status, yyjson_doc_get_root(*ret_document));
	else if (code == CTL_DONE && !*ret_document)
		code = ctl_fail(CTL_FAILED, "the server's answer is no JSON");
	return code;
}

static const struct json_value *value_of(yyjson_val *value)
{
	return (const struct json_value *)(void *)value;
}

static enum ctl_exit fail_shape(void)
{
	return ctl_fail(CTL_FAILED, "the server's answer is not as expected: displayctl and the "
				    "server may be of different versions");
}

enum ctl_exit ctl_get_rows(struct ctl *ctl, const struct ctl_question *question,
			   const struct record *record, struct ctl_rows *ret_rows)
{
	yyjson_doc *document = NULL;
	enum ctl_exit code = get(ctl, question, &document);
	yyjson_val *array = yyjson_doc_get_root(document), *item;
	size_t i, count;

	*ret_rows = (struct ctl_rows){.refusal = REFUSAL_NONE};
	if (code == CTL_DONE && !yyjson_is_arr(array))
		code = fail_shape();
	if (code == CTL_DONE)
		ret_rows->rows =
		    arena_zalloc(&ctl->arena, (yyjson_arr_size(array) + 1) * record->size);
	yyjson_arr_foreach(array, i, count, item)
	{
		if (code == CTL_DONE &&
		    !record_read_answer(record, value_of(item), &ctl->arena,
					(char *)ret_rows->rows + i * record->size))
			code = fail_shape();
		ret_rows->count++;
	}
	yyjson_doc_free(document);
	return code;
}

enum ctl_exit ctl_get_row(struct ctl *ctl, const struct ctl_question *question,
			  const struct record *record, void *ret_row)
{
	yyjson_doc *document = NULL;
	enum ctl_exit code = get(ctl, question, &document);

	if (code == CTL_DONE && !record_read_answer(record, value_of(yyjson_doc_get_root(document)),
						    &ctl->arena, ret_row))
		code = fail_shape();
	yyjson_doc_free(document);
	return code;
}
