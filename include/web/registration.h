/* Setting that decides who may create an account in the web application: anybody, invited persons,
 * or nobody. In the order of the setting's words, see --registration. */
#pragma once

enum web_registration { REGISTRATION_OPEN, REGISTRATION_INVITE, REGISTRATION_CLOSED };
