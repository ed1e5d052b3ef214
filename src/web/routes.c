#include "base/memory.h"
#include "endpoints.h"
#include "web/web.h"

/* Keep sorted by path, then method. */
static const struct route routes[] = {
    {HTTP_GET, "/web/account", &endpoint_person_get},
    {HTTP_PATCH, "/web/account", &endpoint_person_update},
    {HTTP_POST, "/web/account/password", &endpoint_password_change},
    {HTTP_GET, "/web/account/removal", &endpoint_person_removal_preview},
    {HTTP_POST, "/web/account/removal", &endpoint_person_removal},
    {HTTP_GET, "/web/admin/accounts", &endpoint_member_list},
    {HTTP_PATCH, "/web/admin/accounts/{accountId}", &endpoint_member_update},
    {HTTP_DELETE, "/web/admin/accounts/{accountId}/heir", &endpoint_heir_clear},
    {HTTP_PUT, "/web/admin/accounts/{accountId}/heir", &endpoint_heir_set},
    {HTTP_POST, "/web/admin/accounts/{accountId}/password-link", &endpoint_password_link_create},
    {HTTP_GET, "/web/admin/audit", &endpoint_audit_list},
    {HTTP_GET, "/web/admin/invitations", &endpoint_invitation_list},
    {HTTP_POST, "/web/admin/invitations", &endpoint_invitation_create},
    {HTTP_DELETE, "/web/admin/invitations/{invitationId}", &endpoint_invitation_revoke},
    {HTTP_GET, "/web/keys", &endpoint_key_list},
    {HTTP_POST, "/web/keys", &endpoint_key_create},
    {HTTP_DELETE, "/web/keys/{keyId}", &endpoint_key_revoke},
    {HTTP_POST, "/web/links/look", &endpoint_link_look},
    {HTTP_POST, "/web/links/use", &endpoint_link_use},
    {HTTP_POST, "/web/registration", &endpoint_register},
    {HTTP_DELETE, "/web/session", &endpoint_session_delete},
    {HTTP_POST, "/web/session", &endpoint_session_create},
    {HTTP_DELETE, "/web/sessions", &endpoint_session_end_others},
    {HTTP_GET, "/web/sessions", &endpoint_session_list},
    {HTTP_DELETE, "/web/sessions/{sessionId}", &endpoint_session_end},
    {HTTP_GET, "/web/start", &endpoint_start},
};

const struct route_table web_routes = {routes, array_length(routes)};
