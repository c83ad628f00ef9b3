# Every type that the server has and that can be input: as a column, in arrays,
# composites and domains. The server itself writes the JSON (row_to_json) and is
# the oracle (json_populate_record); digests do not depend on the session.
use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant ROWS => 3;

# A locale that writes money and numbers otherwise, where it can be made.
my $locale = 'de_DE.UTF-8';
my $directory = PostgreSQL::Test::Utils::tempdir();
my $has_locale = eval {
	IPC::Run::run([ 'localedef', '-i', 'de_DE', '-f', 'UTF-8', '--no-archive', "$directory/$locale" ],
		'>', '/dev/null', '2>', '/dev/null');
};
my $node = start_node('types', environment => { $has_locale ? (LOCPATH => $directory) : () });
my $server = start_http_server(files => $directory);
my $session = TransferBench::Session->new($node);

# Two values of each type, as its input function has them.
my %values = (
	aclitem => [ 'somebody=r/somebody', '=w/somebody' ],
	bit => [ '101', '1011' ],
	bool => [ 't', 'f' ],
	box => [ '(1,2.5),(0.1,-3)', '(1,2),(0,0)' ],
	bpchar => [ 'ab', "\xc3\xa9" ],
	bytea => [ '\x00ff5c22', '' ],
	char => [ 'x', 'y' ],
	cid => [ '7', '4294967295' ],
	cidr => [ '10.0.0.0/8', '2001:db8::/32' ],
	circle => [ '<(1,2),0.1>', '<(0,0),3>' ],
	date => [ '0044-03-15 BC', 'infinity' ],
	datemultirange => [ '{[2024-01-01,2024-02-03),[2024-03-01,)}', '{}' ],
	daterange => [ '[2024-01-01,2024-02-03]', 'empty' ],
	float4 => [ '0.1', '-0' ],
	float8 => [ '0.30000000000000004', 'NaN' ],
	inet => [ '192.168.0.1/24', '::1' ],
	int2 => [ '-32768', '32767' ],
	int2vector => [ '1 -2 3', '7' ],
	int4 => [ '-2147483648', '2147483647' ],
	int4multirange => [ '{[1,5),[7,9)}', '{[1,5)}' ],
	int4range => [ '[1,5)', '(,5)' ],
	int8 => [ '9007199254740993', '-9223372036854775808' ],
	int8multirange => [ '{[9007199254740993,)}', '{}' ],
	int8range => [ '[9007199254740993,9007199254740994)', '[1,)' ],
	interval => [ '1 year 2 mons 3 days 04:05:06.789', '00:00:00.000001' ],
	json => [ '{"b": 1.50, "aa": [true, null, "x\"y"], "b": 2}', qq("a\xc3\xa9\xf0\x9f\x98\x80b") ],
	jsonb => [ '{"b": 1.50, "aa": [true, null, "x\"y"]}', '9007199254740993.10' ],
	jsonpath => [ '$.a[*]?(@ > 1)', 'strict $' ],
	line => [ '{1,-2.5,3}', '{0,1,0.1}' ],
	lseg => [ '[(1,2),(3,0.1)]', '[(0,0),(0,0)]' ],
	macaddr => [ '08:00:2b:01:02:03', '00:00:00:00:00:00' ],
	macaddr8 => [ '08:00:2b:01:02:03:04:05', '00:00:00:00:00:00:00:01' ],
	money => [ '-1234.56', '0' ],
	name => [ 'pg_class', 'a"b,c' ],
	numeric => [ '0.123456789012345678901234567890', '1.50' ],
	nummultirange => [ '{[0.10,2),(3,]}', '{}' ],
	numrange => [ '(0.1,0.20]', 'empty' ],
	oid => [ '4294967295', '0' ],
	oidvector => [ '4294967295 1', '2' ],
	path => [ '[(1,2),(3,0.1)]', '((1,2),(3,0.1))' ],
	pg_lsn => [ '16/B374D848', '0/0' ],
	pg_snapshot => [ '10:20:10,14', '1:1:' ],
	point => [ '(1.5,-2)', '(0.30000000000000004,NaN)' ],
	polygon => [ '((0,0),(1,0.1),(2,3))', '((0,0))' ],
	refcursor => [ 'a cursor', '' ],
	regclass => [ 'pg_class', 'pg_type' ],
	regcollation => [ '"C"', '"POSIX"' ],
	regconfig => [ 'english', 'simple' ],
	regdictionary => [ 'simple', 'english_stem' ],
	regnamespace => [ 'pg_catalog', 'public' ],
	regoper => [ '||/', '|/' ],
	regoperator => [ '+(integer,integer)', '-(bigint,bigint)' ],
	regproc => [ 'pg_backend_pid', 'pg_blocking_pids' ],
	regprocedure => [ 'abs(integer)', 'abs(numeric)' ],
	regrole => [ 'somebody', 'pg_monitor' ],
	regtype => [ 'integer', 'timestamp with time zone' ],
	text => [ qq(a"b\\c,{} (\t\n) \xf0\x9f\x98\x80), '' ],
	tid => [ '(1,2)', '(0,0)' ],
	time => [ '23:59:59.999999', '24:00:00' ],
	timestamp => [ '2024-03-31 01:30:00.123456', '-infinity' ],
	timestamptz => [ '2024-03-31 01:30:00.000001+00', '1969-12-31 23:59:59.999999+00' ],
	timetz => [ '12:00:00.5+05:30', '00:00:00+00' ],
	tsmultirange => [ '{["2024-03-31 01:30:00","2024-04-01 00:00:00")}', '{}' ],
	tsquery => [ q('fat' & !'rat'), q('a b':*) ],
	tsrange => [ '["2024-03-31 01:30:00",)', 'empty' ],
	tstzmultirange => [ '{["2024-03-31 01:30:00+00","2024-04-01 00:00:00+00")}', '{}' ],
	tstzrange => [ '["2024-03-31 01:30:00+00",)', 'empty' ],
	tsvector => [ q('cat':3 'fat':2A), q('a''b') ],
	txid_snapshot => [ '10:20:10,14', '1:1:' ],
	uuid => [ 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '00000000-0000-0000-0000-000000000000' ],
	varbit => [ '10101', '' ],
	varchar => [ 'abc ', "\xe2\x82\xac" ],
	xid => [ '4294967295', '3' ],
	xid8 => [ '18446744073709551615', '3' ],
	xml => [ '<a b="c">d</a>', 'text' ],

	# and of users
	mood => [ 'sad', q(ha"p,py) ],
	point_range => [ '[1.5,2.5)', '(,)' ],
	point_multirange => [ '{[1.5,2.5)}', '{}' ]);

my %is_vector = (int2vector => 1, oidvector => 1);

# What json_populate_record cannot do: elements that are arrays, and lower bound 0; a domain over
# a type without binary input.
my %has_no_oracle = (%is_vector, aclitem => 1);

$session->value($_)
  for (
	'CREATE ROLE somebody',
	q(CREATE TYPE mood AS ENUM ('sad', 'ha"p,py')),
	'CREATE TYPE point_range AS RANGE (subtype = float8, multirange_type_name = point_multirange)');

# --- which types there are ------------------------------------------------------------

my @server_types = split /\n/,
  $session->value("SELECT typname FROM pg_type WHERE typtype IN ('b', 'd', 'e', 'm', 'r')"
	  . " AND typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)"
	  . " AND typname !~ '^_' ORDER BY typname");
my @types;

for my $type (@server_types)
{
	if (exists $values{$type})
	{
		my $sqlstate = $session->run(
			'SELECT ' . literal($values{$type}[0]) . "::\"$type\"")->{error}{sqlstate} // 'none';

		# a server may have been built without libxml
		next if $type eq 'xml' && $sqlstate eq '0A000';
		push @types, $type;
		next;
	}
	fails_with(
		$session,
		"SELECT '1'::\"$type\"",
		{ sqlstate => '0A000' },
		"type $type is not tested, for it cannot be input");
}
cmp_ok(scalar @types, '>=', 70, 'types that can be input: ' . @types);

# --- a table of each -------------------------------------------------------------------

# An array as its input function has it; undef is a null.
sub array
{
	my ($type, @elements) = @_;
	my $delimiter = $type eq 'box' ? ';' : ',';

	return '{' . join($delimiter, map { defined $_ ? '"' . s/(["\\])/\\$1/gr . '"' : 'NULL' } @elements) . '}';
}

# One of two dimensions.
sub matrix
{
	my ($type, @arrays) = @_;
	return '{' . join($type eq 'box' ? ';' : ',', map { array($type, @$_) } @arrays) . '}';
}

# A value of a composite type (v of the type, a of its array type).
sub held
{
	my ($type, $v, $a) = @_;
	return sprintf 'ROW(%s, %s)::"holder_%s"', literal($v), literal($a), $type;
}

sub make_table
{
	my ($type, $one, $two) = @_;
	my @matrices = $is_vector{$type} ? (undef, undef) : (matrix($type, [ $one, $two ], [ undef, $one ]), matrix($type, [$two]));

	$session->value($_)
	  for (
		"CREATE DOMAIN \"domain_$type\" AS \"$type\"",
		"CREATE DOMAIN \"list_$type\" AS \"$type\"[]",
		"CREATE TYPE \"holder_$type\" AS (gone int, v \"$type\", a \"$type\"[])",
		"ALTER TYPE \"holder_$type\" DROP ATTRIBUTE gone",
		"CREATE DOMAIN \"held_$type\" AS \"holder_$type\"",
		"CREATE TABLE \"all_$type\" (id int, gone text, s \"$type\", a \"$type\"[], m \"$type\"[],"
		  . " d \"domain_$type\", e \"domain_$type\"[], l \"list_$type\", c \"holder_$type\","
		  . " x \"holder_$type\"[], h \"held_$type\","
		  . ' g int GENERATED ALWAYS AS (CASE WHEN s IS NULL THEN 0 ELSE 1 END) STORED)',
		"ALTER TABLE \"all_$type\" DROP COLUMN gone",
		"INSERT INTO \"all_$type\" VALUES (1, "
		  . join(', ',
			(map { literal($_) } $one, array($type, $one, undef, $two), $matrices[0], $one, array($type, $two), array($type, $one)),
			held($type, $one, array($type, $two)),
			'ARRAY[' . held($type, $one, '{}') . ', NULL, ' . held($type, undef, undef) . ']',
			held($type, $two, array($type, undef))) . ')',
		"INSERT INTO \"all_$type\" VALUES (2)",
		"INSERT INTO \"all_$type\" VALUES (3, "
		  . join(', ',
			(map { literal($_) } $two, '{}', $matrices[1], $two, array($type, undef), '{}'),
			held($type, undef, array($type, $one, $two)),
			"'{}'",
			'NULL') . ')');
	return;
}

sub publish
{
	my ($name, $body) = @_;

	unlink "$directory/$name";
	append_to_file("$directory/$name", $body);
	return $server->url("/file/$name", type => 'application/json');
}

sub publish_table
{
	my ($type) = @_;
	return publish("all_$type",
		$session->value("SELECT json_agg(row_to_json(t)) FROM \"all_$type\" AS t"));
}

my %url_of;
for my $type (@types)
{
	make_table($type, @{ $values{$type} });
	$url_of{$type} = publish_table($type);

	my $rows = "TABLE \"all_$type\"";
	my $native = $session->value(extract_call('rows, status, digest', $rows, ROWS, verify => 'true'));
	my $fetch = fetch_call('rows, status, digest', $url_of{$type}, ROWS,
		row_type => literal("\"all_$type\""), verify => 'true');
	my $result = $session->run($fetch);

	is($result->{output}, $native, "$type: the rows that come are the table's")
	  or diag(
		$result->{errors},
		$session->run('SELECT changed_columns FROM bench_compare('
			  . literal($url_of{$type}) . ", '{3}', 1, " . literal($rows) . ')')->{errors});

	next if $has_no_oracle{$type};
	my $documents = literal($session->value("SELECT json_agg(row_to_json(t)) FROM \"all_$type\" AS t"));
	my $populated =
	  "SELECT (json_populate_record(NULL::\"all_$type\", element)).* FROM json_array_elements($documents) AS element";
	succeeds(
		$session,
		"SELECT count(*) FROM (SELECT ROW(p.*)::text FROM ($populated) AS p"
		  . " EXCEPT ALL SELECT ROW(t.*)::text FROM ($rows) AS t) AS d",
		'0',
		"$type: as json_populate_record has them, by value");
	succeeds(
		$session, extract_call('rows, status, digest', $populated, ROWS, verify => 'true'),
		$native, "$type: and by digest");
}

# --- other values have other digests ----------------------------------------------------

for my $type (@types)
{
	my ($one, $two) = @{ $values{$type} };
	my @different = (
		(map { literal($_) . "::\"$type\"" } $one, $two),
		(map { literal($_) . "::\"$type\"[]" } array($type, $one), array($type, $two), array($type, $one, $two),
			array($type, $two, $one), array($type, undef), '{}', matrix($type, [$one]), '[0:0]=' . array($type, $one)),
		held($type, $one, '{}'), held($type, $two, '{}'), held($type, $one, array($type, $two)),
		held($type, $one, undef), held($type, undef, undef));
	my $digests = join ', ', map { '(' . literal("SELECT $_ AS v") . ')' } @different;

	succeeds($session,
		'SELECT count(*), count(DISTINCT digest) FROM (VALUES ' . $digests . ') AS v (query),'
		  . ' LATERAL bench_extract(1, query, verify => true)',
		@different . '|' . @different,
		"$type: each of these has a digest of its own");
}

# --- digests do not depend on the session --------------------------------------------------

sub all_digests
{
	my (@of) = @_;
	return
		'SELECT string_agg(digest::text, \' \' ORDER BY t) FROM (VALUES '
	  . join(', ', map { '(' . literal($_) . ')' } @of)
	  . ') AS v (t), LATERAL bench_extract(' . ROWS
	  . ', format(\'TABLE %I\', \'all_\' || t), verify => true)';
}

sub all_fetched
{
	my (@of) = @_;
	return
		'SELECT string_agg(digest::text, \' \' ORDER BY t) FROM (VALUES '
	  . join(', ', map { '(' . literal($_) . ', ' . literal($url_of{$_}) . ')' } @of)
	  . ') AS v (t, url), LATERAL bench_http_fetch(url, ' . ROWS
	  . ', row_type => format(\'%I\', \'all_\' || t)::regclass, verify => true)';
}

my @settings = (
	[ DateStyle => 'SQL, DMY' ], [ DateStyle => 'German' ], [ DateStyle => 'Postgres, MDY' ],
	[ IntervalStyle => 'iso_8601' ], [ IntervalStyle => 'sql_standard' ],
	[ TimeZone => 'Asia/Kathmandu' ], [ TimeZone => 'America/St_Johns' ],
	[ extra_float_digits => '-15' ], [ extra_float_digits => '0' ],
	[ bytea_output => 'escape' ], [ client_encoding => 'LATIN1' ]);
my $native_digests = $session->value(all_digests(@types));
my $money = $session->value(fetch_call('digest', $server->url('/json', body => '[{"s":1234.56},{"a":[-0.05,7]}]'),
		2, row_type => "'all_money'", verify => 'true'));

for my $setting (@settings)
{
	my ($name, $value) = @$setting;
	$session->value("SET $name = " . literal($value));
	succeeds($session, all_digests(@types), $native_digests, "digests of tables under $name = $value");
	succeeds($session, all_fetched(@types), $native_digests, "digests of JSON under $name = $value");
	$session->value("RESET $name");
}

SKIP:
{
	skip "digests under lc_numeric and lc_monetary: $locale cannot be made here", 4
	  if $session->run("SET lc_monetary = '$locale'")->{error};

	my @but_money = grep { $_ ne 'money' } @types;
	like($session->value("SELECT 1234.56::money"), qr/1\.234,56/, "money under $locale");
	succeeds($session, all_digests(@types), $native_digests, "digests of tables under lc_monetary = $locale");
	succeeds(
		$session,
		fetch_call('digest', $server->url('/json', body => '[{"s":1234.56},{"a":[-0.05,7]}]'),
			2, row_type => "'all_money'", verify => 'true'),
		$money,
		'numbers for money mean the same');
	$session->value("SET lc_numeric = '$locale'");
	succeeds($session, all_fetched(@but_money), $session->value(all_digests(@but_money)),
		"digests of JSON under lc_numeric = $locale");
	$session->value('RESET lc_monetary; RESET lc_numeric');
}

# --- lengths and precisions are the elements' too ----------------------------------------------

$session->value('CREATE TABLE precise (v varchar(3)[], c char(4)[], n numeric(5,2)[], b bit(3)[],'
	  . ' t timestamp(2)[], i interval(1)[], vb varbit(2)[])');
{
	my $body = '[{"v":["abc","ab   "],"c":[["x"],["yz"]],"n":[1.005,"2",-3e1],"b":["101"],'
	  . '"t":["2024-01-01 00:00:00.126"],"i":["1.26 s"],"vb":["1"]}]';
	my $expected = q(SELECT '{abc,"ab "}'::varchar(3)[] AS v, '{{x},{yz}}'::char(4)[] AS c, '{1.01,2,-30}'::numeric(5,2)[] AS n,)
	  . q( '{101}'::bit(3)[] AS b, '{2024-01-01 00:00:00.13}'::timestamp[] AS t, '{1.3 s}'::interval[] AS i, '{1}'::varbit[] AS vb);

	succeeds(
		$session,
		fetch_call('digest', $server->url('/json', body => $body), 1, row_type => "'precise'", verify => 'true'),
		$session->value(extract_call('digest', $expected, 1, verify => 'true')),
		'elements are rounded and cut as columns are');
}
for my $case (
	[ '{"v":["ab","abcd"]}', '22001', qr/element \[2\]\nrow 1, column "v"/ ],
	[ '{"n":[[1],[1e3]]}', '22003', qr/element \[2\]\[1\]\nrow 1, column "n"/ ],
	[ '{"b":["1"]}', '22026', qr/element \[1\]\nrow 1, column "b"/ ])
{
	my ($row, $sqlstate, $context) = @$case;
	fails_with(
		$session,
		fetch_call('rows', $server->url('/json', body => "[$row]"), 1, row_type => "'precise'"),
		{ sqlstate => $sqlstate, context => $context },
		"an element is too long or too large: $row");
}

done_testing();
