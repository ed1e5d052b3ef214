/* Who makes an account in the web application: anybody, who has an invitation, or nobody. In the
 * order of the setting's words, see --registration. */
#pragma once

enum web_registration { REGISTRATION_OPEN, REGISTRATION_INVITE, REGISTRATION_CLOSED };
