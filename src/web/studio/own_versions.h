/* Versions of an app as its author's pages show them. */
#pragma once

#include "record/record.h"

extern const struct record own_version_record;
