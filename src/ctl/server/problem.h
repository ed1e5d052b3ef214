/* Problems that the server answered with (RFC 9457), as messages and exit codes: by their code. */
#pragma once

#include "ctl/server/client.h"
#include "ctl/server/server_socket.h"

#include <yyjson.h>

/* Whether the answer reports a full disk, which will not get room soon. */
bool problem_is_no_room(const struct server_answer *answer);

/* Prints the problem in the request's words. Returns the exit code. */
enum ctl_exit problem_fail(struct ctl *ctl, const struct ctl_request *request, int status,
			   yyjson_val *problem);

/* Reports that the server lacks the operation or answers in an unknown format. */
enum ctl_exit problem_fail_version(void);
