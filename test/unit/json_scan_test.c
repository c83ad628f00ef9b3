/*
 * json_scan_test.c - values within JSON text: where they end, what they are.
 */
#include "unit.h"

#include <stdlib.h>

#include "json_scan.h"

/* "kind key=text|..." of the members or elements of a text. */
static void
describe(const char *text, char *description, size_t room)
{
	static const char kinds[] = "-nbi#saoX";
	JsonScan scan;
	JsonItem item;
	size_t length = 0;

	*description = '\0';
	json_scan_begin(&scan, text, strlen(text));
	while (json_scan_next(&scan, &item))
	{
		size_t bytes = (size_t) (item.value_end - item.value);
		char *copy = malloc(bytes + 1); /* not a byte more than the contract asks for */
		JsonField field;
		const char *end = json_scan_field(&field, copy, item.value, item.value_end);

		if (end > copy + bytes + 1 || field.text[field.length] != '\0')
			unit_ok(false, "a field stays within its room and is terminated");
		length += (size_t) snprintf(
			description + length, room - length, "%c %.*s=%s|", kinds[field.kind],
			item.key == NULL ? 0 : (int) (item.key_end - item.key), item.key, field.text);
		free(copy);
	}
}

static void
check(const char *text, const char *wanted)
{
	char description[512];

	describe(text, description, sizeof(description));
	unit_equal_bytes(description, strlen(description), wanted, text);
}

static void
check_items(void)
{
	check("[]", "");
	check("{}", "");
	check(" [ ] ", "");
	check("[1]", "i =1|");
	check("[1,\"a\",null,true,false]", "i =1|s =a|n =null|b =true|b =false|");
	check(" [ 1 , 2\t,\r\n3 ] ", "i =1|i =2|i =3|");
	check("[[1,2],[],[[3]],{\"a\":[4]}]", "a =[1,2]|a =[]|a =[[3]]|o ={\"a\":[4]}|");
	check("[ [ 1 , \" a \" ] , { \"k\" : 1 } ]", "a =[1,\" a \"]|o ={\"k\":1}|");
	check("[\"]\",\"}\",\",\",\"\\\"]\",\"\\\\\"]", "s =]|s =}|s =,|s =\"]|s =\\|");
	check("{\"a\":1,\"b\":[2],\"a\":{\"c\":3}}", "i \"a\"=1|a \"b\"=[2]|o \"a\"={\"c\":3}|");
	check("{ \"a\" : \"x\" , \"\\u0062\" : null }", "s \"a\"=x|n \"\\u0062\"=null|");
	check("{\"\":1,\"}\":2}", "i \"\"=1|i \"}\"=2|");
}

static void
check_values(void)
{
	check("[0,-0,-1,9223372036854775807,-9223372036854775808]",
		  "i =0|# =-0|i =-1|i =9223372036854775807|i =-9223372036854775808|");
	check("[9223372036854775808,1.50,1e400,12345678901234567890]",
		  "# =9223372036854775808|# =1.50|# =1e400|# =12345678901234567890|");
	check("[1e3,1.0]", "# =1e3|# =1.0|");
	check("[\"\\b\\t\\n\\f\\r\\/\\\\\\\"\"]", "s =\b\t\n\f\r/\\\"|");
	check("[\"\\u00e4\\u20ac\\ud83d\\ude00\\uD87E\\uDC00\"]",
		  "s =\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf0\xaf\xa0\x80|");
	check("[\"\xc3\xa4\"]", "s =\xc3\xa4|");
}

int
main(void)
{
	check_items();
	check_values();
	return unit_done();
}
