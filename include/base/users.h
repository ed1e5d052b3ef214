/* The users that displayd becomes where it is started as root. tools/setup and the package make
 * them. */
#pragma once

#include "base/process.h"

#define USERS_WORKER "displayd"
#define USERS_DATABASE "displayd-db"

/* The user of this name, by his number and his own group; false where there is none, or where it is
 * root. */
__attribute__((warn_unused_result)) bool users_find(const char *name, struct process_user *ret);

/* Whether the users are there that root needs: the worker's, and with has_database the private
 * database's. False: ret_text is a sentence that ends in the command that makes the missing
 * ones. */
__attribute__((warn_unused_result)) bool users_check(bool has_database, char *ret_text,
						     size_t size);
