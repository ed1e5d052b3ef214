#include "base/limits.h"
#include "domain/app.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/upload - submits a version for review. What races for the same name or the
 * one place in review is refused by the database's constraints: see the statement. */

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
	struct db_parameters *parameters = task_parameters(task);

	app_checksum(upload->body.script_language, upload->body.script_content, upload->checksum);
	db_add_id(parameters, id_new());
	db_add_id(parameters, task_app(task)->id);
	db_add_text(parameters, upload->body.version);
	db_add_text(parameters, upload->body.script_language);
	db_add_text(parameters, upload->body.script_content);
	db_add_text(parameters, str_from(upload->checksum));
	return task_query(task, STATEMENT_APP_VERSION_UPLOAD, &app_version_record, &upload->version,
			  uploaded);
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
