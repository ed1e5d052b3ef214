/* Why a session is not up, in words for the account. */
#pragma once

#include "guard.h"

#include <stdbool.h>

enum { EXPLAIN_BYTES = 300 };

/* End of a session, as far as it is known. */
struct session_end {
	const struct guard *guard;
	int result; /* MOSQ_ERR_..., or the code of a CONNACK as a negative number */
	int error;  /* errno */
	bool was_up;
	bool has_run_out;    /* an allocation has failed */
	bool has_sent_qos_2; /* the broker has, which was not granted */
};

/* Returns a static text, or words. */
const char *explain_end(const struct session_end *end, char words[static EXPLAIN_BYTES]);
