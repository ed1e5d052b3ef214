#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/account - the signed-in account, which the access has read. */

static struct step_result person_get_begin(struct task *task)
{
	return task_reply_record(task, 200, &person_record, web_person(task));
}

ENDPOINT_PERSON_GET(.handler = person_get_begin);
