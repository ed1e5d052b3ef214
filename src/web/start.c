#include "access.h"
#include "endpoints.h"
#include "identity/issuer.h"

/* GET /web/start - data that a page needs first. */

struct start {
	struct site_get_row site;
	struct str registration;
	bool can_sign_in;
	struct str passkey_host;
	struct str identity_provider;
	bool is_nobody;
	bool has_done_all; /* the first steps, or nobody is signed in */
	struct person person;
};

static const struct record_field start_fields[] = {
    RECORD_STR(struct start, registration, .name = "registration"),
    RECORD_BOOL(struct start, site.is_new, .name = "isNew"),
    RECORD_BOOL(struct start, can_sign_in, .name = "canSignIn"),
    RECORD_STR(struct start, passkey_host, .name = "passkeyHost", .nullable = true),
    RECORD_STR(struct start, identity_provider, .name = "identityProvider", .nullable = true),
    RECORD_OPEN(.name = "firstSteps", .nullable = true,
		.offset = offsetof(struct start, has_done_all)),
    RECORD_BOOL(struct start, site.has_panel, .name = "hasPanel"),
    RECORD_BOOL(struct start, site.has_entry, .name = "hasEntry"),
    RECORD_BOOL(struct start, site.has_apps, .name = "hasApps"),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "account", .nullable = true, .offset = offsetof(struct start, is_nobody)),
    RECORD_ID(struct start, person.id, .name = "id"),
    RECORD_STR(struct start, person.email, .name = "email"),
    RECORD_STR(struct start, person.name, .name = "name"),
    RECORD_BOOL(struct start, person.is_reviewer, .name = "isReviewer"),
    RECORD_BOOL(struct start, person.is_administrator, .name = "isAdministrator"),
    RECORD_BOOL(struct start, person.has_password, .name = "hasPassword"),
    RECORD_BOOL(struct start, person.has_device, .name = "hasDevice"),
    RECORD_TIMESTAMP(struct start, person.created_at_us, .name = "createdAt"),
    RECORD_CLOSE(),
};
const struct record start_record = RECORD(struct start, start_fields);

static struct step_result start_found(struct task *task)
{
	static const struct str registrations[] = {
	    [REGISTRATION_OPEN] = {"open", 4},
	    [REGISTRATION_INVITE] = {"invite", 6},
	    [REGISTRATION_CLOSED] = {"closed", 6},
	};
	const struct web_service *web = web_service_of(task);
	const struct person *person = web_person(task);
	struct start *start = task_state(task);

	start->registration = registrations[web->registration];
	start->can_sign_in = web->site.can_sign_in;
	if (web->site.passkey_host[0])
		start->passkey_host = str_from(web->site.passkey_host);
	if (web->issuer)
		start->identity_provider = str_from(issuer_settings(web->issuer)->name);
	start->is_nobody = !person;
	if (person)
		start->person = *person;
	if (person && !person->is_administrator)
		start->site.has_apps = true;
	start->has_done_all =
	    !person || (start->site.has_panel && start->site.has_entry && start->site.has_apps);
	return task_reply_record(task, 200, &start_record, start);
}

static struct step_result start_begin(struct task *task)
{
	const struct person *person = web_person(task);
	struct start *start = task_state(task);
	struct site_get_parameters parameters = {0}; /* the nil ID is nobody's */

	if (person)
		parameters.account_id = person->id;
	statement_site_get(task_new_query(task), &parameters, &start->site);
	return task_query(task, start_found);
}

ENDPOINT_START(.handler = start_begin, .state_size = sizeof(struct start));
