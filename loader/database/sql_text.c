#include "database/sql_text.h"

#include <stdlib.h>
#include <string.h>

bool
sql_text_open(SqlText *sql, const Database *database)
{
	*sql = (SqlText){.is_whole = true, .database = database};
	sql->stream = open_memstream(&sql->text, &sql->length);
	return sql->stream != NULL;
}

static void
put_quoted(SqlText *sql, char *quoted)
{
	if (quoted == NULL)
		sql->is_whole = false;
	else
		fputs(quoted, sql->stream);
	PQfreemem(quoted);
}

void
sql_text_identifier(SqlText *sql, const char *name)
{
	put_quoted(sql, PQescapeIdentifier(sql->database->connection, name, strlen(name)));
}

void
sql_text_literal(SqlText *sql, const char *value)
{
	put_quoted(sql, PQescapeLiteral(sql->database->connection, value, strlen(value)));
}

char *
sql_text_close(SqlText *sql)
{
	if (fclose(sql->stream) == 0 && sql->is_whole)
		return sql->text;
	free(sql->text);
	return NULL;
}
