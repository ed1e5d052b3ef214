/* Access to the endpoints of the pages: the caller needs a session, which its cookie names.
 *
 * Sessions are not cached: each request asks the database, so an ended session is refused by every
 * instance at once, and roles are always current. A session is kept as the hash of its cookie. */
#pragma once

#include "domain/person.h"
#include "task/access.h"
#include "web/web.h"

/* Signed-in person. */
extern const struct access access_session;
/* Signed-in administrator; else 403. */
extern const struct access access_administrator;
/* Signed-in reviewer; else 403. */
extern const struct access access_reviewer;
/* Anybody; web_person() returns the person if signed in. */
extern const struct access access_visitor;

struct web_service *web_service_of(struct task *task);

/* Returns the signed-in person; NULL: nobody is signed in (access_visitor), or the operator calls.
 */
const struct person *web_person(struct task *task);
/* Returns the session of the request, if somebody is signed in; for the operator
 * access_operator_session().
 */
struct id web_session_id(struct task *task);
/* Whether that session is of a person who stays signed in. */
bool web_session_is_lasting(struct task *task);
/* Returns the SHA-256 of the session's secret in the request; data is NULL if it has none. */
struct str web_session_hash(struct task *task);

struct started;

/* Slot for the state of session_start.c, since the endpoint's state is used otherwise. */
struct started **web_fresh_session(struct task *task);

struct authentication;

/* Slot for the state of authentication.c. */
struct authentication **web_authentication(struct task *task);

/* The client's network address, for the audit log. */
struct str web_address(struct task *task);
/* Returns the ID of a bucket and a share for all requests from there: an IPv6 address counts by its
 * first 64 bits. */
struct id web_address_id(struct task *task);

/* Returns the network of that address, which takes turns with others; none, if there is no address.
 */
struct id web_network_id(struct task *task);

/* Whether somebody is signed in, or has signed in with this browser before (known_browser.h): such
 * a browser does not wait behind others of its address. *ret_id: ID of its own limits.
 */
__attribute__((warn_unused_result)) bool web_known_browser(struct task *task, struct id *ret_id);

/* Answers 401: nobody is signed in. */
task_step web_refuse;
/* Answers 403: the account is not an administrator, or was demoted during this request. */
task_step web_refuse_member;
/* Answers 403: only the operator of the machine may do it, by displayctl. */
task_step web_refuse_all_but_operator;
