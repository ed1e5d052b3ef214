/* Setting --registration, which decides who may create an account in the web application: anybody,
 * invited persons, or nobody. The order is that of the setting's words. */
#pragma once

enum web_registration { REGISTRATION_OPEN, REGISTRATION_INVITE, REGISTRATION_CLOSED };
