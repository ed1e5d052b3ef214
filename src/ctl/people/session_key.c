#include "ctl/people/session_key.h"
#include "base/clock.h"
#include "base/limits.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"

static const struct record_field fields[] = {
    RECORD_ID(struct session, key_id, .name = "id"),
    RECORD_STR(struct session, key, .name = "key"),
    RECORD_TIMESTAMP(struct session, ends_at_us, .name = "endsAt"),
};
static const struct record key_record = RECORD(struct session, fields);

enum ctl_exit session_key_prepare(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST", .path = STR("/web/keys")};
	char end[TIMESTAMP_LENGTH + 1];
	struct session *session;
	enum ctl_exit code;

	if (!remote_needs_key(ctl))
		return CTL_DONE;
	session = &ctl->remote->session;
	timestamp_format(clock_wall_us() + (int64_t)LIMIT_SESSION_S * 1000000, end);
	request.body = ctl_body(
	    ctl, (const struct ctl_member[]){{.name = "name", .value = remote_own_name(ctl)},
					     {.name = "scope", .value = STR("all")},
					     {.name = "endsAt", .value = str_from(end)},
					     {0}});
	request.sentences[0] = (struct ctl_sentence){
	    409, "an account must own at least one device",
	    ARENA_JOIN(&ctl->arena, session->email,
		       STR(" owns no device yet: make one first, see displayctl device create"))};
	code = ctl_ask_row(ctl, &request, &key_record, session);
	return code == CTL_DONE ? session_write(ctl, session) : code;
}

enum ctl_exit session_key_revoke(struct ctl *ctl, const struct session *session)
{
	struct ctl_request request = {.method = "DELETE", .sentences = {{.status = 404}}};
	enum ctl_exit code;

	if (id_is_none(session->key_id))
		return CTL_DONE;
	request.path = ctl_path(ctl, "/web/keys/", session->key_id, "");
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_NOT_FOUND ? CTL_DONE : code;
}
