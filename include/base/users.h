/* System users that displayd changes to if it is started as root. tools/setup and the package make
 * them. */
#pragma once

#include "base/process.h"

#define USERS_WORKER "displayd"
#define USERS_DATABASE "displayd-db"

/* Finds the user of this name, with its primary group. Returns false if there is none, or if it is
 * root. */
__attribute__((warn_unused_result)) bool users_find(const char *name, struct process_user *ret);

/* Checks whether the users exist that a start as root needs: the worker's, and with has_database
 * the private database's. If one is missing, returns false, and ret_text is a sentence that ends
 * with the command that makes it. */
__attribute__((warn_unused_result)) bool users_check(bool has_database, char *ret_text,
						     size_t size);
