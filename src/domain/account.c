#include "domain/account.h"

static const struct record_field account_fields[] = {
    RECORD_STR(struct account, email, .name = "email", .column = "email"),
    RECORD_TIMESTAMP(struct account, created_at_us, .name = "createdAt", .column = "created_at"),
};
const struct record account_record = RECORD(struct account, account_fields);
