#include "base/limits.h"
#include "domain/app.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/upload - submits a version for review. Where two uploads race for one name,
 * or for the one place in review, the database's constraints refuse the second: see the statement.
 */

struct upload {
	struct app_upload body; /* first: the prologue reads the request into it */
	struct app_version version;
	char checksum[APP_CHECKSUM_LENGTH + 1];
};

static struct verdict uploaded(struct task *task)
{
	const struct upload *upload = task_state(task);

	return task_reply_record(task, 201, &app_version_record, &upload->version);
}

static struct verdict begin(struct task *task)
{
	struct upload *upload = task_state(task);

	app_checksum(upload->body.script_language, upload->body.script_content, upload->checksum);
	statement_app_version_upload(task_new_query(task),
				     &(struct app_version_upload_parameters){
					 .id = id_new(),
					 .app_id = task_app(task)->id,
					 .name = upload->body.version,
					 .script_language = upload->body.script_language,
					 .script_content = upload->body.script_content,
					 .checksum = str_from(upload->checksum),
				     },
				     &upload->version);
	return task_query(task, uploaded);
}

const struct endpoint endpoint_app_version_upload = {
    .name = "app_version_upload",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_APP,
    .body = &app_upload_record,
    .body_max_bytes = LIMIT_UPLOAD_BODY_BYTES,
    .state_size = sizeof(struct upload),
};
