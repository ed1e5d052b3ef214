/* Why a request is not served: the answer that the layer itself gives. */
#pragma once

struct refusal {
	int status;	    /* 0: nothing to refuse */
	const char *detail; /* for the caller; static */
};

#define REFUSE(code, text) ((struct refusal){.status = (code), .detail = (text)})
#define REFUSE_NOTHING ((struct refusal){0})
