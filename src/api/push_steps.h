/* Steps that pushes share: an image is converted once, and stored for one device or for several.
 *
 *   push_begin() -> push_convert()
 *        | short lane: decode base64, detect the format, if it is no still that was just pushed
 *      looked_at --------.
 *        | long lane     | a still: converted on the short lane
 *      push->is_converted'
 *
 *   push_adapt()
 *        | a lane, once for all devices: doubled or halved if the panel has another size
 *      push->is_adapted
 *
 *   push_store()
 *        | database: store, take the next generation; if entries of the device have expired, or the
 *        | account has no room and some of it have, remove those and store again
 *      stored -> show it on this worker's panel
 *        | wait until a push stored just before it was answered
 *      push->is_done -> push_answered()
 *
 * One push of a task is under way at a time: task_helper() points to it. */
#pragma once

#include "api/account_bytes.h"
#include "delivery/push_order.h"
#include "delivery/recolouring.h"
#include "domain/push.h"
#include "image_job.h"
#include "task/task.h"

/* Reason why a push was not stored. */
struct push_problem {
	const struct problem_kind *kind; /* NULL: it was stored */
	const char *field;		 /* member of the body; NULL: none */
	struct str
	    detail; /* in the arena or static; begins with the field's fault if there is one */
	unsigned retry_after_s; /* for 503 */
};

/* Part of an endpoint's state. */
struct push {
	struct push_body *body; /* body, in the endpoint's state */
	size_t max_bytes;	/* smallest limit of the panels, for push_convert() */
	bool takes_wide;	/* a panel may take an image of 128x64, for push_convert() */
	struct str raw;		/* the image's bytes, as sent; data is NULL: it is in the body */
	struct str raw_type;	/* their media type; empty: any */
	struct image_job job;
	struct recolouring adapted; /* the job's result, for panels of the other size */
	bool is_adapting;	    /* it is being made, or was made */
	struct str picture;	    /* WebP to store; in the job or the endpoint's state */
	struct task *task;
	struct entries_meant_row meant;
	struct push_turn turn;
	struct push_stored stored;
	struct device_expire_row expired;
	unsigned tries;
	struct account_room room; /* if the account has no room */
	uint64_t looked_us;	  /* CPU time on the short lane, if the long lane does the rest */
	task_step *is_converted;  /* step after push_convert() */
	task_step *is_adapted;	  /* step after push_adapt() */
	task_step *is_done;	  /* step after push_store() */
	struct push_problem problem; /* for is_done */
};

/* Begins a push: of the body's image, or of a picture made elsewhere. */
void push_begin(struct task *task, struct push *push, struct push_body *body);
/* Returns true, with the answer 503, if no more pictures may be stored on the disk. */
__attribute__((warn_unused_result)) bool push_lacks_disk(struct task *task,
							 struct step_result *ret_answer);
/* Converts the image of the body, in its own size. push->is_converted follows; it calls
 * push_image_fails(). */
task_step push_convert;
/* Makes push->picture of the converted image, in the size of task_device()'s panel.
 * push->is_adapted follows; push->problem says if that is not possible. */
task_step push_adapt;
/* Whether the image cannot be shown: adds the fault of the field, or answers that memory is short.
 */
__attribute__((warn_unused_result)) bool push_image_fails(struct task *task,
							  struct step_result *ret_answer);

/* Stores push->picture for task_device(). push->is_done follows. */
task_step push_store;
/* Notifies the other workers. Call it in the turn of the loop in which the push is answered, or is
 * noted for an answer about several pushes. */
void push_answered(struct task *task);

/* Answers for one device; for use as is_done. */
task_step push_answer;

void push_finish(struct push *push);

/* Members of each push's endpoint. */
task_step push_refused;
void push_count(int status);
