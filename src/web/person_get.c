#include "access.h"
#include "endpoints.h"

/* GET /web/account - the account that is signed in. The access has read it. */

static struct verdict begin(struct task *task)
{
	return task_reply_record(task, 200, &person_record, web_person(task));
}

const struct endpoint endpoint_person_get = {
    .name = "person_get",
    .handler = begin,
    .access = &access_session,
};
