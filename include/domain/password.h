/* Cost of a password (argon2id). Hashes of another cost are refused if they come from a file: its
 * author would choose how long each sign-in takes, and how much memory. */
#pragma once

enum {
	PASSWORD_PASSES = 2,
	PASSWORD_MEMORY_BYTES = 19 * 1024 * 1024,
};
