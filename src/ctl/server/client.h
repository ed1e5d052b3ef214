/* displayctl as a client of the server of its state directory, as the operator (task/access.h).
 *
 *   ctl_get_rows() -> ctl_ask() -> server_socket_ask()    again while the server starts or restarts
 *
 * A command whose request failed has said why, in the server's words, and has an exit code: 2 for a
 * value that is not valid, 3 for what does not exist, 4 for what is refused, 5 if there is no
 * server or no database. */
#pragma once

#include "ctl/ctl.h"
#include "domain/inventory.h"

/* Question about what is there. */
struct ctl_question {
	struct str path; /* with its query; ctl_encode() for parts of it */
	struct str
	    account; /* e-mail address of the account whose things are meant; data NULL: none */
	/* Sentence for the answer 404; data NULL: the server's. Texts of users may be in it. */
	struct str missing;
};

/* Returns the text, encoded as a part of a path or a query. */
struct str ctl_encode(struct ctl *ctl, struct str text);

/* GET. The answer 200 is read as rows of the record, from an array. CTL_DONE, or the reason was
 * said. */
enum ctl_exit ctl_get_rows(struct ctl *ctl, const struct ctl_question *question,
			   const struct record *record, struct ctl_rows *ret_rows);

/* The same for an object. */
enum ctl_exit ctl_get_row(struct ctl *ctl, const struct ctl_question *question,
			  const struct record *record, void *ret_row);

/* Finds a device by ID, serial number or MAC address, or by its name if no other has it; in
 * upper or lower case. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_find_listed_device(struct ctl *ctl, struct str name,
				     struct inventory_device *ret_device);
