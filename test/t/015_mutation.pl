# One value changed on the way, a row dropped, a row doubled: bench_compare
# tells the column and the count, and EXCEPT ALL both ways agrees.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant ROWS => 1000;

my $node = start_node('mutation');
my $directory = PostgreSQL::Test::Utils::tempdir();
my $server = start_http_server(files => $directory);
my $session = TransferBench::Session->new($node);

$session->value('SELECT bench_reference_table(' . ROWS . ')');
my $reference =
  $session->value(extract_call('digest', 'SELECT * FROM bench_reference', ROWS, verify => 'true'));

# Makes the table mutant: a copy of the reference table, changed by statements.
sub make_mutant
{
	my (@changes) = @_;

	$session->value($_)
	  for (
		'DROP TABLE IF EXISTS mutant',
		'CREATE TABLE mutant (LIKE bench_reference)',
		'INSERT INTO mutant SELECT * FROM bench_reference', @changes);
	return;
}

# Rows of one table that the other lacks, as often as it lacks them.
sub differences
{
	return $session->value(
			'SELECT count(*) FILTER (WHERE side = 1), count(*) FILTER (WHERE side = 2) FROM ('
		  . 'SELECT 1 AS side FROM (TABLE bench_reference EXCEPT ALL TABLE mutant) AS a UNION ALL '
		  . 'SELECT 2 FROM (TABLE mutant EXCEPT ALL TABLE bench_reference) AS b) AS both_ways');
}

# URL of a file of the mutant's rows, one a line, ordered by id.
sub publish_mutant
{
	my ($name) = @_;

	open my $file, '>', "$directory/$name.ndjson" or die "could not write $name: $!";
	print $file $session->value('SELECT row_to_json(m) FROM mutant AS m ORDER BY id'), "\n";
	close $file or die "could not write $name: $!";
	return $server->url("/file/$name.ndjson");
}

sub comparison
{
	my ($columns, $url, $n) = @_;

	return
		"SELECT $columns FROM bench_compare("
	  . literal($url)
	  . ", '{$n}', trials => 1, query => 'SELECT * FROM bench_reference ORDER BY id')";
}

sub warnings_of
{
	my ($result) = @_;

	return join "\n", map {
		join "\n", grep { defined } @$_{qw(message detail hint context)}
	  }
	  grep { $_->{severity} eq 'WARNING' } @{ $result->{notices} };
}

my $one = 'UPDATE mutant SET';
my $at = 'WHERE id = 500';
my $null_note = 'WHERE id = (SELECT min(id) FROM bench_reference WHERE note IS NULL)';
my @mutations = (

	# name, count, columns, statements
	[ 'id one further', 1, '{id}', 'UPDATE mutant SET id = id + 1 WHERE id = ' . ROWS ],
	[ 'the last digit of code', 1, '{code}', "$one code = code # 1 $at" ],
	[   'created_at by one microsecond',
		1, '{created_at}', "$one created_at = created_at + interval '1 microsecond' $at" ],
	[   'created_at by one hour', 1,
		'{created_at}', "$one created_at = created_at + interval '1 hour' $at" ],
	[ 'amount by one cent', 1, '{amount}', "$one amount = amount - 0.01 $at" ],
	[ 'the sign of amount', 1, '{amount}', "$one amount = -amount $at" ],
	[   'ratio by one ulp',
		1, '{ratio}', "$one ratio = ratio * (1 + 2.220446049250313e-16::float8) $at" ],
	[ 'active the other way', 1, '{active}', "$one active = NOT active $at" ],
	[ 'a trailing blank in label', 1, '{label}', "$one label = label || ' ' $at" ],
	[   'another case in note',
		1,
		'{note}',
		"$one note = upper(note) || 'x' WHERE id = (SELECT min(id) FROM bench_reference WHERE note IS NOT NULL)"
	],
	[ 'the empty string for null', 1, '{note}', "$one note = '' $null_note" ],
	[   'null for a text',
		1,
		'{note}',
		"$one note = NULL WHERE id = (SELECT min(id) FROM bench_reference WHERE note IS NOT NULL)"
	],
	[   'null for the empty string',
		1, '{label}',
		"$one label = NULL WHERE id = (SELECT min(id) FROM bench_reference WHERE label = '')" ],
	[ 'null for a number', 1, '{amount}', "$one amount = NULL $at" ],
	[   'every column of one row but the key',
		7,
		'{code,created_at,amount,ratio,active,label,note}',
		"$one code = code # 1, created_at = created_at + interval '1 us', amount = amount + 1, ratio = -ratio, active = NOT active, label = label || 'x', note = coalesce(note, '') || 'x' $at"
	],
	[ 'one column in every row', ROWS, '{active}', "$one active = NOT active" ],
	[   'two columns in two rows',
		2, '{code,label}',
		"$one code = code # 1 $at",
		"$one label = label || 'x' WHERE id = 501" ]);

# --- one mutation after another ------------------------------------------------------

my $number = 0;
for my $mutation (@mutations)
{
	my ($name, $count, $columns, @changes) = @$mutation;
	make_mutant(@changes);
	my $rows = $name =~ /every row/ ? ROWS : $name =~ /two rows/ ? 2 : 1;
	is(differences(), "$rows|$rows", "$name: EXCEPT ALL finds $rows both ways");

	my $url = publish_mutant('mutant_' . ++$number);
	my $result = succeeds(
		$session,
		comparison('n, rows_equal, values_changed, changed_columns', $url, ROWS),
		ROWS . "|f|$count|$columns",
		"$name: bench_compare tells column and count");
	my $warnings = warnings_of($result);
	for my $column (split /,/, $columns =~ s/[{}]//gr)
	{
		like($warnings, qr/\b$column\b/, "$name: a warning names $column");
	}
	like($warnings, qr/\b$count\b/, "$name: and says how many");
	my $digest = $session->value(fetch_call('digest', $url, ROWS, verify => 'true'));
	isnt($digest, $reference, "$name: the digest is another");
}

# --- no mutation ----------------------------------------------------------------------

make_mutant();
is(differences(), '0|0', 'unchanged: EXCEPT ALL finds nothing');
{
	my $result = succeeds(
		$session,
		comparison(
			'n, rows_equal, values_changed, changed_columns, native_path, http_path, native_ms > 0, http_ms > 0, toll > 0, trials_failed',
			publish_mutant('unchanged'),
			ROWS),
		ROWS . '|t|0|{}|in-server|http-json|t|t|t|0',
		'unchanged: bench_compare says equal');
	is(warnings_of($result), '', 'unchanged: no warning');
}
make_mutant("UPDATE mutant SET note = note $at");
is($session->value(fetch_call('digest', publish_mutant('rewritten'), ROWS, verify => 'true')),
	$reference, 'the digest does not depend on where a row is stored');
make_mutant(
	'CREATE TABLE turned AS SELECT note, label, active, ratio, amount, created_at, code, id FROM mutant ORDER BY label, id DESC',
	'DROP TABLE mutant',
	'ALTER TABLE turned RENAME TO mutant');
succeeds(
	$session, extract_call('digest', 'SELECT * FROM mutant', ROWS, verify => 'true'),
	$reference, 'the digest depends neither on the order of rows nor on that of columns');

# --- rows dropped and doubled ------------------------------------------------------------

make_mutant("DELETE FROM mutant $at");
is(differences(), '1|0', 'a row dropped: EXCEPT ALL finds it');
{
	my $url = publish_mutant('dropped');
	my $result = fails_with(
		$session,
		comparison('*', $url, ROWS),
		{ message => qr/999/ },
		'a row dropped: the shortfall is an error');
	$result = succeeds(
		$session, comparison('rows_equal, values_changed', $url, ROWS - 1),
		'f|0', 'a row dropped, one fewer asked for: the rows are not equal');
	like(
		warnings_of($result),
		qr/1 row missing, 1 row extra/,
		'a row dropped, one fewer asked for: told as a row missing and a row extra');
	$result = succeeds(
		$session, fetch_call('rows, status', $url, ROWS),
		'999|short', 'a row dropped: bench_http_fetch tells the shortfall');
	like(warnings_of($result), qr/999/, 'a row dropped: and warns of it');
}

make_mutant("INSERT INTO mutant SELECT * FROM bench_reference $at");
is(differences(), '0|1', 'a row doubled: EXCEPT ALL finds it');
fails_with(
	$session,
	comparison('*', publish_mutant('doubled'), ROWS),
	{ sqlstate => '38000', message => qr/1001 of 1000/, detail => qr/1 row extra/ },
	'a row doubled: one more than asked for is an error');

make_mutant("INSERT INTO mutant SELECT * FROM bench_reference $at",
	'DELETE FROM mutant WHERE id = ' . ROWS);
is(differences(), '1|1', 'a row doubled in place of another: EXCEPT ALL finds both');
{
	my $url = publish_mutant('replaced');
	my $result = succeeds(
		$session, comparison('rows_equal, values_changed', $url, ROWS),
		'f|0', 'a row doubled in place of another: the rows are not equal');
	like(
		warnings_of($result),
		qr/1 row missing, 1 row extra/,
		'a row doubled in place of another: told as a row missing and a row extra');
}

# --- keys themselves changed -----------------------------------------------------------------

$session->value('CREATE TABLE keyed AS SELECT i AS id, i * 7 AS a, i * 11 AS b FROM generate_series(1, 100) i');
for my $case (
	[ '101 - id', '100|{id}', 'all keys turned round' ],
	[ 'CASE id WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE id END', '2|{id}', 'two keys swapped' ])
{
	my ($id, $expected, $name) = @$case;
	my $body = $session->value("SELECT json_agg(r) FROM (SELECT $id AS id, a, b FROM keyed) r");

	succeeds($session,
		'SELECT values_changed, changed_columns FROM bench_compare(' . literal($server->url('/json', body => $body))
		  . ", '{100}', trials => 1, query => 'SELECT * FROM keyed')",
		$expected, "$name: told as changes of the key");
}

# --- fewer rows than there are, in no order ------------------------------------------------------

for my $case (
	[ 'id <= 50', 't|0', 'the same rows', qr/more rows and no ORDER BY/ ],
	[ 'id > 50', 'f|0', 'other rows', qr/different rows or changed values: order undefined.*50 rows missing, 50 rows extra/ ])
{
	my ($where, $expected, $name, $warning) = @$case;
	my $body   = $session->value("SELECT json_agg(r) FROM (SELECT * FROM keyed WHERE $where) r");
	my $result = succeeds($session,
		'SELECT rows_equal, values_changed FROM bench_compare(' . literal($server->url('/json', body => $body))
		  . ", '{50}', trials => 1, query => 'SELECT * FROM keyed')",
		$expected, "a query without ORDER BY, $name");
	like(warnings_of($result), $warning, "a query without ORDER BY, $name: the warning");
	$result = succeeds($session,
		'SELECT rows_equal FROM bench_compare(' . literal($server->url('/json', body => $body))
		  . ", '{50}', trials => 1, query => 'SELECT * FROM keyed ORDER BY " . ($where eq 'id > 50' ? 'id DESC' : 'id') . "')",
		't', "the same with it, $name");
	is(warnings_of($result), '', "the same with it, $name: no warning");
}

# --- what is no change, but told -----------------------------------------------------------

$session->value('CREATE TABLE scaled AS SELECT 1 AS id, 1.5::numeric AS x, NULL::text AS y');

sub small_comparison
{
	my ($body) = @_;
	return
		'SELECT rows_equal, values_changed, changed_columns FROM bench_compare('
	  . literal($server->url('/json', body => $body))
	  . ", '{1}', trials => 1, query => 'SELECT * FROM scaled')";
}

sub told
{
	my ($result, $pattern, $name) = @_;
	like(join("\n", map { join ' ', $_->{message}, $_->{detail} // '' } @{ $result->{notices} }),
		$pattern, $name);
	return;
}
{
	my $result = succeeds(
		$session, small_comparison('[{"id":1,"x":1.500,"y":null}]'),
		't|0|{}', 'another scale is no other value');
	told($result, qr/scale/, 'but is told');
	$result = succeeds(
		$session, small_comparison('[{"id":1,"x":1.5}]'),
		't|0|{}', 'a missing key reads as the null that it is');
	told($result, qr/"y".*no such key/, 'but is told');
	$result = succeeds(
		$session, small_comparison('[{"id":1,"y":null}]'),
		'f|1|{x}', 'a missing key where a value was is a change');
	told($result, qr/"x".*no such key/, 'and told apart from a null');
	$result = succeeds($session, small_comparison('[{"id":1,"x":2.5,"y":null}]'),
		'f|1|{x}', 'a change of value');
	told($result, qr/1\.5\b.*2\.5\b/s, 'is shown with both values');
}

# --- within arrays and composites ------------------------------------------------------------

$session->value($_)
  for (
	'CREATE TYPE pair AS (a int, b text)',
	'CREATE TYPE held AS (p pair, l pair[], n numeric[])',
	'CREATE TABLE nested (id int PRIMARY KEY, a int[], m text[], c held, x pair[], j json, jl jsonb[], n numeric[])',
	q(INSERT INTO nested SELECT i, ARRAY[i, NULL, i * 3], ARRAY[['a', 'b"'], [NULL, repeat('x', i)]],)
	  . q( ROW(ROW(i, 'b'), ARRAY[ROW(1, 'x')::pair, NULL], ARRAY[1.50, i])::held, ARRAY[ROW(i, NULL)::pair, ROW(2, 'y')::pair],)
	  . q( json_build_object('b', ARRAY[i, 1.5], 'aa', NULL), ARRAY['"x"', '{"k": [1, 2.50]}'::jsonb], ARRAY[0.10, i])
	  . ' FROM generate_series(1, 50) AS i');

# The table's rows as JSON, row 7 changed by an expression on the text.
sub nested_comparison
{
	my ($change, $columns) = @_;
	my $rows = "SELECT CASE id WHEN 7 THEN $change ELSE t END FROM"
	  . ' (SELECT id, row_to_json(whole)::text AS t FROM nested AS whole ORDER BY id) AS s';
	my $body = '[' . join(',', split /\n/, $session->value($rows)) . ']';

	return
		"SELECT $columns FROM bench_compare("
	  . literal($server->url('/json', body => $body))
	  . ", '{50}', trials => 1, query => 'TABLE nested')";
}

for my $case (
	[ 'an element', '"a":[7,null,21]', '"a":[7,null,22]', 'a', 'a[3]: 21 -> 22' ],
	[ 'a null among elements', '"a":[7,null,21]', '"a":[7,0,21]', 'a', 'a[2]: null -> 0' ],
	[ 'elements that change places', '"a":[7,null,21]', '"a":[21,null,7]', 'a', 'a[1]: 7 -> 21' ],
	[ 'an element less', '"a":[7,null,21]', '"a":[7,null]', 'a', 'a: "{7,NULL,21}" -> "{7,NULL}"' ],
	[ 'an array for null', '"a":[7,null,21]', '"a":null', 'a', 'a: "{7,NULL,21}" -> null' ],
	[ 'another shape', '[["a","b\\""],[null,"xxxxxxx"]]', '["a","b\\"",null,"xxxxxxx"]', 'm', 'm: "{{' ],
	[ 'an element of two dimensions', '"xxxxxxx"', '"xxxxxxy"', 'm', 'm[2][2]: "xxxxxxx" -> "xxxxxxy"' ],
	[ 'an attribute', '{"a":7,"b":"b"}', '{"a":7,"b":"c"}', 'c', 'c.p.b: "b" -> "c"' ],
	[ 'an attribute that is gone', '{"a":7,"b":"b"}', '{"a":7}', 'c', 'c.p.b: "b" -> null' ],
	[ 'an attribute of an element of an attribute', '{"a":1,"b":"x"}', '{"a":2,"b":"x"}', 'c', 'c.l[1].a: 1 -> 2' ],
	[ 'a number within', '[1.50,7]', '[1.51,7]', 'c', 'c.n[1]: 1.50 -> 1.51' ],
	[ 'an attribute of an element', '{"a":2,"b":"y"}', '{"a":2,"b":"Y"}', 'x', 'x[2].b: "y" -> "Y"' ],
	[ 'a composite for null', '{"a":7,"b":null}', 'null', 'x', 'x[1]: "(7,)" -> null' ],
	[ 'within json', '[7,1.5]', '[7, 1.6]', 'j', 'j: "{\\"b\\":[7,1.5],\\"aa\\":null}" -> "...\\"b\\":[7,1.6]' ],
	[ 'within jsonb of an array', '[1, 2.50]', '[1, 2.55]', 'jl', 'jl[2]: ' ])
{
	my ($name, $from, $to, $column, $shown) = @$case;
	my $result = succeeds(
		$session,
		nested_comparison('replace(t, ' . literal($from) . ', ' . literal($to) . ')',
			'rows_equal, values_changed, changed_columns'),
		"f|1|{$column}",
		"$name changed: told with its column and count");

	$shown =~ s/ -> "\.\.\..*//;
	like(warnings_of($result), qr/\($column: 1\).* Native -> HTTP: \Q$shown\E/s, "$name changed: shown in its place");
}
{
	my $result = succeeds(
		$session, nested_comparison(q(replace(t, '1.5}', '1.50}')), 'rows_equal, values_changed'),
		't|0', 'nothing changed within arrays and composites');
	unlike(join("\n", map { $_->{message} } @{ $result->{notices} }), qr/scale|no such key/, 'and nothing is told');
	for my $case (
		[ 'numeric[]', '0.10', '0.1000', 'n' ],
		[ 'a composite', '[1.50,7]', '[1.5,7]', 'c' ])
	{
		my ($where, $from, $to, $column) = @$case;
		$result = succeeds(
			$session,
			nested_comparison('replace(t, ' . literal($from) . ', ' . literal($to) . ')', 'rows_equal, values_changed'),
			't|0', "another scale within $where is no other value");
		told($result, qr/column "$column" has equal values of another scale/, 'but is told');
	}
	$result = succeeds(
		$session, nested_comparison(q(replace(t, '{"a":7,"b":null}', '{"a":7}')), 'rows_equal, values_changed'),
		't|0', 'an attribute without a key reads as the null that it is');
	told($result, qr/column "x": 1 attributes within it had no such key/, 'but is told');
}

# --- composites of another type -----------------------------------------------------------------

$session->value($_)
  for ('CREATE TYPE one_way AS (a int, b text)', 'CREATE TYPE other_way AS (b text, a int)',
	'CREATE TABLE turned_within (id bigint, c other_way)');
{
	my $result = succeeds(
		$session,
		'SELECT rows_equal, changed_columns FROM bench_compare('
		  . literal($server->url('/json', body => '[{"id":1,"c":{"a":7,"b":"x"}}]'))
		  . ", '{1}', trials => 1, query => 'SELECT 1::bigint AS id, ROW(7, ''x'')::one_way AS c', row_type => 'turned_within')",
		'f|{c}', 'attributes in another order are another value');
	like(warnings_of($result), qr/ c: "\(7,x\)" -> "\(x,7\)"/, 'of which no attribute is shown for another');
}

# --- long values -------------------------------------------------------------------------------

$session->value('CREATE TABLE long AS SELECT i AS id, array_agg(k ORDER BY k) AS a, string_agg(k::text, \' \' ORDER BY k) AS t'
	  . ' FROM generate_series(1, 3) AS i, generate_series(1, 50000) AS k GROUP BY i');
for my $case (
	[ q(a[40000] = -1), 'a', qr/: a\[40000\]: 40000 -> -1$/m ],
	[ q(t = replace(t, ' 40000 ', ' -1 ')), 't', qr/: t: "?\.\.\.[\d ]* 40000 40001 [\d ]*\.\.\. -> \.\.\.[\d ]* -1 40001 [\d ]*\.\.\.$/m ],
	[ q(a = a[:49999]), 'a', qr/: a: \.\.\.[\d,]*,49999,50000}" -> \.\.\.[\d,]*,49999}"$/m ])
{
	my ($change, $column, $shown) = @$case;
	$session->value($_) for ('DROP TABLE IF EXISTS mutant', 'CREATE TABLE mutant AS TABLE long', "UPDATE mutant SET $change WHERE id = 2");
	my $result = succeeds($session,
		'SELECT rows_equal, values_changed, changed_columns FROM bench_compare(' . literal(publish_mutant('long')) . " || '?type=application/json'"
		  . ", '{3}', trials => 1, query => 'SELECT * FROM long ORDER BY id')",
		"f|1|{$column}", "a long value changed by $change");
	like(warnings_of($result), $shown, 'is shown where it differs');
}

# --- through the endpoint --------------------------------------------------------------------

SKIP:
{
	skip 'mutations through transferbench serve: the loader was built without it', 1
	  unless endpoint_program();

	make_mutant("$one code = code # 1 $at", 'ALTER TABLE mutant ADD PRIMARY KEY (id)');
	my $endpoint = start_endpoint($node, '--table', 'mutant');
	for my $format (qw(rows columns ndjson))
	{
		succeeds(
			$session,
			comparison(
				'rows_equal, values_changed, changed_columns',
				$endpoint->url('/load_from_db', format => $format),
				ROWS),
			'f|1|{code}',
			"the endpoint's $format: bench_compare tells column and count");
	}
}

# --- temporary tables are nobody else's -------------------------------------------------------

$session->value('CREATE TEMPORARY TABLE hidden AS SELECT 1 AS id');
fails_with(
	$session,
	'SELECT * FROM bench_compare('
	  . literal($server->url('/json', body => '[{"id":1}]'))
	  . ", '{1}', trials => 1, query => 'TABLE hidden')",
	{ sqlstate => '0A000', message => qr/temporary/ },
	'a temporary table cannot be compared');

done_testing();
