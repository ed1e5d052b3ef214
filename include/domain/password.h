/* Cost of a password (argon2id). Hashes of another cost are refused if they come from a file, whose
 * author could otherwise choose the time and memory of each sign-in. */
#pragma once

enum {
	PASSWORD_PASSES = 2,
	PASSWORD_MEMORY_BYTES = 19 * 1024 * 1024,
};
