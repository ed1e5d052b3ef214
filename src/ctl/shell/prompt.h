/* Questions on the terminal. */
#pragma once

#include "ctl/ctl.h"

/* Reads a line from the terminal into the arena, without echo if it is secret. A signal restores
 * the echo. otherwise: what to give instead if there is no terminal. An empty line is an error. */
enum ctl_exit ctl_ask_line(struct ctl *ctl, const char *question, bool is_secret,
			   const char *otherwise, struct str *ret_line);
