/*
 * columns_option_test.c - lists of columns as people write them, and those that are none: what is
 * read becomes a part of CREATE TABLE.
 */
#include "columns_option.h"

#include "unit.h"
#include "unit_output.h"

#include <stdlib.h>

/* "name|type name|name|type name", as it was read; "" when it was refused. */
static void
read_columns(const char *list, char *text, size_t size, Output *errors)
{
	RowType *type;
	size_t length = 0;

	output_begin(errors, stderr);
	type = columns_option_read("--columns", list);
	output_end(errors);
	*text = '\0';
	for (int i = 0; type != NULL && i < type->columns; i++)
		length += (size_t) snprintf(text + length, size - length, "%s%s|%s", i == 0 ? "" : "|",
									type->column[i].name, type->column[i].type_name);
	row_type_free(type);
}

static void
check_read(const char *list, const char *wanted)
{
	static Output errors;
	char text[1000], name[1200];

	read_columns(list, text, sizeof(text), &errors);
	snprintf(name, sizeof(name), "read: %s", list);
	for (char *byte = name; *byte != '\0'; byte++)
		if (*byte == '\n')
			*byte = ' '; /* a check has one line */
	unit_equal_bytes(text, strlen(text), wanted, name);
	unit_equal_bytes(errors.text, strlen(errors.text), "", "without a message");
}

static void
check_refused(const char *list)
{
	static Output errors;
	char text[1000], name[1200];

	read_columns(list, text, sizeof(text), &errors);
	snprintf(name, sizeof(name), "refused: %.60s", list);
	unit_equal_bytes(text, strlen(text), "", name);
	unit_ok(strstr(errors.text, "--columns") != NULL, "with a message that names the option");
}

static void
check_families(void)
{
	RowType *type = columns_option_read("--columns", "a int, b numeric(10,2), c timestamptz, "
													 "d character varying(3), e my_type, f int[]");

	if (unit_ok(type != NULL && type->columns == 6, "six columns"))
	{
		unit_equal_int(type->column[0].type, COLUMN_INT4, "int");
		unit_equal_int(type->column[1].type, COLUMN_NUMERIC, "numeric(10,2)");
		unit_equal_int(type->column[2].type, COLUMN_TIMESTAMPTZ, "timestamptz");
		unit_equal_int(type->column[3].type, COLUMN_TEXT, "character varying(3)");
		unit_equal_int(type->column[4].type, COLUMN_OTHER, "a type of one's own");
		unit_equal_int(type->column[5].type, COLUMN_OTHER, "an array");
	}
	row_type_free(type);
}

static void
check_lengths(void)
{
	char list[1000];
	char wanted[1000];

	snprintf(list, sizeof(list), "%063d text", 0);
	list[0] = 'x';
	snprintf(wanted, sizeof(wanted), "%063d|text", 0);
	wanted[0] = 'x';
	check_read(list, wanted);
	snprintf(list, sizeof(list), "%064d text", 0);
	list[0] = 'x';
	check_refused(list);
	snprintf(list, sizeof(list), "x %0201d", 0);
	check_refused(list);
}

static void
check_many(int columns, bool is_read)
{
	static Output errors;
	char *list = malloc((size_t) columns * 16);
	char *end = list;
	RowType *type;

	for (int i = 0; i < columns; i++)
		end += sprintf(end, "%sc%d int", i == 0 ? "" : ",", i);
	output_begin(&errors, stderr);
	type = columns_option_read("--columns", list);
	output_end(&errors);
	unit_equal_int(type == NULL ? 0 : type->columns, is_read ? columns : 0,
				   is_read ? "as many columns as a table may have" : "one column too many");
	row_type_free(type);
	free(list);
}

int
main(void)
{
	check_read("id bigint", "id|bigint");
	check_read("id bigint, x numeric(10,2)", "id|bigint|x|numeric(10,2)");
	check_read(" id\tbigint ,\n x  numeric(10, 2)  ", "id|bigint|x|numeric(10, 2)");
	check_read("ID Bigint", "id|Bigint");
	check_read("\"ID\" int,\"a \"\"b\"\", c\" text", "ID|int|a \"b\", c|text");
	check_read("\xc3\xbcml text", "\xc3\xbcml|text");
	check_read("d double precision, t timestamp(3) with time zone",
			   "d|double precision|t|timestamp(3) with time zone");
	check_read("a int[], b \"My, type\"[3], c other.\"T\"",
			   "a|int[]|b|\"My, type\"[3]|c|other.\"T\"");
	check_refused("");
	check_refused("id");
	check_refused("id ");
	check_refused("id bigint,");
	check_refused(",id bigint");
	check_refused("id bigint,,x int");
	check_refused("\"id bigint");
	check_refused("\"\" bigint");
	check_refused("id \"bigint");
	check_refused("id numeric(10");
	check_refused("id numeric((1))");
	check_refused("id numeric(1))");
	check_refused("id numeric(x)");
	check_refused("id int; DROP TABLE t");
	check_refused("id int DEFAULT 'x'");
	check_refused("id int -- x");
	check_refused("id int /* x */");
	check_refused("id int) WITH (fillfactor = 10");
	check_refused("id-x int");
	check_families();
	check_lengths();
	check_many(1600, true);
	check_many(1601, false);
	return unit_done();
}
