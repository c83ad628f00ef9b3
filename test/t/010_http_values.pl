# Values in a JSON response: exact, or an error that names row and column.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $node = start_node('values');
my $server = start_http_server();
my $session = TransferBench::Session->new($node);

$session->value($_)
  for (
	"CREATE TYPE mood AS ENUM ('happy', 'sad')",
	'CREATE DOMAIN positive AS int CHECK (VALUE > 0)',
	'CREATE DOMAIN present AS text NOT NULL',
	'CREATE TYPE pair AS (a int, b text)',
	'CREATE DOMAIN positives AS int[] CHECK (0 < ALL (VALUE))',
	'CREATE DOMAIN sound_pair AS pair CHECK ((VALUE).a > 0)',
	'CREATE TYPE outer_pair AS (gone text, id int, p pair, l pair[], j json, n smallint[])',
	'ALTER TYPE outer_pair DROP ATTRIBUTE gone',
	'CREATE TYPE strict_pair AS (a int, b present)');

# Table of one column v of a type; its name.
my %table_of_type;

sub one_column_table
{
	my ($type) = @_;

	return $table_of_type{$type} //= do
	{
		my $name = 'value_' . keys %table_of_type;
		$session->value("CREATE TABLE $name (v $type)");
		$name;
	};
}

sub digest_of_fetch
{
	my ($body, $n, $table) = @_;

	return fetch_call(
		'rows, status, digest', $server->url('/json', body => $body), $n,
		row_type => "'$table'",
		verify => 'true');
}

sub digest_of_query
{
	my ($query, $n) = @_;

	return extract_call('rows, status, digest', $query, $n, verify => 'true');
}

sub populated
{
	my ($body, $table) = @_;

	return
		"SELECT (json_populate_record(NULL::$table, element)).*"
	  . " FROM json_array_elements("
	  . literal($body)
	  . "::json) AS element";
}

# One assertion: the rows of the body are those of the query.
sub same_rows
{
	my ($body, $n, $table, $query, $name) = @_;

	my $expected = $session->run(digest_of_query($query, $n));
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	return fail("$name: the oracle failed: $expected->{errors}") if $expected->{error};
	return succeeds($session, digest_of_fetch($body, $n, $table), $expected->{output}, $name);
}

# --- what json_populate_record makes of it ----------------------------------------

my @as_populate_record = (
	[   'bigint' => '9007199254740993',
		'9223372036854775807', '-9223372036854775808', '0', '-0', '-1',
		'"42"', '" 42 "', '999999999999999999', '1000000000000000000' ],
	[ 'int' => '2147483647', '-2147483648', '"7"' ],
	[ 'smallint' => '32767', '-32768' ],
	[ 'oid' => '4294967295', '0' ],
	[   'numeric' => '0.123456789012345678901234567890',
		'123456789012345678901234567890.12',
		'99999999999999999999', '-0.0', '1e-20', '1E+5', '1e400', '1.50', '"NaN"', '"Infinity"',
		'"0.10"' ],
	[ 'numeric(12,2)' => '1.005', '-1.005', '9999999999.99', '12' ],
	[   'float8' => '0.1',
		'-0.0', '-0', '1e308', '5e-324', '2.2250738585072014e-308',
		'1.7976931348623157e308', '123456789012345678', '9007199254740993', '0.30000000000000004',
		'"NaN"', '"Infinity"', '"-Infinity"', '100' ],
	[ 'float4' => '0.1', '3.4028235e38', '16777217', '"NaN"' ],
	[   'text' => '""',
		'"a"', '"NA"', '"null"', '" padded "', '"\u00e9"', "\"\xc3\xa9\"", '"\ud83d\ude00"',
		"\"\xf0\x9f\x98\x80\"", '"\"\\\\\/\b\f\n\r\t"', '"\u007f\u0001"', '1', '1.50', '-0',
		'true', 'false',
		'{"a":1}', '[1,"b",null]', '12345678901234567890' ],
	[ 'varchar(3)' => '"abc"', '""' ],
	[ 'char(5)' => '"ab"', '"ab  "' ],
	[ 'boolean' => 'true', 'false', '"t"', '"off"', '1', '0' ],
	[ 'date' => '"2024-02-29"', '"infinity"', '"0044-03-15 BC"' ],
	[ 'time' => '"23:59:59.999999"', '"24:00:00"' ],
	[ 'timetz' => '"12:00:00.5+05:30"' ],
	[ 'timestamp' => '"2024-03-31 01:30:00.123456"', '"2024-03-31T01:30:00"', '"-infinity"' ],
	[   'timestamptz' => '"2024-03-31 01:30:00+00"',
		'"2024-03-31T03:30:00.000001+02:00"',
		'"1969-12-31T23:59:59.999999Z"', '"infinity"' ],
	[ 'interval' => '"1 year 2 mons -3 days 04:05:06.789"', '"P1DT2H"' ],
	[ 'uuid' => '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '"{A0EEBC999C0B4EF8BB6D6BB9BD380A11}"' ],
	[ 'bytea' => '"\\\\x00ff10"', '"abc"', '""' ],
	[ 'inet' => '"192.168.0.1/24"', '"::1"' ],
	[ 'macaddr' => '"08:00:2b:01:02:03"' ],
	[ 'bit(3)' => '"101"' ],
	[ 'varbit' => '"10101"' ],
	[ 'point' => '"(1.5,-2)"' ],
	[ 'tsvector' => '"fat:2 cat:3"' ],
	[ 'pg_lsn' => '"16/B374D848"' ],
	[ 'int4range' => '"[1,5)"', '"empty"' ],
	[ 'numrange' => '"(0.1,0.20]"' ],
	[ 'json' => '{"b":1,"a":[true,null]}', '"text"', '1.0', '[]', 'null' ],
	[   'jsonb' => '{"b":1,"a":[true,null]}',
		'"text"', '1.0', '1e2', '-0', '[]', '{}', 'null',
		'{"a":9007199254740993.000000000001}', '{"a":{"b":{"c":[[[1]]]}}}', '"\u00e9"' ],
	[ 'int[]' => '[1,2,3]', '[]', '[[1,2],[3,4]]', '[null,1]', '"{4,5}"', '"[0:1]={4,5}"' ],
	[   'int[]' => '[[[[[[1]]]]]]',
		'[[]]', '[[],[]]', '[[[]]]', '[[null],[2]]', '["7"," 8 "]' ],
	[ 'bigint[]' => '[9007199254740993,9223372036854775807]' ],
	[ 'numeric[]' => '[0.123456789012345678901234567890,1e-20]' ],
	[ 'text[]' => '["a","b\"c","","null",null]', '["\ud83d\ude00"]' ],
	[ 'jsonb[]' => '[{"a":1},2,"x",[3]]', '[[1,{}],["x",[]]]', '[[],[]]' ],
	[ 'json[]' => '[{"b":1.0,"a":null},null,"x"]', '[[1,[2]],[3,{"a":[[]]}]]' ],
	[ 'float8[]' => '[0.1,-0.0,1e308,"NaN","-Infinity",5e-324,123456789012345678]' ],
	[ 'boolean[]' => '[true,false,null,"t",1]' ],
	[ 'bytea[]' => '["\\\\x00ff","abc"]' ],
	[ 'point[]' => '["(1.5,-2)",null]' ],
	[ 'int4range[]' => '["[1,5)","empty"]' ],
	[ 'varchar(3)[]' => '["abc","ab   "]' ],
	[ 'numeric(5,2)[]' => '[1.005,"2",999.994]' ],
	[ 'positive[]' => '[1,"2",null]' ],
	[ 'positives' => '[1,2]', '"{3}"', 'null' ],
	[   'outer_pair' => '{"id":1,"p":{"a":2,"b":"x"},"l":[{"a":3},null],"j":{"k":[1.0]},"n":[[1,2],[3,4]]}',
		'{"p":null,"l":[],"j":"text"}', '{"p":"(1,x)","l":"{}","j":null}', '{"id":1,"id":2,"P":{}}',
		'{"\u0069d":7,"other":{"id":[1]}}' ],
	[ 'outer_pair[]' => '[{"l":[{"a":1},{"b":"y"}]},{"n":[[5]]}]', '[[{"id":1}],[{"id":2}]]' ],
	[ 'sound_pair' => '{"a":1,"b":"x"}', '"(2,y)"', 'null' ],
	[ 'sound_pair[]' => '[{"a":1},null,"(2,y)"]' ],
	[ 'pair' => '{"a":1,"b":"x"}', '{"b":"only"}', '{}', '"(1,x)"', '{"a":null,"b":""}' ],
	[ 'pair[]' => '[{"a":1,"b":"x"},{"a":2}]' ],
	[ 'mood' => '"happy"' ],
	[ 'mood[]' => '["sad","happy"]' ],
	[ 'positive' => '5', '"6"' ],
	[ 'present' => '""' ],
	[ '"char"' => '"x"' ],
	[ 'name' => '"pg_class"' ]);

for my $of_type (@as_populate_record)
{
	my ($type, @values) = @$of_type;
	my $table = one_column_table($type);

	for my $value (@values)
	{
		my $body = "[{\"v\":$value}]";
		same_rows(
			$body, 1, $table,
			populated($body, $table),
			"$type from $value as json_populate_record");
	}
}

# --- what goes beyond it -----------------------------------------------------------

my @beyond = (
	[ 'bigint', '9.00719925474099e+15', '9007199254740990' ],
	[ 'bigint', '9.007199254740993e15', '9007199254740993' ],
	[ 'bigint', '9223372036854775807.0', '9223372036854775807' ],
	[ 'bigint', '1e2', '100' ],
	[ 'bigint', '100e-2', '1' ],
	[ 'bigint', '-1.0', '-1' ],
	[ 'bigint', '0e999999999', '0' ],
	[ 'bigint', '0.000e-5', '0' ],
	[ 'int', '2147483647.000', '2147483647' ],
	[ 'smallint', '3.2767E4', '32767' ],
	[ 'oid', '4.294967295e9', '4294967295' ],
	[ 'xid8', '1e18', q('1000000000000000000') ],
	[ 'int[]', '[1e1,-2.0]', q('{10,-2}') ],
	[ 'bigint[]', '[[9.007199254740993e15],[null]]', q('{{9007199254740993},{NULL}}') ],
	[ 'int2vector', '[1e2]', q('100') ],
	[ 'pair', '{"a":2.0e1,"b":"x"}', q('(20,x)') ],
	[ 'outer_pair', '{"p":{"a":1e0},"n":[3.2767e4]}', q('(,"(1,)",,,{32767})') ],
	[ 'positives[]', '[[1,2],[3]]', q('{"{1,2}","{3}"}') ],
	[ 'int2vector[]', '[[1,2],[],[3]]', q('{"1 2","","3"}') ],
	[ 'oidvector', '[]', q('') ],
	[ 'oidvector', '"1 2"', q('1 2') ],
	[ 'money', '12.345', q('$12.35') ],
	[ 'money', '-7', q('-$7.00') ],
	[ 'money[]', '[1e2,"$3"]', q('{$100.00,$3.00}') ]);

for my $case (@beyond)
{
	my ($type, $value, $expected) = @$case;
	my $table = one_column_table($type);

	same_rows(
		"[{\"v\":$value}]", 1, $table,
		"SELECT $expected\::$type AS v",
		"$type from $value: beyond json_populate_record");
}

# --- whatever the session is set to --------------------------------------------------

for my $case (
	[ 'array_nulls = off', 'text[]', '"{a,NULL,\"NULL\"}"', q(SELECT ARRAY['a', NULL, 'NULL'] AS v) ],
	[ 'array_nulls = off', 'int[]', '"{1,NULL}"', 'SELECT ARRAY[1, NULL] AS v' ],
	[ 'xmloption = document', 'xml', '"a<b/>c"', q(SELECT xmlparse(CONTENT 'a<b/>c') AS v) ])
{
	my ($setting, $type, $value, $query) = @$case;
	my $body = "[{\"v\":$value}]";
	my $table = one_column_table($type);

	$session->value("SET $setting");
	same_rows($body, 1, $table, $query, "$type from $value under $setting");
	fails_with($session, digest_of_fetch('[{"v":', 1, $table), { sqlstate => '22032' }, "a body that is cut, under $setting");
	my ($name, $set) = split / = /, $setting;
	is($session->value("SHOW $name"), $set, "$setting is as it was");
	$session->value("RESET $name");
}

# --- values that are refused, with the place ---------------------------------------

my $place = { context => qr/^row 1, column "v"/m };

# The whole place of an error within a value, from the inside.
sub at
{
	my $lines = join "\n", map { quotemeta } @_, 'row 1, column "v"';
	return qr/^(?:JSON data, [^\n]*\n)?$lines/;
}

my @refused = (
	[ 'bigint', '9223372036854775808', { sqlstate => '22003', %$place } ],
	[ 'bigint', '-9223372036854775809', { sqlstate => '22003', %$place } ],
	[ 'bigint', '18446744073709551616', { sqlstate => '22003', %$place } ],
	[ 'bigint', '1e19', { sqlstate => '22003', %$place } ],
	[ 'bigint', '1e999999999999', { sqlstate => '22003', %$place } ],
	[ 'bigint', '9223372036854775807.5', { sqlstate => '22P02', %$place } ],
	[ 'bigint', '1.5', { sqlstate => '22P02', %$place } ],
	[ 'bigint', '1e-1', { sqlstate => '22P02', %$place } ],
	[ 'bigint', '"x"', { sqlstate => '22P02', %$place } ],
	[ 'bigint', '""', { sqlstate => '22P02', %$place } ],
	[ 'bigint', '"NA"', { sqlstate => '22P02', %$place } ],
	[ 'bigint', 'true', { sqlstate => '22P02', %$place } ],
	[ 'int', '2147483648', { sqlstate => '22003', %$place } ],
	[ 'smallint', '-32769', { sqlstate => '22003', %$place } ],
	[ 'smallint', '1e5', { sqlstate => '22003', %$place } ],
	[ 'float8', '1e400', { sqlstate => '22003', %$place } ],
	[ 'float8', '-1e400', { sqlstate => '22003', %$place } ],
	[ 'float8', '1e-400', { sqlstate => '22003', %$place } ],
	[ 'float4', '1e39', { sqlstate => '22003', %$place } ],
	[ 'numeric(12,2)', '1e10', { sqlstate => '22003', %$place } ],
	[ 'numeric', '1e200000', { sqlstate => '22003', %$place } ],
	[ 'boolean', '2', { sqlstate => '22P02', %$place } ],
	[ 'date', '"2024-02-30"', { sqlstate => '22008', %$place } ],
	[ 'date', '"yesterday-ish"', { sqlstate => '22007', %$place } ],
	[ 'uuid', '"a0eebc99"', { sqlstate => '22P02', %$place } ],
	[ 'varchar(3)', '"abcd"', { sqlstate => '22001', %$place } ],
	[ 'mood', '"angry"', { sqlstate => '22P02', %$place } ],
	[ 'positive', '-5', { sqlstate => '23514', %$place } ],
	[ 'present', 'null', { sqlstate => '23502', %$place } ],
	[ 'int[]', '[1,"x"]', { sqlstate => '22P02', %$place } ],
	[ 'int[]', '[1,2147483648]', { sqlstate => '22003', %$place } ],
	[ 'int[]', '[1.5]', { sqlstate => '22P02', %$place } ],
	[ 'int[]', '[1e10]', { sqlstate => '22003', %$place } ],
	[ 'int[]', '[[1],[2,3]]', { sqlstate => '22P02', %$place } ],
	[ 'int[]', '{"a":1}', { sqlstate => '22P02', %$place } ],
	[ 'int[]', '5', { sqlstate => '22P02', message => qr/expected a JSON array for type integer\[\]/, %$place } ],
	[ 'int[]', 'true', { sqlstate => '22P02', %$place } ],
	[ 'int[]', '"{1,2"', { sqlstate => '22P02', message => qr/malformed array literal/, %$place } ],
	[ 'int[]', '[[1],2]', { sqlstate => '22P02', context => at('element [2]') } ],
	[ 'int[]', '[1,[2]]', { sqlstate => '22P02', context => at('element [2]') } ],
	[ 'int[]', '[[1,2],[3,"x"]]', { sqlstate => '22P02', context => at('element [2][2]') } ],
	[ 'int[]', '[[],[1]]', { sqlstate => '22P02', message => qr/malformed JSON array/, detail => qr/matching dimensions/, %$place } ],
	[ 'int[]', '[[[[[[[1]]]]]]]', { sqlstate => '54000', %$place } ],
	[ 'bigint[]', '[9223372036854775808]', { sqlstate => '22003', context => at('element [1]') } ],
	[ 'mood[]', '["sad","angry"]', { sqlstate => '22P02', context => at('element [2]') } ],
	[ 'positive[]', '[1,2,-5]', { sqlstate => '23514', context => at('element [3]') } ],
	[ 'positives', '[1,0]', { sqlstate => '23514', %$place } ],
	[ 'present[]', '["x",null]', { sqlstate => '23502', context => at('element [2]') } ],
	[ 'int2vector', '[1,null]', { sqlstate => '22P02', message => qr/int2vector has one dimension and no nulls/, %$place } ],
	[ 'int2vector', '[[1],[2]]', { sqlstate => '22P02', %$place } ],
	[ 'pair', '[1,"x"]', { sqlstate => '22P02', message => qr/expected a JSON object for type pair/, %$place } ],
	[ 'pair', '1', { sqlstate => '22P02', %$place } ],
	[ 'pair', '"(1)"', { sqlstate => '22P02', message => qr/malformed record literal/, %$place } ],
	[ 'pair', '{"a":"x"}', { sqlstate => '22P02', context => at('attribute "a"') } ],
	[ 'pair', '{"b":"\u0000"}', { sqlstate => '22P05', context => at('attribute "b"') } ],
	[ 'outer_pair', '{"l":[null,{"a":2147483648}]}', { sqlstate => '22003', context => at('attribute "a"', 'element [2]', 'attribute "l"') } ],
	[ 'strict_pair', '{"a":1}', { sqlstate => '23502', context => at('attribute "b"') } ],
	[ 'strict_pair[]', '[{"b":""},{}]', { sqlstate => '23502', context => at('attribute "b"', 'element [2]') } ],
	[ 'sound_pair', '{"a":0}', { sqlstate => '23514', %$place } ],
	[ 'sound_pair[]', '[{"a":1},{"a":-1}]', { sqlstate => '23514', context => at('element [2]') } ],
	[ 'jsonb[]', '[{"a":"\u0000"}]', { sqlstate => '22P05', context => at('element [1]') } ],
	[ 'jsonb', '"a\u0000b"', { sqlstate => '22P05', %$place } ],
	[ 'text', '"a\u0000b"', { sqlstate => '22P05', %$place } ],
	[ 'varchar(9)', '"\u0000"', { sqlstate => '22P05', %$place } ],
	[ 'text[]', '["a\u0000b"]', { sqlstate => '22P05', %$place } ],
	[ 'jsonb', '{"a":"\u0000"}', { sqlstate => '22P05', %$place } ],
	[ 'text', '"\ud800"', { sqlstate => '22P05' } ],
	[ 'text', '"\udc00\ud800"', { sqlstate => '22P05' } ],
	[ 'text', '"\ud800x"', { sqlstate => '22P05' } ],
	[ 'text', '"\ud83d\u0041"', { sqlstate => '22P05' } ]);

for my $case (@refused)
{
	my ($type, $value, $expected) = @$case;
	my $table = one_column_table($type);

	fails_with(
		$session, digest_of_fetch("[{\"v\":$value}]", 1, $table),
		$expected, "$type from $value is refused");
}

# --- \u0000 is a character of json, though of no text --------------------------------

for my $case (
	[ 'json', '"a\u0000b"', q('"a\u0000b"') ],
	[ 'json', ' { "k" : "\u0000" } ', q('{"k":"\u0000"}') ],
	[ 'json[]', '["\u0000",{"\u0000":1}]', q(array['"\u0000"', '{"\u0000":1}']) ],
	[ 'outer_pair', '{"j":"\u0000"}', q(ROW(NULL, NULL, NULL, '"\u0000"', NULL)) ])
{
	my ($type, $value, $expected) = @$case;

	same_rows("[{\"v\":$value}]", 1, one_column_table($type), "SELECT $expected\::$type AS v",
		"$type from $value keeps \\u0000");
}

$session->value($_)
  for (
	q{CREATE FUNCTION deep(level int) RETURNS boolean LANGUAGE plpgsql AS
		$$BEGIN IF level = 0 THEN RAISE 'deep enough'; END IF; RETURN deep(level - 1); END$$},
	'CREATE DOMAIN deeply AS int CHECK (deep(VALUE))');
{
	fails_with(
		$session, digest_of_fetch('[{"v":200}]', 1, one_column_table('deeply')),
		{ sqlstate => 'P0001', context => qr/^PL.*\.\.\..*row 1, column "v"/s },
		'the place stands after a context that is cut');
}

# --- what is no JSON, though some libraries take it --------------------------------

for my $value (
	'NaN', 'Infinity', '-Infinity', '+1', '01', '-01',
	'1.', '.5', '1e', '1e+', '0x10', '-',
	"'a'", 'True', 'nul', 'undefined', "\"a\tb\"", "\"a\nb\"",
	'"\x41"', '"\u12g4"', '"\q"', '"a', '{"a":1,}', '[1,]',
	'[,1]', '{a:1}', '{"a" 1}', '{1:2}', '/* c */ 1', '1 // c',
	'')
{
	fails_with(
		$session,
		digest_of_fetch("[{\"v\":$value}]", 1, one_column_table('text')),
		{ sqlstate => '22032' },
		'not JSON: ' . ($value =~ s/\t/<TAB>/r =~ s/\n/<LF>/r));
}

my %not_utf8 = (
	'bytes FF FE' => "\xff\xfe",
	'a lone continuation' => "\x80",
	'an overlong NUL' => "\xc0\x80",
	'an overlong slash' => "\xe0\x80\xaf",
	'a surrogate' => "\xed\xa0\x80",
	'beyond U+10FFFF' => "\xf4\x90\x80\x80",
	'a five-byte form' => "\xf8\x88\x80\x80\x80",
	'a cut sequence' => "\xe2\x82",
	'latin-1' => "caf\xe9");

for my $name (sort keys %not_utf8)
{
	fails_with(
		$session,
		digest_of_fetch(
			"[{\"v\":\"ok\"},{\"v\":\"$not_utf8{$name}\"}]",
			2, one_column_table('text')),
		{ sqlstate => '22021', message => qr/UTF-8 in row 2/, detail => qr/byte \d+/ },
		"not UTF-8: $name");
	fails_with(
		$session,
		digest_of_fetch("[{\"v\":\"ok\",\"$not_utf8{$name}\":1}]", 1, one_column_table('text')),
		{ sqlstate => '22021' },
		"not UTF-8 in a key: $name");
}

# --- keys and rows -----------------------------------------------------------------

$session->value('CREATE TABLE two (id bigint, x text)');
my @rows = (
	[   'a key missing reads as null', '[{"id":1,"x":"a"},{"id":2}]',
		2, "VALUES (1::bigint, 'a'), (2, NULL)" ],
	[   'a key with null reads as null', '[{"id":1,"x":"a"},{"id":2,"x":null}]',
		2, "VALUES (1::bigint, 'a'), (2, NULL)" ],
	[ 'null is not the empty string', '[{"id":2,"x":""}]', 1, "VALUES (2::bigint, '')" ],
	[   'of a key that comes twice the last counts', '[{"id":1,"x":"a","x":"b"}]',
		1, "VALUES (1::bigint, 'b')" ],
	[   'a twice given key ending in null is null', '[{"id":1,"x":"a","x":null}]',
		1, "VALUES (1::bigint, NULL)" ],
	[ 'an escaped key is that key', '[{"\u0069d":1,"x":"a"}]', 1, "VALUES (1::bigint, 'a')" ],
	[   'keys of no column are ignored', '[{"y":[{}],"id":1,"x":"a","":2}]',
		1, "VALUES (1::bigint, 'a')" ],
	[ 'keys are told by case', '[{"id":1,"X":"a"}]', 1, "VALUES (1::bigint, NULL)" ],
	[ 'the order of keys does not matter', '[{"x":"a","id":1}]', 1, "VALUES (1::bigint, 'a')" ],
	[ 'an empty object is a row of nulls', '[{}]', 1, 'VALUES (NULL::bigint, NULL)' ],
	[   'white space is free',
		"[ {\"id\" :\t1 ,\r\n\"x\": \"a\" } ]\n ",
		1, "VALUES (1::bigint, 'a')" ]);

for my $case (@rows)
{
	my ($name, $body, $n, $values) = @$case;
	same_rows($body, $n, 'two', "SELECT * FROM ($values) AS v (id, x)", $name);
}

for my $row ('1', 'null', '"x"', '[1]', 'true')
{
	fails_with(
		$session,
		digest_of_fetch("[{\"id\":1},$row]", 2, 'two'),
		{ sqlstate => '22032', context => qr/row 2/ },
		"a row that is no object: $row");
}

fails_with(
	$session,
	digest_of_fetch('[{"id":1,"x":"a"},{"id":2,"x":"b"},{"id":"three"}]', 3, 'two'),
	{ sqlstate => '22P02', message => qr/three/, context => qr/row 3, column "id"/ },
	'an error in the third row says so');

fails_with(
	$session,
	digest_of_fetch('[{"id":1,"a\u0000b":"x"}]', 1, 'two'),
	{ sqlstate => '22P05' },
	'NUL in a key is refused');

# --- row types ---------------------------------------------------------------------

$session->value($_)
  for (
	'CREATE TABLE dropped (a int, id bigint, b text, x text)',
	'ALTER TABLE dropped DROP COLUMN a, DROP COLUMN b',
	'CREATE TABLE generated (id bigint, double bigint GENERATED ALWAYS AS (id * 2) STORED)',
	'CREATE TABLE unusual ("Mixed Case" int, "quote""d" int, "'
	. "\xc3\xa9"
	. '" int, "select" int)');

same_rows(
	'[{"id":1,"a":5,"b":"no","x":"a"}]',
	1, 'dropped',
	"SELECT 1::bigint AS id, 'a' AS x",
	'a table with dropped columns');
{
	my $body = '[{"id":1,"double":7},{"id":2}]';
	same_rows(
		$body, 2, 'generated',
		populated($body, 'generated'),
		'a table with a generated column');
}
{
	my $body = "[{\"Mixed Case\":1,\"quote\\\"d\":2,\"\xc3\xa9\":3,\"select\":4}]";
	same_rows(
		$body, 1, 'unusual',
		populated($body, 'unusual'),
		'column names that need quotes or escapes');
	$body = '[{"Mixed Case":1,"quote\"d":2,"\u00e9":3,"select":4}]';
	same_rows($body, 1, 'unusual', populated($body, 'unusual'), 'the same names, escaped in JSON');
}
same_rows('[{"a":1,"b":"x"}]', 1, 'pair', "SELECT 1 AS a, 'x' AS b",
	'a composite type as row_type');

# --- digests do not depend on the session ------------------------------------------

$session->value(
	'CREATE TABLE sensitive (t timestamptz, d date, f float8, b bytea, i interval, j jsonb)');
my $sensitive =
  '[{"t":"2024-03-31T01:30:00Z","d":"2024-02-03","f":0.1,"b":"\\\\x00ff","i":"P1DT2H","j":{"b":1,"a":2}}]';
my $elsewhere =
  '[{"t":"2024-03-31 12:30:00+11","d":"2024-02-03","f":1e-1,"b":"\\\\x00FF","i":"1 day 02:00:00","j":{"a":2,"b":1}}]';
my $digest = $session->value(digest_of_fetch($sensitive, 1, 'sensitive'));
like($digest, qr/^1\|ok\|-?\d+$/, 'a digest is reported');
succeeds(
	$session, digest_of_fetch($elsewhere, 1, 'sensitive'),
	$digest, 'the same values, written otherwise');
same_rows(
	'[{"v":{"a":[1.50,-0.0,1e2]}}]',
	1,
	one_column_table('jsonb'),
	q(SELECT '{"a":[1.5,0,100]}'::jsonb AS v),
	'numbers in jsonb are equal as jsonb has it: by value');
for my $case (
	[ 'json[]', '[{"b":1.50,"aa":[ ]},"\u00e9"]', q(array['{"aa": [], "b":15e-1}', U&'"\00e9"']) ],
	[ 'jsonb[]', '[{"b":1.50,"aa":[ ]},"\u00e9"]', q(array['{"aa": [], "b":15e-1}', U&'"\00e9"']) ],
	[ 'json[]', '["\u0000 \u00e9", 1e999999]', q(array[' "\u0000 \u00e9"', '1e999999 ']) ],
	[ 'outer_pair', '{"j":{"b":1.0,"a":2,"b":3}}', q(ROW(NULL, NULL, NULL, ' {"a": 2.0, "b":3} ', NULL)) ],
	[ 'outer_pair[]', '[{"j":[1.0,-0]}]', q(array[ROW(NULL, NULL, NULL, '[1,0]', NULL)]) ])
{
	my ($type, $value, $expected) = @$case;

	same_rows("[{\"v\":$value}]", 1, one_column_table($type), "SELECT $expected\::$type AS v",
		"$type from $value is equal, spelled otherwise");
}

for my $setting (
	"TimeZone = 'Asia/Kathmandu'",
	"TimeZone = 'America/St_Johns'",
	'extra_float_digits = 0',
	"bytea_output = 'escape'",
	"IntervalStyle = 'iso_8601'",
	"client_encoding = 'LATIN1'")
{
	$session->value("SET $setting");
	succeeds($session, digest_of_fetch($sensitive, 1, 'sensitive'),
		$digest, "the digest under $setting");
	$session->value('RESET ' . ($setting =~ s/ =.*//r));
}
$session->value("SET DateStyle = 'SQL, DMY'");
succeeds(
	$session,
	digest_of_query(
		"SELECT timestamptz '2024-03-31T01:30:00Z' AS t, date '2024-02-03' AS d,"
		  . " float8 '0.1' AS f, bytea '\\x00ff' AS b, interval '1 day 02:00' AS i, jsonb '{\"a\":2,\"b\":1}' AS j",
		1),
	$digest,
	'the digest of the query under another DateStyle');

# --- values changed on the way are told --------------------------------------------

# as a Plumber endpoint writes with default settings: four decimals, keys of
# missing values left out, integers above 2^53 in exponent form
$session->value($_)
  for (
	'CREATE TABLE plumber (id bigint PRIMARY KEY, code bigint, x float8, y float8)',
	'INSERT INTO plumber VALUES (1, 9007199254740993, 0.5, 1), (2, 12, 0.00001234, NULL), (3, 3, 2.71828, 3)'
  );
my $plumber_rows = '[{"id":1,"code":9.00719925474099e+15,"x":0.5,"y":1},{"id":2,"code":12,"x":0},'
  . '{"id":3,"code":3,"x":2.7183,"y":3}]';
my $plumber_list =
  '{"id":[1,2,3],"code":[9.00719925474099e+15,12,3],"x":[0.5,0,2.7183],"y":[1,"NA",3]}';

for my $case ([ 'rows', $plumber_rows ], [ 'list', $plumber_list ])
{
	my ($serializer, $body) = @$case;
	my $result = succeeds(
		$session,
		'SELECT rows_equal, values_changed, changed_columns, trials_failed FROM bench_compare('
		  . literal($server->url('/json', body => $body))
		  . ", '{3}', trials => 1, query => 'SELECT * FROM plumber ORDER BY id')",
		'f|3|{code,x}|0',
		"$serializer of an endpoint that rounds: the changed values are counted by column");
	ok( (   grep { $_->{severity} eq 'WARNING' && $_->{message} . ($_->{detail} // '') =~ /code/ }
			  @{ $result->{notices} }),
		"$serializer of an endpoint that rounds: a warning names the columns"
	) or diag($result->{errors});
}

done_testing();
