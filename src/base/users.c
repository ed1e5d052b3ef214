#include "base/users.h"

#include <pwd.h>
#include <stdio.h>

/* Same command as in tools/setup. */
#define COMMAND                                                                                    \
	"useradd --system --user-group --no-create-home --home-dir /nonexistent "                  \
	"--shell /usr/sbin/nologin "

bool users_find(const char *name, struct process_user *ret)
{
	const struct passwd *user = getpwnam(name);

	if (!user || user->pw_uid == 0)
		return false;
	*ret = (struct process_user){.uid = user->pw_uid, .gid = user->pw_gid};
	return true;
}

bool users_check(bool has_database, char *ret_text, size_t size)
{
	struct process_user user;
	bool has_worker = users_find(USERS_WORKER, &user);
	bool lacks_database = has_database && !users_find(USERS_DATABASE, &user);

	if (has_worker && !lacks_database)
		return true;
	snprintf(ret_text, size,
		 "started as root, displayd switches to other users; missing: user \"%s\"%s; run: "
		 "%s%s%s",
		 has_worker ? USERS_DATABASE : USERS_WORKER,
		 has_worker || !lacks_database ? "" : " and no user \"" USERS_DATABASE "\"",
		 has_worker ? "" : COMMAND USERS_WORKER,
		 has_worker || !lacks_database ? "" : " && ",
		 lacks_database ? COMMAND USERS_DATABASE : "");
	return false;
}
