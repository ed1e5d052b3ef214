/* State of hint_carrying.h. */
#pragma once

#include "hint_holding.h"
#include "hint_writers.h"
#include "loop/loop.h"

struct hint_waiter; /* the thread that waits for words, and its handle */

struct hint_carrying {
	unsigned number; /* of this worker, from 1 */
	struct hint_owner *common;
	struct hint_slot *own;
	struct hint_waiter *waiter; /* NULL before the connection was up */
	uint64_t owner;		    /* whose log is read; 0: nobody's */
	uint64_t position;	    /* in that log */
	bool is_listening;	    /* on this connection */
	uint64_t asked;		    /* words of its log up to here: the carrier was woken */
	struct hint_gathering gathering;
	struct hint_holding holding;
	struct later look;
	bool is_retiring; /* it shall not become the carrier */
};
