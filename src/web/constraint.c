#include "access.h"
#include "api/apps.h"
#include "base/limits.h"
#include "endpoints.h"

struct step_result web_fail_constraint(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_EMAIL_TAKEN:
		return task_fail(task, PROBLEM_EMAIL_USED,
				 "there is an account with this e-mail address already");
	case CONSTRAINT_LAST_ADMINISTRATOR:
		return task_fail(task, PROBLEM_LAST_ADMINISTRATOR,
				 "this is the last administrator: make somebody else one first");
	case CONSTRAINT_TOO_MANY_KEYS:
		return task_fail(task, PROBLEM_KEYS_TOO_MANY,
				 "the account has 1000 API keys already, revoke one first");
	case CONSTRAINT_NO_SUCH_DEVICE:
		return task_fail_field(task, "deviceIds",
				       "names a device that the account does not own");
	case CONSTRAINT_SLUG_TAKEN:
		return task_fail(task, PROBLEM_SLUG_USED, "there is an app with this slug already");
	case CONSTRAINT_TOO_MANY_APPS:
		return task_fail(task, PROBLEM_APPS_TOO_MANY, "the account has %d apps already",
				 LIMIT_ACCOUNT_APPS);
	case CONSTRAINT_TOO_MANY_INSTALLATIONS:
		return task_fail(task, PROBLEM_ENTRIES_TOO_MANY,
				 "the device has %d entries already, remove one first",
				 LIMIT_DEVICE_INSTALLATIONS);
	case CONSTRAINT_TOO_MANY_PASSKEYS:
		return task_fail(task, PROBLEM_PASSKEYS_TOO_MANY,
				 "the account has 20 passkeys already, remove one first");
	case CONSTRAINT_PASSKEY_KNOWN:
		return task_fail(task, PROBLEM_PASSKEY_KNOWN, "this passkey is known already");
	case CONSTRAINT_IDENTITY_USED:
		return task_fail(task, PROBLEM_IDENTITY_USED,
				 "this identity is connected with an account already, or this "
				 "account with another identity");
	case CONSTRAINT_VERSION_NOT_REVIEWED:
		return api_fail_deploy(task);
	case CONSTRAINT_ACCOUNT_GONE:
		return task_refuse(task);
	default:
		return api_fail_version(task);
	}
}
