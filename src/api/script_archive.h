/* Archive of an app's folder in the body of a request, unpacked by the sandboxed program of
 * collections (render/archive.h).
 *
 *   script_archive_unpack() -> a lane decodes it -> the program gives its files
 *     -> a lane packs the script -> next
 *
 * An account has one of two archives at once, and one of the rest: 503. */
#pragma once

#include "base/buffer.h"
#include "checkout/app_manifest.h"
#include "task/task.h"

#include <text/str.h>

struct script_archive_flight;

/* Embed it in the endpoint's state, whose finish() calls script_archive_finish(). */
struct script_archive {
	struct str text;		      /* private: base64 */
	task_step *next;		      /* private */
	struct memory_share *share;	      /* private; NULL: none */
	struct script_archive_flight *flight; /* private; NULL: none */

	/* Found by next: why there is no script, a predicate of "the archive"; empty: there is one.
	 */
	struct str problem;
	bool is_lost;		      /* it is not the archive's fault: another try may help */
	struct app_manifest manifest; /* of its folder; texts without data: none */
	struct buffer script;
	bool is_typescript;
};

/* Unpacks base64, which must live as long as the task. Answers 400 if it is not base64, 503 if too
 * many archives are unpacked. */
__attribute__((warn_unused_result)) struct step_result
script_archive_unpack(struct task *task, struct script_archive *archive, struct str base64,
		      task_step *next);
void script_archive_finish(struct script_archive *archive);
