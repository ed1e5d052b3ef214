/* Kinds of problems (RFC 9457). Each has the code that programs branch by, and its status. docs/api
 * lists them (problems.yaml); the build makes a name of each, such as PROBLEM_DEVICE_NOT_FOUND. */
#pragma once

struct problem_kind {
	const char *code; /* in snake case */
	int status;
};

#include "http/problem_kinds.h"
