#include "authentication.h"
#include "base/clock.h"
#include "base/limits.h"
#include "challenge.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/challenge - a challenge for an authenticator, for this session or for a sign-in. */

struct made {
	struct challenge_key_row row;
	struct challenge challenge;
	struct str text;
	struct str host;
	int64_t life_s;
};

static const struct record_field fields[] = {
    RECORD_STR(struct made, text, .name = "challenge"),
    RECORD_STR(struct made, host, .name = "relyingParty"),
    RECORD_INT(struct made, life_s, .name = "lifeSeconds"),
};
static const struct record made_record = RECORD(struct made, fields);

static struct step_result challenge_create_found(struct task *task)
{
	struct made *made = task_state(task);

	challenge_new((const uint8_t *)made->row.challenge_key.data, web_session_id(task),
		      clock_common_us() / 1000000, &made->challenge);
	made->text = str_from(made->challenge.text);
	made->host = str_from(web_service_of(task)->site.passkey_host);
	made->life_s = LIMIT_CHALLENGE_S;
	return task_reply_record(task, 200, &made_record, made);
}

static struct step_result challenge_create_begin(struct task *task)
{
	struct made *made = task_state(task);
	struct step_result answer;

	if (web_has_no_passkeys(task, &answer))
		return answer;
	statement_challenge_key(task_new_query(task), &made->row);
	return task_query(task, challenge_create_found);
}

ENDPOINT_CHALLENGE_CREATE(.handler = challenge_create_begin, .state_size = sizeof(struct made));
