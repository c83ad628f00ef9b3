/*
 * nested_vectors.h - arrays and composites as PostgreSQL 15.20 has them: what array_out and record_out,
 * array_send and record_send, and to_json write under the pinned settings of DESIGN 'Digest'. The
 * digests are those of a row of one column, "x", by an implementation of common/row_digest.c's
 * specification in another language.
 *
 * Of types that a database makes the OIDs are those here:
 *
 *   CREATE TYPE mood AS ENUM ('sad', 'so so', 'NULL');
 *   CREATE DOMAIN positive AS integer;
 *   CREATE TYPE pair AS (a integer, "B ""b""" text);
 *   CREATE TYPE deep AS (p pair, ps pair[], j jsonb, n numeric);
 *   CREATE DOMAIN ints AS integer[];
 *   CREATE TYPE empty_type AS ();
 */
#ifndef TRANSFERBENCH_NESTED_VECTORS_H
#define TRANSFERBENCH_NESTED_VECTORS_H

#include "rows/nested_type.h"

#include <string.h>

typedef struct NestedVector
{
	const char *type_name;
	const char *text;
	const char *binary; /* hex */
	const char *json;   /* to_json's, but an array that JSON would change is its text */
	uint64_t digest;
	uint64_t scale_sum;
	bool is_lost_in_json; /* a null of jsonb in a composite comes back as one of SQL */
} NestedVector;

static const NestedVector nested_vectors[] = {
	{"integer[]", "{}", "000000000000000000000017", "[]", UINT64_C(0x9d3b8696db2cdb37),
	 UINT64_C(0x0000000000000000), false},
	{"integer[]", "{1,NULL,-3}",
	 "00000001000000010000001700000003000000010000000400000001ffffffff00000004fffffffd",
	 "[1,null,-3]", UINT64_C(0xf343c415fcf1a412), UINT64_C(0x0000000000000000), false},
	{"integer[]", "{{1,2,3},{4,5,6}}",
	 "00000002000000000000001700000002000000010000000300000001000000040000000100000004"
	 "000000020000000400000003000000040000000400000004000000050000000400000006",
	 "[[1,2,3],[4,5,6]]", UINT64_C(0x1a958cf5e9db8f63), UINT64_C(0x0000000000000000), false},
	{"integer[]", "[2:3]={7,8}",
	 "000000010000000000000017000000020000000200000004000000070000000400000008", "\"[2:3]={7,8}\"",
	 UINT64_C(0xf70d0bb2073ec2b9), UINT64_C(0x0000000000000000), false},
	{"integer[]", "[-1:0][5:5]={{1},{2}}",
	 "00000002000000000000001700000002ffffffff0000000100000005000000040000000100000004"
	 "00000002",
	 "\"[-1:0][5:5]={{1},{2}}\"", UINT64_C(0xef8fc981f8a3f0ba), UINT64_C(0x0000000000000000),
	 false},
	{"integer[]", "{{{{{{1}}}}}}",
	 "00000006000000000000001700000001000000010000000100000001000000010000000100000001"
	 "00000001000000010000000100000001000000010000000400000001",
	 "[[[[[[1]]]]]]", UINT64_C(0xd18b302e6e2e5920), UINT64_C(0x0000000000000000), false},
	{"text[]",
	 "{NULL,\"NULL\",\"\",a,\"a b\",\"q\\\"t\",\"back\\\\slash\",\"{x}\",\"a,b\",\" "
	 "lead\",\"tab\there\",\"new\nline\",\303\274\360\237\230\200}",
	 "0000000100000001000000190000000d00000001ffffffff000000044e554c4c0000000000000001"
	 "6100000003612062000000037122740000000a6261636b5c736c617368000000037b787d00000003"
	 "612c6200000005206c656164000000087461620968657265000000086e65770a6c696e6500000006"
	 "c3bcf09f9880",
	 "[null,\"NULL\",\"\",\"a\",\"a b\",\"q\\\"t\",\"back\\\\slash\",\"{x}\",\"a,b\",\" "
	 "lead\",\"tab\\there\",\"new\\nline\",\"\303\274\360\237\230\200\"]",
	 UINT64_C(0xb0a6dbf0b3a61589), UINT64_C(0x0000000000000000), false},
	{"text[]", "{\"null\",Null1}",
	 "0000000100000000000000190000000200000001000000046e756c6c000000054e756c6c31",
	 "[\"null\",\"Null1\"]", UINT64_C(0xe121214b07c849b8), UINT64_C(0x0000000000000000), false},
	{"numeric[]", "{1.50,NULL,NaN,Infinity,-0.00001}",
	 "0000000100000001000006a400000005000000010000000c000200000000000200011388ffffffff"
	 "0000000800000000c00000000000000800000000d00000200000000a0001fffe4000000503e8",
	 "[1.50,null,\"NaN\",\"Infinity\",-0.00001]", UINT64_C(0x107aa697cffa65a8),
	 UINT64_C(0x4ba6f49f7ec53aa2), false},
	{"numeric[]", "{{1.5,2},{3,4.00}}",
	 "0000000200000000000006a4000000020000000100000002000000010000000c0002000000000001"
	 "000113880000000a000100000000000000020000000a000100000000000000030000000a00010000"
	 "000000020004",
	 "[[1.5,2],[3,4.00]]", UINT64_C(0xf510c6a751d9f8a6), UINT64_C(0x70247f595bf6f2ec), false},
	{"timestamp with time zone[]",
	 "{\"2024-03-31 01:30:00+00\",infinity,NULL,\"0044-03-15 12:00:00.000001+00 BC\"}",
	 "0000000100000001000004a00000000400000001000000080002b7e9947e7600000000087fffffff"
	 "ffffffffffffffff00000008ff1af9e8fb46d001",
	 "[\"2024-03-31T01:30:00+00:00\",\"infinity\",null,\"0044-03-15T12:00:00.000001+00:00 BC\"]",
	 UINT64_C(0xabc672aa0f561c8a), UINT64_C(0x0000000000000000), false},
	{"jsonb[]", "{\"{\\\"a\\\": 1.50}\",NULL,\"null\",\"\\\"x\\\\\\\"y\\\"\",true,12}",
	 "000000010000000100000eda00000006000000010000000c017b2261223a20312e35307dffffffff"
	 "00000005016e756c6c000000070122785c22792200000005017472756500000003013132",
	 "\"{\\\"{\\\\\\\"a\\\\\\\": "
	 "1.50}\\\",NULL,\\\"null\\\",\\\"\\\\\\\"x\\\\\\\\\\\\\\\"y\\\\\\\"\\\",true,12}\"",
	 UINT64_C(0xcf722e23d1a2f5f5), UINT64_C(0x0000000000000000), false},
	{"jsonb[]", "{\"[1, 2]\"}", "000000010000000000000eda000000010000000100000007015b312c20325d",
	 "\"{\\\"[1, 2]\\\"}\"", UINT64_C(0xc2e394d35d3c49db), UINT64_C(0x0000000000000000), false},
	{"jsonb[]", "{{1,2},{3,4}}",
	 "000000020000000000000eda00000002000000010000000200000001000000020131000000020132"
	 "000000020133000000020134",
	 "\"{{1,2},{3,4}}\"", UINT64_C(0xff3d89049bd62655), UINT64_C(0x0000000000000000), false},
	{"jsonb[]", "{\"{\\\"a\\\": [1]}\",\"\\\"[\\\"\"}",
	 "000000010000000000000eda00000002000000010000000b017b2261223a205b315d7d0000000401"
	 "225b22",
	 "[{\"a\": [1]},\"[\"]", UINT64_C(0x286a711d4140ec8d), UINT64_C(0x0000000000000000), false},
	{"json[]", "{\"{\\\"b\\\":1, \\\"a\\\" : 2}\",1e999999}",
	 "0000000100000000000000720000000200000001000000107b2262223a312c20226122203a20327d"
	 "000000083165393939393939",
	 "[{\"b\":1, \"a\" : 2},1e999999]", UINT64_C(0x4f2e97789596e4dc), UINT64_C(0x0000000000000000),
	 false},
	{"json[]", "{\"\t[1]\"}", "000000010000000000000072000000010000000100000004095b315d",
	 "\"{\\\"\\t[1]\\\"}\"", UINT64_C(0x11dec8b1324617a6), UINT64_C(0x0000000000000000), false},
	{"bytea[]", "{\"\\\\x00ff5c\",\"\\\\x\"}",
	 "00000001000000000000001100000002000000010000000300ff5c00000000",
	 "[\"\\\\x00ff5c\",\"\\\\x\"]", UINT64_C(0xdce5a1af3f5e3052), UINT64_C(0x0000000000000000),
	 false},
	{"double precision[]", "{0.1,-0,NaN,1e+20}",
	 "0000000100000000000002bd0000000400000001000000083fb999999999999a0000000880000000"
	 "00000000000000087ff8000000000000000000084415af1d78b58c40",
	 "[0.1,-0,\"NaN\",1e+20]", UINT64_C(0x9261edc4b45f10bc), UINT64_C(0x0000000000000000), false},
	{"character(3)[]", "{\"a  \",\"   \",abc}",
	 "00000001000000000000041200000003000000010000000361202000000003202020000000036162"
	 "63",
	 "[\"a  \",\"   \",\"abc\"]", UINT64_C(0x5d24dd934c6d4cbb), UINT64_C(0x0000000000000000),
	 false},
	{"name[]", "{\"a name\",x}",
	 "00000001000000000000001300000002000000010000000661206e616d650000000178", "[\"a name\",\"x\"]",
	 UINT64_C(0x93c9af32c0aa4c19), UINT64_C(0x0000000000000000), false},
	{"uuid[]", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
	 "000000010000000000000b86000000010000000100000010a0eebc999c0b4ef8bb6d6bb9bd380a11",
	 "[\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\"]", UINT64_C(0x00c6679d8365dcb9),
	 UINT64_C(0x0000000000000000), false},
	{"boolean[]", "{t,f,NULL}",
	 "000000010000000100000010000000030000000100000001010000000100ffffffff", "[true,false,null]",
	 UINT64_C(0x65a6cfd66eb2a91f), UINT64_C(0x0000000000000000), false},
	{"mood[]", "{sad,\"so so\",\"NULL\",NULL}",
	 "000000010000000100015f9100000004000000010000000373616400000005736f20736f00000004"
	 "4e554c4cffffffff",
	 "[\"sad\",\"so so\",\"NULL\",null]", UINT64_C(0x6e7342ceb90ebd4d),
	 UINT64_C(0x0000000000000000), false},
	{"positive[]", "{1,2}",
	 "000000010000000000015f92000000020000000100000004000000010000000400000002", "[1,2]",
	 UINT64_C(0x4215d80e309a89a3), UINT64_C(0x0000000000000000), false},
	{"ints[]", "{\"{1,2}\",NULL,\"{}\",\"[0:0]={3}\"}",
	 "000000010000000100015f9500000004000000010000002400000001000000000000001700000002"
	 "0000000100000004000000010000000400000002ffffffff0000000c000000000000000000000017"
	 "0000001c00000001000000000000001700000001000000000000000400000003",
	 "\"{\\\"{1,2}\\\",NULL,\\\"{}\\\",\\\"[0:0]={3}\\\"}\"", UINT64_C(0xcedcc4c83cad68f7),
	 UINT64_C(0x0000000000000000), false},
	{"pair", "(1,x)", "00000002000000170000000400000001000000190000000178",
	 "{\"a\":1,\"B \\\"b\\\"\":\"x\"}", UINT64_C(0x7c3a48756ee1f6cf), UINT64_C(0x0000000000000000),
	 false},
	{"pair", "(,)", "0000000200000017ffffffff00000019ffffffff", "{\"a\":null,\"B \\\"b\\\"\":null}",
	 UINT64_C(0xb59c08c661ff6a08), UINT64_C(0x0000000000000000), false},
	{"pair", "(,\"\")", "0000000200000017ffffffff0000001900000000",
	 "{\"a\":null,\"B \\\"b\\\"\":\"\"}", UINT64_C(0x82f91e4667c06571),
	 UINT64_C(0x0000000000000000), false},
	{"pair", "(-5,\"q\"\"t \\\\ (a,b)\")",
	 "000000020000001700000004fffffffb000000190000000b712274205c2028612c6229",
	 "{\"a\":-5,\"B \\\"b\\\"\":\"q\\\"t \\\\ (a,b)\"}", UINT64_C(0xbab27cfda2a31e44),
	 UINT64_C(0x0000000000000000), false},
	{"pair", "(3,NULL)", "0000000200000017000000040000000300000019000000044e554c4c",
	 "{\"a\":3,\"B \\\"b\\\"\":\"NULL\"}", UINT64_C(0x58422d86025a0abf),
	 UINT64_C(0x0000000000000000), false},
	{"pair[]", "{\"(1,\\\"a b\\\")\",NULL,\"(,)\"}",
	 "000000010000000100015f9300000003000000010000001b00000002000000170000000400000001"
	 "0000001900000003612062ffffffff000000140000000200000017ffffffff00000019ffffffff",
	 "[{\"a\":1,\"B \\\"b\\\"\":\"a b\"},null,{\"a\":null,\"B \\\"b\\\"\":null}]",
	 UINT64_C(0x6540ed9f723463a8), UINT64_C(0x0000000000000000), false},
	{"pair[]", "{{\"(1,x)\"},{\"(2,y)\"}}",
	 "000000020000000000015f9300000002000000010000000100000001000000190000000200000017"
	 "00000004000000010000001900000001780000001900000002000000170000000400000002000000"
	 "190000000179",
	 "[[{\"a\":1,\"B \\\"b\\\"\":\"x\"}],[{\"a\":2,\"B \\\"b\\\"\":\"y\"}]]",
	 UINT64_C(0xffc577275b3ed2a8), UINT64_C(0x0000000000000000), false},
	{"deep",
	 "(\"(1,\"\"a, \"\"\"\"b\"\"\"\"\"\")\",\"{\"\"(2,\\\\\"\"c "
	 "d\\\\\"\")\"\",NULL}\",\"{\"\"k\"\": [1, 2.50]}\",1.50)",
	 "0000000400015f930000001e000000020000001700000004000000010000001900000006612c2022"
	 "622200015f9700000037000000010000000100015f9300000002000000010000001b000000020000"
	 "001700000004000000020000001900000003632064ffffffff00000eda00000011017b226b223a20"
	 "5b312c20322e35305d7d000006a40000000c000200000000000200011388",
	 "{\"p\":{\"a\":1,\"B \\\"b\\\"\":\"a, \\\"b\\\"\"},\"ps\":[{\"a\":2,\"B \\\"b\\\"\":\"c "
	 "d\"},null],\"j\":{\"k\": [1, 2.50]},\"n\":1.50}",
	 UINT64_C(0x49ecb732a3499aaa), UINT64_C(0xdce7e060ba2167fd), false},
	{"deep", "(\"(,)\",{},null,0)",
	 "0000000400015f93000000140000000200000017ffffffff00000019ffffffff00015f970000000c"
	 "000000000000000000015f9300000eda00000005016e756c6c000006a40000000800000000000000"
	 "00",
	 "{\"p\":{\"a\":null,\"B \\\"b\\\"\":null},\"ps\":[],\"j\":null,\"n\":0}",
	 UINT64_C(0x621a04f33523bcad), UINT64_C(0xa27c995b005bb5f1), true},
	{"deep", "(,,,)", "0000000400015f93ffffffff00015f97ffffffff00000edaffffffff000006a4ffffffff",
	 "{\"p\":null,\"ps\":null,\"j\":null,\"n\":null}", UINT64_C(0x83c4d2d266d65fa6),
	 UINT64_C(0x0000000000000000), false},
	{"empty_type", "()", "00000000", "{}", UINT64_C(0x9b384284c54762ad),
	 UINT64_C(0x0000000000000000), false},
};

#define NESTED_VECTORS (sizeof(nested_vectors) / sizeof(nested_vectors[0]))

/* --- types ------------------------------------------------------------------------------------ */

enum
{
	OID_MOOD = 90001,
	OID_POSITIVE,
	OID_PAIR,
	OID_DEEP,
	OID_INTS,
	OID_EMPTY_TYPE,
	OID_PAIRS,
};

static inline void
set_member(NestedMember *member, const char *name, unsigned type_oid, unsigned base_oid,
		   ColumnType type, NestedType *nested)
{
	*member = (NestedMember){.name = name == NULL ? NULL : strdup(name),
							 .type_oid = type_oid,
							 .base_oid = base_oid,
							 .type = type,
							 .nested = nested};
}

static inline NestedType *
make_array_type(unsigned type_oid, unsigned base_oid, ColumnType type, NestedType *nested)
{
	NestedType *made = nested_type_create(COLUMN_ARRAY, 1);

	set_member(&made->member[0], NULL, type_oid, base_oid, type, nested);
	return made;
}

static inline NestedType *
make_pair_type(void)
{
	NestedType *made = nested_type_create(COLUMN_COMPOSITE, 2);

	set_member(&made->member[0], "a", 23, 23, COLUMN_INT4, NULL);
	set_member(&made->member[1], "B \"b\"", 25, 25, COLUMN_TEXT, NULL);
	return made;
}

static inline NestedType *
make_pairs_type(void)
{
	return make_array_type(OID_PAIR, OID_PAIR, COLUMN_COMPOSITE, make_pair_type());
}

static inline NestedType *
make_deep_type(void)
{
	NestedType *made = nested_type_create(COLUMN_COMPOSITE, 4);

	set_member(&made->member[0], "p", OID_PAIR, OID_PAIR, COLUMN_COMPOSITE, make_pair_type());
	set_member(&made->member[1], "ps", OID_PAIRS, OID_PAIRS, COLUMN_ARRAY, make_pairs_type());
	set_member(&made->member[2], "j", 3802, 3802, COLUMN_JSONB, NULL);
	set_member(&made->member[3], "n", 1700, 1700, COLUMN_NUMERIC, NULL);
	return made;
}

static const struct
{
	const char *name;
	unsigned type_oid, base_oid; /* of the elements */
	ColumnType type;
} array_types[] = {
	{"integer[]", 23, 23, COLUMN_INT4},
	{"text[]", 25, 25, COLUMN_TEXT},
	{"numeric[]", 1700, 1700, COLUMN_NUMERIC},
	{"timestamp with time zone[]", 1184, 1184, COLUMN_TIMESTAMPTZ},
	{"jsonb[]", 3802, 3802, COLUMN_JSONB},
	{"json[]", 114, 114, COLUMN_JSON},
	{"bytea[]", 17, 17, COLUMN_BYTEA},
	{"double precision[]", 701, 701, COLUMN_FLOAT8},
	{"character(3)[]", 1042, 1042, COLUMN_BPCHAR},
	{"name[]", 19, 19, COLUMN_TEXT},
	{"uuid[]", 2950, 2950, COLUMN_UUID},
	{"boolean[]", 16, 16, COLUMN_BOOL},
	{"mood[]", OID_MOOD, OID_MOOD, COLUMN_ENUM},
	{"positive[]", OID_POSITIVE, 23, COLUMN_INT4},
};

static inline NestedType *
make_nested_type(const char *name)
{
	if (strcmp(name, "pair") == 0)
		return make_pair_type();
	if (strcmp(name, "pair[]") == 0)
		return make_pairs_type();
	if (strcmp(name, "deep") == 0)
		return make_deep_type();
	if (strcmp(name, "empty_type") == 0)
		return nested_type_create(COLUMN_COMPOSITE, 0);
	if (strcmp(name, "ints[]") == 0)
		return make_array_type(OID_INTS, 1007, COLUMN_ARRAY,
							   make_array_type(23, 23, COLUMN_INT4, NULL));
	for (size_t i = 0; i < sizeof(array_types) / sizeof(array_types[0]); i++)
		if (strcmp(array_types[i].name, name) == 0)
			return make_array_type(array_types[i].type_oid, array_types[i].base_oid,
								   array_types[i].type, NULL);
	return NULL;
}

/* One column, "x". */
static inline RowType *
make_nested_row_type(const char *name)
{
	RowType *type = row_type_create(1);
	NestedType *nested = make_nested_type(name);

	row_type_set_column(type, 0, "x", name, OID_MOOD);
	row_type_set_family(type, 0, OID_MOOD, nested->type, nested);
	return type;
}

#endif
