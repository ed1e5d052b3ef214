/* URLs of panels in answers. */
#pragma once

#include "domain/device_link.h"
#include "task/task.h"

/* 409: panels do not take URLs of this length. origin: what to shorten, as "--public-url". */
__attribute__((warn_unused_result)) struct step_result
api_fail_link(struct task *task, const struct device_link *link, const char *origin);
