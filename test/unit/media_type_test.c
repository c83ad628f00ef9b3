/*
 * media_type_test.c - which Content-Type says shape=columns.
 */
#include "media_type.h"

#include "unit.h"

typedef struct MediaTypeCase
{
	const char *value;
	bool says_columns;
} MediaTypeCase;

static const MediaTypeCase cases[] = {
	{"application/json; shape=columns", true},
	{"application/json;shape=columns", true},
	{"application/json;\tSHAPE = Columns ; charset=utf-8", true},
	{"application/json; shape=\"columns\"", true},
	{"application/json; shape=\"col\\umns\"", true},
	{"application/json; charset=utf-8; shape=columns", true},
	{"application/json; note=\"a;b\"; shape=columns", true},
	{"application/json; note=\"a\\\"; b\"; shape=columns", true},
	{"application/json; charset; shape=columns", true},
	{"application/json;; shape=columns", true},
	{"application/json; shape=rows; shape=columns", true},
	{"", false},
	{"application/json", false},
	{"shape=columns", false},
	{"application/json; shape", false},
	{"application/json; shape=", false},
	{"application/json; shape=\"", false},
	{"application/json; shape=\"columns", false},
	{"application/json; shape=\"columns\\", false},
	{"application/json; shape=column", false},
	{"application/json; shape=columnss", false},
	{"application/json; shape=\"columns \"", false},
	{"application/json; reshape=columns", false},
	{"application/json; shape2=columns", false},
	{"application/json; note=\"; shape=columns\"", false},
	{"application/json; note=\"\\\"; shape=columns\"", false},
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const char *value = cases[i].value;

		unit_ok(media_type_says(value, strlen(value), "shape", "columns") == cases[i].says_columns,
				value);
	}
	unit_ok(!media_type_says("a/b; shape=columns", 17, "shape", "columns"), "bytes behind the end");
	unit_ok(!media_type_says("a/b; shape=columns\0x", 20, "shape", "columns"), "a zero byte");
	return unit_done();
}
