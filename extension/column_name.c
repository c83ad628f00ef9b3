/*
 * column_name.c - see column_name.h.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "column_name.h"
#include "printable.h"

const char *
column_name_utf8(const char *name)
{
	int length = strlen(name);

	/* PostgreSQL's own message would not say what it is that it cannot read */
	if (GetDatabaseEncoding() == PG_SQL_ASCII && !pg_verify_mbstr(PG_UTF8, name, length, true))
		ereport(ERROR, errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				errmsg("the name of column \"%s\" is not UTF-8", printable_text(name)),
				errdetail("The encoding of the database, SQL_ASCII, does not tell which "
						  "characters it stands for."));
	return pg_server_to_any(name, length, PG_UTF8);
}
