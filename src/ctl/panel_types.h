/* share/panel.d.ts, made a part of displayctl at build. */
#pragma once

#include "base/str.h"

extern const struct str panel_types;
